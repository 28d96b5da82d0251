# Requests and jobs carry labels: each framework is the real gem, on a real server.
# Waits nearly all of the time
require_relative "support"
require_relative "../bench/server/redis"
require "socket"

class TestFrameworks < Minitest::Test
  include E2E

  FRAMEWORKS = "#{E2E::PROGRAMS}/frameworks"

  def setup
    @folder = Dir.mktmpdir("rperf-top-frameworks.")
    @pids = []
  end

  def teardown
    @pids.each { |pid| Process.kill(:KILL, -pid) && Process.wait(pid) }
    FileUtils.rm_rf(@folder)
  end

  # They have a folder of their own (.setup/gems).
  def gems(*names)
    home = "#{`#{E2E::ROOT}/.setup/gems -p #{RbConfig.ruby}`.lines.first.to_s.chomp}/frameworks"
    names.each { |name| Dir["#{home}/gems/#{name}-[0-9]*/lib"].any? or skip "the gem #{name} is not here" }
    { "GEM_PATH" => home, "GEM_HOME" => home, "RUBYLIB" => E2E::BUILD, "RUBYOPT" => nil, "RPERF_TOP_DIR" => @folder,
      "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" }
  end

  def run_in_background(env, *command)
    pid = spawn(env, *command, pgroup: true, out: "#{@folder}/out", err: "#{@folder}/err")
    @pids << pid
    pid
  end

  def ask(path, verb = "GET", header = "Accept: */*")
    UNIXSocket.open("#{@folder}/socket") do |socket|
      socket.write("#{verb} #{path} HTTP/1.1\r\nHost: localhost\r\n#{header}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
      Integer(socket.read[/\AHTTP\/1.\d (\d+)/, 1] || 0)
    end
  rescue Errno::ENOENT, Errno::ECONNREFUSED, Errno::ECONNRESET
    nil
  end

  def serving(name, *gems)
    env = gems("puma", *gems)
    pid = run_in_background(env, RbConfig.ruby, "-rrperf_top", "#{FRAMEWORKS}/#{name}.rb", "#{@folder}/socket")
    wait_until("the server: #{File.read("#{@folder}/err")}") do
      refute Process.wait(pid, Process::WNOHANG), "the server ended: #{File.read("#{@folder}/err")}"
      ask("/items") == 200
    end
    yield pid
  end

  # Milliseconds of CPU by label of all that is known of the process.
  def labels(pid)
    result = viewer("-b", "-J", "-F", "all", "-n", "1", "--merge", "label", "-p", pid.to_s, env: { "RPERF_TOP_DIR" => @folder })
    result.objects.last["methods"].to_h { |row| [row["name"], row["cpu"] * 1000] }
  end

  def title(pid) = viewer("-b", "-J", "-n", "1", "-p", pid.to_s, env: { "RPERF_TOP_DIR" => @folder }).objects.last["command"]

  def ask_for_both = 30.times { |number| [ask("/orders/#{number}"), ask("/items")].each { |status| assert_equal 200, status } }

  # After many requests, whose labels these are: three to one in work. The first ones load and compile the framework.
  def assert_labels(pid, much, little)
    first = wait_until("a window with #{much} and #{little}") do
      ask_for_both
      found = labels(pid)
      found if found[much] && found[little]
    end
    seen = wait_until("windows with #{much} and #{little}") do
      ask_for_both
      found = labels(pid).to_h { |name, cpu| [name, cpu - first.fetch(name, 0)] }
      found if [much, little].all? { |name| (found[name] || 0) > 150 }
    end
    share = seen[much] / (seen[much] + seen[little])
    # Beside the work itself stands what the framework does, the same for both.
    assert_operator share, :>, 0.55, seen.inspect
    assert_operator share, :<, 0.85, seen.inspect
    seen
  end

  def test_rack
    serving("rack") do |pid|
      assert_labels(pid, "endpoint=GET /orders/:id", "endpoint=GET /items")
      # A scanner does not fill the tables.
      300.times { |number| assert_equal 404, ask("/nothing#{number.to_s(36)}x/here") }
      assert_labels(pid, "endpoint=GET /orders/:id", "endpoint=GET /items")
      assert_operator labels(pid).keys.grep(/nothing/).size, :<=, 100
    end
  end

  def took
    UNIXSocket.open("#{@folder}/socket") do |socket|
      socket.write("GET /took HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      socket.read[/^took: (.*?)\r$/i, 1].split(",").to_h { |row| name, count, seconds = row.split; [name, [count.to_i, seconds.to_f]] }
    end
  end

  def label_rows(pid, *options)
    result = viewer("-b", "-J", "-F", "all", "-n", "1", "-p", pid.to_s, *options, env: { "RPERF_TOP_DIR" => @folder })
    (result.objects.last["labels"] || []).to_h { |row| [row["value"], row] }
  end

  # A recording tells of requests that come while it is made.
  def assert_recorded(pid, endpoint)
    file = "#{@folder}/labels.rpt"
    recorder = spawn({ "RPERF_TOP_DIR" => @folder }, VIEWER, "-o", file, "-t", "3", "-p", pid.to_s, err: "#{@folder}/record")
    before = took["quick"][0]
    ask("/quick") until Process.wait(recorder, Process::WNOHANG)
    row = viewer("-b", "-J", "-F", "all", "-n", "1", "-r", file).objects.last["labels"].find { |label| label["value"] == endpoint }
    assert_in_delta took["quick"][0] - before, row["count"], 0.5 * (took["quick"][0] - before), File.read("#{@folder}/record")
    assert_operator row["count"], :>, 20
  end

  # The counts are those of the requests, and the time of each is what the server measured itself.
  def test_requests_are_counted_and_timed
    serving("rack") do |pid|
      3.times.map do |client|
        Thread.new { 40.times { |number| ask("/slow/#{client}#{number}"); 2.times { ask("/quick") } } }
      end.each(&:join)
      names = { "slow" => "GET /slow/:id", "quick" => "GET /quick" }
      wanted = took
      assert_equal [120, 240], wanted.values_at("slow", "quick").map(&:first)
      rows = wait_until("all requests") do
        found = label_rows(pid)
        found if names.all? { |name, endpoint| found.dig(endpoint, "count") == wanted[name][0] }
      end
      names.each do |name, endpoint|
        count, seconds = wanted[name]
        assert_in_delta seconds / count, rows[endpoint]["each"], 0.1 * seconds / count, rows[endpoint].inspect
        assert_in_delta rows[endpoint]["total"], rows[endpoint].values_at("running", "waiting", "blocked", "gc").sum, 1e-6
      end
      assert_operator rows[names["slow"]]["blocked"], :>, 120 * 0.02 * 0.9
      # What is shown alone, and what is left out, is told alike.
      assert_equal [names["quick"]], label_rows(pid, "--label", "endpoint=GET /quick").keys
      assert_equal 240, label_rows(pid, "--label", "!endpoint=GET /slow*")[names["quick"]]["count"]
      refute_includes label_rows(pid, "--label", "!endpoint=GET /slow*").keys, names["slow"]
      assert_recorded(pid, names["quick"])
    end
  end

  def test_sinatra
    serving("sinatra", "sinatra") do |pid|
      assert_labels(pid, "endpoint=GET /orders/:number", "endpoint=GET /items")
      assert_equal ["GET /items", "GET /orders/:number"], label_rows(pid).keys.sort
    end
  end

  def test_rails_and_active_job
    serving("rails", "railties", "actionpack", "activejob") do |pid|
      assert_labels(pid, "endpoint=GET /orders/:number", "endpoint=GET /items")
      job = "endpoint=GET /mails,job=MailJob,queue=mails"
      wait_until("a job's label") { ask("/mails") && labels(pid)[job] }
    end
  end

  # What runs before Rails has found the route, and after, is the route's; no request stands in two rows.
  def test_a_rails_request_is_one_row
    serving("rails", "railties", "actionpack", "activejob") do |pid|
      3.times.map { |client| Thread.new { 30.times { |number| ask("/late/the-#{client}-#{number}x") } } }.each(&:join)
      count, seconds = took["/late"]
      assert_equal 90, count
      row = wait_until("all requests") { label_rows(pid)["GET /late/:slug"]&.then { |found| found if found["count"] == count } }
      assert_in_delta seconds / count, row["each"], 0.1 * seconds / count, row.inspect
      assert_operator row["blocked"], :>, 90 * 0.015 * 0.95
      assert_equal ["GET /items", "GET /late/:slug"], label_rows(pid).keys.sort

      # A form's real method is known only on the way. Nobody tells of a path without a route.
      20.times do |number|
        ask("/forms/#{number}", "POST", "X-HTTP-Method-Override: #{number.even? ? "PATCH" : "DELETE"}")
        assert_equal 404, ask("/nothing/here")
      end
      counts = { "PATCH /forms/:number" => 10, "DELETE /forms/:number" => 10, "GET /nothing/here" => 20 }
      rows = wait_until("forms") { label_rows(pid).then { |found| found if counts.all? { |name, times| found.dig(name, "count") == times } } }
      assert_equal ["GET /items", "GET /late/:slug", *counts.keys].sort, rows.keys.sort
      assert_operator rows["GET /nothing/here"]["total"], :>, 0
      rows.values_at("PATCH /forms/:number", "DELETE /forms/:number").each { |form| assert_operator form["blocked"], :>, 9 * 0.005 }
    end
  end

  def redis
    skip "redis is not here" unless RedisServer::PROGRAM
    @pids << RedisServer.spawn(@folder)
    wait_until("redis: #{File.read("#{@folder}/redis.out")}") { File.socket?("#{@folder}/redis") }
    "unix://#{@folder}/redis"
  end

  def test_sidekiq
    env = gems("sidekiq").merge("REDIS_URL" => redis)
    jobs = "#{FRAMEWORKS}/sidekiq.rb"
    push = "250.times { ReportJob.perform_async; MailJob.perform_async }"
    assert system(env.merge("RPERF_TOP" => "0"), RbConfig.ruby, "-r", jobs, "-e", push, err: "#{@folder}/err"), File.read("#{@folder}/err")
    pid = run_in_background(env, RbConfig.ruby, "-rrperf_top", "#{env["GEM_HOME"]}/bin/sidekiq", "-r", jobs,
                            "-c", "2", "-q", "reports", "-q", "mails")
    report, mail = "job=ReportJob,queue=reports", "job=MailJob,queue=mails"
    seen = wait_until("all jobs") do
      refute Process.wait(pid, Process::WNOHANG), "sidekiq ended: #{File.read("#{@folder}/err")}#{File.read("#{@folder}/out")}"
      found = channels_here?(pid) ? labels(pid) : {}
      found if (found[mail] || 0) > 150 && (found[report] || 0) > 150
    end
    assert_operator seen[report] / (seen[report] + seen[mail]), :>, 0.55, seen.inspect
    wait_until("what it calls itself") { title(pid).match?(/\Asidekiq \d\S* .*\[\d of 2 busy\]/) }
  end

  # What the viewer calls each process of a tree.
  def titles(pid)
    result = viewer("-b", "-J", "-n", "1", "-p", pid.to_s, env: { "RPERF_TOP_DIR" => @folder })
    result.objects.last.fetch("processes", []).filter_map { |process| process["command"] if process["state"] == "live" }
  end

  # By which unicorn accepts connections: it knows structures of Ruby's, and not those of every Ruby.
  ACCEPTS = <<~'RUBY'
    require "kgio"
    server = Kgio::UNIXServer.new(ARGV[0])
    client = UNIXSocket.new(ARGV[0])
    server.kgio_tryaccept or abort
  RUBY

  def need_kgio(env)
    ended = system(env.merge("RPERF_TOP" => "0"), RbConfig.ruby, "-W0", "-e", ACCEPTS, "#{@folder}/kgio", err: File::NULL)
    skip "the gem kgio, by which unicorn accepts connections, does not work on this Ruby" unless ended
  end

  # Its workers are called what the master was, until each has said which one it is.
  def test_unicorn
    env = gems("unicorn")
    need_kgio(env)
    File.write("#{@folder}/unicorn.rb", "worker_processes 1\npreload_app true\nlisten '#{@folder}/socket'\n")
    File.write("#{@folder}/config.ru", "run ->(_) { [200, {}, ['ok']] }\n")
    pid = run_in_background(env, RbConfig.ruby, "-rrperf_top", "#{env["GEM_HOME"]}/bin/unicorn", "-c", "#{@folder}/unicorn.rb", "#{@folder}/config.ru")
    wait_until("unicorn") do
      refute Process.wait(pid, Process::WNOHANG), "unicorn ended: #{File.read("#{@folder}/err")}#{File.read("#{@folder}/out")}"
      ask("/") == 200 && channels_here?(pid)
    end
    wait_until("titles") { titles(pid).sort.map { |title| title[/\Aunicorn \S+/] } == ["unicorn master", "unicorn worker[0]"] }
    Process.kill(:TTIN, pid)
    wait_until("one more") { titles(pid).any? { |title| title.start_with?("unicorn worker[1] ") } }
  end

  def falcon
    env = gems("falcon")
    port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
    pid = run_in_background(env, RbConfig.ruby, "-rrperf_top", "#{env["GEM_HOME"]}/bin/falcon", "serve", "--forked", "--count", "1",
                            "--bind", "http://127.0.0.1:#{port}", "--config", "#{FRAMEWORKS}/falcon.ru")
    wait_until("falcon") do
      refute Process.wait(pid, Process::WNOHANG), "falcon ended: #{File.read("#{@folder}/err")}#{File.read("#{@folder}/out")}"
      connect(port).close || true
    rescue Errno::ECONNREFUSED
      nil
    end
    [pid, port]
  end

  def connect(port) = TCPSocket.new("127.0.0.1", port)

  # Of a connection that is kept: the body.
  def get(socket, path)
    socket.write("GET #{path} HTTP/1.1\r\nHost: localhost\r\n\r\n")
    answer = +""
    answer << socket.readpartial(9000) until answer.end_with?("\r\n0\r\n\r\n") || length_reached?(answer)
    assert_match(/\AHTTP\/1.1 200/, answer)
    answer[/[\d.]+(?: [\d.]+){3}/]
  end

  def length_reached?(answer)
    head, body = answer.split("\r\n\r\n", 2)
    length = body && head[/^content-length: (\d+)/i, 1]
    length && body.bytesize >= length.to_i
  end

  def fibers(pid)
    found = viewer("-b", "-J", "-F", "all", "-n", "1", "-p", pid.to_s, env: { "RPERF_TOP_DIR" => @folder }).objects.last
    [found, found["fibers"] || []]
  end

  # Each request is a fiber's: waits are those of the handlers, and falcon calls the fibers what they do.
  def test_falcon
    pid, port = falcon
    sockets = Array.new(12) { connect(port) }
    sockets.each_with_index.map { |socket, i| Thread.new { (i < 6 ? 30 : 150).times { get(socket, i < 6 ? "/slow" : "/quick") } } }.each(&:join)
    slow, slow_count, quick, quick_count = get(sockets.first, "/told").split.map(&:to_f)
    assert_equal [180, 900], [slow_count, quick_count]
    report, rows = wait_until("fibers that are at rest") do
      report, rows = fibers(pid)
      [report, rows] if rows.any? { |row| row["named"] && row["waiting"] == 12 }
    end
    reading = rows.find { |row| row["named"] && row["waiting"] == 12 }
    assert_match(/HTTP/, reading["name"])
    assert_equal 12, reading["alive"]
    assert_operator reading["wait"], :>, 0.9 * (slow + quick)
    assert_operator rows.sum { |row| row["share"] }, :<, 1.01
    in_slow, in_quick = %w[Slow.query Quick.query].map { |name| method_named(report, name)["blocked"] }
    assert_operator in_slow, :>, 0.1
    assert_in_delta slow / (slow + quick), in_slow / (in_slow + in_quick), 0.15, "#{in_slow} #{in_quick}"
    selecting = method_named(report, "IO::Event::Selector::EPoll#select")
    assert_operator selecting ? selecting["blocked"] : 0, :<, in_slow + in_quick
    file = "#{@folder}/falcon.rpt"
    saved = viewer("-o", file, "-t", "0.2", "-F", "all", "-p", pid.to_s, env: { "RPERF_TOP_DIR" => @folder })
    assert_predicate saved.status, :success?, saved.err
    recorded = viewer("-b", "-J", "-F", "all", "-r", file).objects.last["fibers"].find { |row| row["name"] == reading["name"] }
    assert_equal [12, 12], recorded.values_at("alive", "waiting")
    assert_operator recorded["wait"], :>=, reading["wait"]
    sockets.each(&:close)
    wait_until("connections that end") { fibers(pid)[1].none? { |row| row["named"] && row["alive"] > 0 } }
    Process.kill(:TERM, pid)
    assert_predicate Process.wait2(pid)[1], :exited?
    @pids.delete(pid)
  end

  def channels_here?(pid) = Dir["#{@folder}/rperf-top.*.#{pid}.*"].any?
end
