# A puma with two workers as a monitoring system sees it: its counters are those of the program, and a real Prometheus
# scrapes and answers.
# Waits nearly all of the time
require_relative "metrics"

class TestMetricsPuma < Minitest::Test
  include E2E

  Served = Struct.new(:pid, :env, :socket)

  def serving
    skip "the gem puma is not here" unless (lib = E2E.gem_folder("puma"))
    gems = File.expand_path("../../..", lib)
    Dir.mktmpdir("rperf-top-metrics.", "/dev/shm") do |folder|
      env = { "RPERF_TOP_DIR" => folder, "GEM_PATH" => gems, "GEM_HOME" => gems, "SOCKET" => "#{folder}/socket" }
      pid = spawn(env.merge("RUBYLIB" => "#{lib}:#{BUILD}", "RUBYOPT" => "-rrperf_top"), RbConfig.ruby, "#{File.dirname(lib)}/bin/puma",
                  "-C", "#{PROGRAMS}/metered.rb", pgroup: true, out: "#{folder}/out", err: "#{folder}/err")
      yield Served.new(pid, env, env["SOCKET"])
    ensure
      Process.kill(:KILL, -pid) rescue nil
      Process.wait(pid) if pid
    end
  end

  def ask(served, path)
    @asked[path] += 1
    UNIXSocket.open(served.socket) do |io|
      io.write("GET #{path} HTTP/1.0\r\n\r\n")
      io.read.split("\r\n\r\n", 2).last
    end
  rescue SystemCallError
    @asked[path] -= 1
    nil
  end

  # By pid, once both have answered.
  def own(served)
    figures = {}
    wait_until("both workers") do
      answer = ask(served, "/own")
      (object = JSON.parse(answer)) && figures[object["pid"]] = object if answer
      figures.size == 2
    end
    figures
  end

  def watched(served)
    @asked = Hash.new(0)
    own(served)
    server = MetricsServer.new("-p", served.pid.to_s, env: served.env)
    wait_until("the workers") { server.samples.live.size == 3 }
    yield server
  ensure
    server&.stop(:KILL)
  end

  # All that has been asked is told.
  def told(server, before = nil)
    wait_until("all requests") do
      now = server.fresh
      now if before.nil? || runs(now, "/own") - runs(before, "/own") >= @asked["/own"]
    end
  end

  def runs(samples, path) = samples["rperf_top_label_runs_total", value: "GET #{path}"]

  def grown(before, after, name, **labels) = after[name, **labels] - before[name, **labels]

  def test_counters_are_those_of_the_program
    serving do |served|
      watched(served) do |server|
        before = told(server)
        @asked.clear
        first = own(served)
        [Thread.new { 150.times { ask(served, "/work") } }, Thread.new { 10.times { ask(served, "/gc") } }].each(&:join)
        second = own(served)
        told(server, before)
        after = settled(server)
        %w[/work /gc /own].each { |path| assert_equal @asked[path], runs(after, path) - runs(before, path), path }
        assert_operator after["rperf_top_label_busy_seconds_total", value: "GET /work"], :>, 0
        before.each { |name, labels, value| assert_operator after[name] && after.find(name)[labels] || value, :>=, value, "#{name} #{labels}" if name.end_with?("_total") }
        first.each_key { |pid| compare(before, after, first[pid], second[pid], pid) }
      end
    end
  end

  # Two seconds later what nobody knows a stack of is counted, too.
  def settled(server)
    from = server.samples["rperf_top_watched_seconds_total"]
    wait_until("two seconds") { server.samples.then { |now| now if now["rperf_top_watched_seconds_total"] - from > 6.6 } }
  end

  # What it did before it was asked first and after it was asked last is in between, too: a few requests.
  def compare(before, after, first, second, pid)
    %w[minor major].each do |kind|
      own = second[kind] - first[kind]
      assert_includes own..own + 2, grown(before, after, "rperf_top_gc_runs_total", pid: pid, kind: kind), "#{kind} of #{pid}"
    end
    allocated = second["allocated"] - first["allocated"]
    assert_in_epsilon allocated, grown(before, after, "rperf_top_allocated_objects_total", pid: pid), 0.05
    cpu = second["cpu"] - first["cpu"]
    assert_in_delta cpu, grown(before, after, "rperf_top_cpu_seconds_total", pid: pid), cpu * 0.1 + 0.15
    held = grown(before, after, "rperf_top_gvl_held_seconds_total", pid: pid)
    methods = grown(before, after, "rperf_top_method_busy_seconds_total", pid: pid)
    waiting = grown(before, after, "rperf_top_gvl_waiting_seconds_total", pid: pid)
    assert_operator held, :>=, cpu * 0.8
    assert_in_delta held + waiting, methods, (held + waiting) * 0.01 + 0.01, "methods are what was not blocked"
  end

  def test_prometheus_scrapes
    skip "Debian's prometheus is not here" unless Prometheus.program("prometheus")
    serving do |served|
      watched(served) do |server|
        going = true
        load = Thread.new { ask(served, "/work") while going }
        Prometheus.scraping(server.uri, rules: ["#{ROOT}/man/metrics/rperf-top.rules.yml"]) do |query|
          up = wait_until("a scrape") { query.("query", query: "up{job=\"ruby\"} == 1")&.fetch("result")&.first }
          assert_equal "ruby", up["metric"]["job"]
          busy = wait_until("rates") do
            found = query.("query", query: "sum by (method) (rate(rperf_top_method_busy_seconds_total{method=~\".*compute\"}[30s])) > 0")
            found["result"].first
          end
          assert_match(/compute\z/, busy["metric"]["method"])
          rule = wait_until("a recording rule") { query.("query", query: "rperf_top:gvl_held:ratio_rate1m > 0")["result"].first }
          assert_includes server.samples.pids, rule["metric"]["pid"].to_i
          targets = query.("targets", state: "active")["activeTargets"]
          assert_equal ["up", ""], targets.first.values_at("health", "lastError")
          types = query.("metadata", metric: "rperf_top_gvl_held_seconds")
          assert_equal "counter", types.values.flatten.first["type"]
        end
      ensure
        going = false
        load&.join
      end
    end
  end
end
