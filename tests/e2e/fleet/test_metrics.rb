# --metrics on programs that are strange, come and go; readers that are slow; the file for node_exporter; and all that is
# shipped for Prometheus.
# Waits nearly all of the time
require_relative "metrics"

class TestMetrics < Minitest::Test
  include E2E

  FAKE = "#{BUILD}/tests/fake_process"

  def in_folder
    Dir.mktmpdir("rperf-top-metrics.", File.writable?("/dev/shm") ? "/dev/shm" : nil) { |folder| yield folder, { "RPERF_TOP_DIR" => folder } }
  end

  def serving(*options, env: {})
    server = MetricsServer.new(*options, env: env)
    yield server
  ensure
    (server.stop(:KILL) rescue nil) if server
  end

  # Programs that are no Ruby but have a channel; their pids.
  def faking(count, env)
    pids = Array.new(count) { spawn(env, FAKE, out: File::NULL) }
    yield pids
  ensure
    pids.each { |pid| Process.kill(:KILL, pid) rescue nil }
    pids.each { |pid| Process.wait(pid) rescue nil }
  end

  # The same, at rest and in great numbers.
  def copying(count, env)
    IO.popen([env.merge("RESTS" => "1", "COPIES" => count.to_s), FAKE]) do |io|
      yield Array.new(count) { io.gets[/\Aready (\d+)$/, 1].to_i }
    ensure
      Process.kill(:KILL, io.pid)
    end
  end

  # A Ruby program with the extension, once it has its channel in the folder of `env`.
  def ruby(program, env, **more)
    pid = spawn({ "RUBYLIB" => BUILD, "RUBYOPT" => "-rrperf_top" }.merge(env, more.transform_keys(&:to_s)), RbConfig.ruby, QUICK, program, out: File::NULL)
    wait_until("a channel") { Dir["#{env["RPERF_TOP_DIR"]}/rperf-top.*.#{pid}.*"].any? }
    yield pid
  ensure
    Process.kill(:KILL, pid)
    Process.wait(pid)
  end

  # Names of files and of labels may be anything; methods of these names have the number of their place.
  NAMES = ["quote\"s", "back\\slash", "new\nline", "brace}{,a=\"b\"", "# EOF", "ü\u{1F600}", "end\\"].freeze
  HOSTILE = <<~RUBY
    NAMES = Marshal.load(#{Marshal.dump(NAMES).b.dump})
    NAMES.each_with_index { |name, n| eval("def hostile_\#{n} = (i = 0; i += 1 while i < 200_000)", nil, name) }
    loop { NAMES.each_with_index { |name, n| RperfTop.label(name => name) { send("hostile_\#{n}") } } }
  RUBY

  def test_hostile_names_parse_back
    in_folder do |folder, env|
      File.write("#{folder}/hostile \"\\.rb", HOSTILE)
      ruby("#{folder}/hostile \"\\.rb", env, RPERF_TOP_RECORD_HZ: "500") do |pid|
        serving("-p", pid.to_s, env: env) do |server|
          names = NAMES.map { |name| name.tr("\n", "?") }
          wait_until("all names") { server.text.scan(/method="Object#hostile_/).size == names.size }
          wait_until("all labels") { server.text.scan(/^rperf_top_label_runs_total\{/).size > names.size }
          text = server.text
          assert text.valid_encoding? || text.dup.force_encoding("UTF-8").valid_encoding?
          assert text.end_with?("\n# EOF\n")
          parsed = Prometheus.parse(text.dup.force_encoding("UTF-8")) or skip "Debian's python3-prometheus-client is not here"
          methods = parsed.select { |name, *| name == "rperf_top_method_busy_seconds_total" }.map { |_, labels, _| labels }
          assert_empty names - methods.map { |labels| labels["path"] }
          labels = parsed.select { |name, *| name == "rperf_top_label_runs_total" }.map { |_, found, _| found["value"] }
          assert_empty names - labels
          requests = parsed.select { |name, *| name == "rperf_top_label_latency_seconds_count" }.map { |_, found, _| found["value"] }
          assert_empty names - requests
          assert_equal parsed.map { |name, found, _| [name, found] }.uniq.size, parsed.size, "no series twice"
        end
      end
    end
  end

  # Requests that the program counts itself. Each is in the histogram once, where its length is; and its time has one cause.
  def test_histograms_of_requests
    in_folder do |folder, env|
      File.write("#{folder}/requests.rb", <<~RUBY)
        sleep 0.01 until File.exist?("#{folder}/go")
        40.times { RperfTop.label(endpoint: "GET /nap") { sleep 0.03 } }
        RperfTop.label(endpoint: "GET /hangs") { sleep }
      RUBY
      ruby("#{folder}/requests.rb", env) do |pid|
        serving("-p", pid.to_s, env: env) do |server|
          wait_until("a first look") { server.samples["rperf_top_watched_seconds_total"] > 0 }
          before = server.samples
          assert_empty before.find("rperf_top_label_latency_seconds_count"), "no work has labels"
          File.write("#{folder}/go", "")
          nap, latency = { key: "endpoint", value: "GET /nap" }, "rperf_top_label_latency_seconds"
          now = wait_until("all requests") { server.samples.then { |now| now if now["#{latency}_count", **nap] >= 40 && now["rperf_top_label_open", value: "GET /hangs"] == 1 } }
          assert_equal 40, now["#{latency}_count", **nap]
          assert_equal 40, now["#{latency}_bucket", **nap, le: "+Inf"]
          assert_equal 0, now["#{latency}_bucket", **nap, le: "0.025"], "none takes less than it sleeps"
          assert_operator now["#{latency}_sum", **nap], :>=, 40 * 0.03
          assert_in_delta now["#{latency}_sum", **nap], now["rperf_top_label_time_seconds_total", **nap], 1e-6
          assert_operator now["rperf_top_label_time_seconds_total", **nap, cause: "sleep"], :>=, 40 * 0.029
          assert_equal 0, now["#{latency}_count", value: "GET /hangs"], "it has not ended"
          assert_equal 0, now["rperf_top_label_open", **nap]
          assert_equal 0, now["rperf_top_label_left_out_total"]
          later = server.fresh(2)
          assert_equal 40, later["#{latency}_count", **nap]
          assert_operator later["rperf_top_label_open_oldest_seconds", value: "GET /hangs"], :>, now["rperf_top_label_open_oldest_seconds", value: "GET /hangs"]
        end
      end
    end
  end

  def test_only_get_of_two_pages
    in_folder do |_, env|
      serving("-p", "all", env: env) do |server|
        answer = server.get
        assert_equal "200", answer.code
        assert_equal "application/openmetrics-text; version=1.0.0; charset=utf-8", answer["content-type"]
        old = server.get("/metrics", "Accept" => "text/plain")
        assert_equal "text/plain; version=0.0.4; charset=utf-8", old["content-type"]
        assert_equal "200", server.get("/-/healthy").code
        ["/", "/metrics/", "/metricsx", "/../etc/passwd", "/-/quit", "/%6detrics/x"].each { |path| assert_equal "404", server.get(path).code, path }
        %w[POST PUT DELETE HEAD OPTIONS NONSENSE].each do |method|
          line = TCPSocket.open(server.uri.host, server.uri.port) do |socket|
            socket.write("#{method} /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
            socket.gets.to_s
          end
          assert_match(/ 405 /, line, method)
        end
        TCPSocket.open(server.uri.host, server.uri.port) { |socket| socket.write("\0\xff\r\n\r\n") }
        ["GET /metrics HTTP/1.1\r\n" + "X: #{"y" * 100_000}\r\n" * 3 + "\r\n", "GET #{"/" * 100_000} HTTP/1.1\r\n\r\n"].each do |bytes|
          line = TCPSocket.open(server.uri.host, server.uri.port) do |socket|
            socket.write(bytes) rescue nil
            socket.close_write rescue nil
            socket.gets.to_s rescue ""
          end
          refute_match(/ 200 /, line)
        end
        assert_equal "200", server.get.code
        loopback = `ss -Hltn sport = :#{server.uri.port} 2>/dev/null`
        assert_includes loopback, "127.0.0.1:#{server.uri.port}" unless loopback.empty?
      end
    end
  end

  def test_slow_readers_hold_nothing_up
    in_folder do |_, env|
      faking(3, env) do
        serving("-p", "all", env: env) do |server|
          wait_until("three") { server.samples.live.size == 3 }
          # They ask for much more than a socket holds and read none of it; others send half a request.
          slow = Array.new(8) do
            socket = TCPSocket.open(server.uri.host, server.uri.port)
            socket.setsockopt(:SOCKET, :RCVBUF, 2048)
            socket.write("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 200) rescue nil
            socket
          end
          slow += Array.new(4) { TCPSocket.open(server.uri.host, server.uri.port).tap { |socket| socket.write("GET /met") } }
          before = server.samples
          after = server.fresh(3)
          assert_operator after["rperf_top_watched_seconds_total"], :>, before["rperf_top_watched_seconds_total"]
          assert_equal 0, after["rperf_top_lost_windows_total"]
          # More than it takes at a time: they wait, and it goes on.
          slow += Array.new(10) { TCPSocket.open(server.uri.host, server.uri.port) }
          slow.each(&:close)
          assert_equal 3, server.fresh.live.size
          status = server.stop
          assert status.signaled? || status.exitstatus == 143, status.inspect
        end
      end
    end
  end

  def test_processes_come_and_go
    in_folder do |_, env|
      serving("-p", "all", env: env) do |server|
        assert_empty server.samples.pids
        faking(3, env) do |pids|
          wait_until("three") { server.samples.live.sort == pids.sort }
          before = wait_until("time") { server.samples.then { |now| now if pids.all? { |pid| now["rperf_top_watched_seconds_total", pid: pid] > 0.5 } } }
          Process.kill(:KILL, pids[0])
          Process.kill(:USR1, pids[1])
          after = wait_until("one that is left") { server.samples.then { |now| now if now.live == [pids[2]] } }
          assert_equal pids.sort, after.pids.sort, "what they did goes on being told"
          assert_operator after["rperf_top_watched_seconds_total", pid: pids[0]], :>=, before["rperf_top_watched_seconds_total", pid: pids[0]]
          assert_equal 1, after["rperf_top_agent_processes"]
          faking(1, env) { |(pid)| wait_until("another") { server.samples.live.include?(pid) } }
        end
      end
    end
  end

  # Of more processes than can be watched it says so, and the others have their turn when there is room.
  def test_more_processes_than_places
    in_folder do |_, env|
      copying(386, env) do |pids|
        serving("-p", "all", env: env) do |server|
          # The page is long: it is taken apart when it is the one that is meant.
          said = ->(text, name, count) { text.match?(/^rperf_top_agent_#{name} #{count}$/) }
          now = wait_until("all places") { server.text.then { |text| Samples.new(text) if said.(text, "processes", 384) && said.(text, "without_place", 2) } }
          others = pids - now.live
          assert_equal 2, others.size
          assert_equal 1, server.said.scan(/more than 384 processes/).size, server.said
          (now.live - others - pids.first(1)).last(4).each { |pid| Process.kill(:KILL, pid) }
          wait_until("their turn") { server.text.then { |text| said.(text, "without_place", 0) && (others - Samples.new(text).live).empty? } }
        end
      end
    end
  end

  # While it rests only sums are read of it; what ends its rest must be seen all the same, and nothing be counted twice.
  def test_stalls_after_a_rest
    in_folder do |folder, env|
      File.write("#{folder}/rests.rb", <<~'RUBY')
        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        def takes_over = (finish = now + 2; i = 0; i += 1 while now < finish; i)
        loop { sleep 5; takes_over }
      RUBY
      ruby("#{folder}/rests.rb", env) do |pid|
        serving("-p", pid.to_s, env: env) do |server|
          before = wait_until("a time") { server.samples.then { |now| now if now["rperf_top_watched_seconds_total"] > 1 } }
          from = Process.clock_gettime(Process::CLOCK_MONOTONIC)
          after = wait_until("a stall") { server.samples.then { |now| now if now["rperf_top_stalls_total", cause: "method"] >= 1 } }
          told = after["rperf_top_watched_seconds_total"] - before["rperf_top_watched_seconds_total"]
          assert_in_delta Process.clock_gettime(Process::CLOCK_MONOTONIC) - from, told, 5.5
          assert_operator after["rperf_top_gvl_held_seconds_total"], :>, 0.8
          threads = after["rperf_top_gvl_held_seconds_total"] + after["rperf_top_gvl_waiting_seconds_total"] + after["rperf_top_blocked_seconds_total"]
          assert_in_delta after["rperf_top_watched_seconds_total"], threads, 0.2, "its one thread"
          assert_equal 0, after["rperf_top_lost_windows_total"]
        end
      end
    end
  end

  # The same number would be another series: what it is called holds the time of its start.
  def test_another_program_under_the_same_number
    in_folder do |folder, env|
      File.write("#{folder}/again.rb", "i = 0\nloop { i += 1; exec('#{RbConfig.ruby}', '--disable=gems', __FILE__, 'more') if ARGV.empty? && File.exist?('#{folder}/go') }")
      ruby("#{folder}/again.rb", env) do |pid|
        serving("-p", pid.to_s, env: env) do |server|
          up = ->(samples) { samples.find("rperf_top_process_up", pid: pid) }
          first = wait_until("the first") { up.(server.samples).then { |found| found.keys.first if found.size == 1 } }
          File.write("#{folder}/go", "")
          wait_until("the second") { up.(server.samples).size == 2 }
          both = up.(server.fresh)
          assert_equal [0, 1], [both[first], both.reject { |key, _| key == first }.values.first]
        end
      end
    end
  end

  def test_names_are_bounded
    in_folder do |folder, env|
      File.write("#{folder}/many.rb", <<~'RUBY')
        300.times { |n| Object.class_eval("def many_#{n} = (i = 0; i += 1 while i < 60_000)") }
        loop { 300.times { |n| RperfTop.label(n: n) { send("many_#{n}") } } }
      RUBY
      ruby("#{folder}/many.rb", env, RPERF_TOP_RECORD_HZ: "1000") do |pid|
        serving("-p", pid.to_s, "--metrics-top", "2", env: env) do |server|
          names = %w[rperf_top_method_busy_seconds_total rperf_top_label_busy_seconds_total rperf_top_label_runs_total]
          before = wait_until("names") { server.samples.then { |now| now if names.all? { |name| now.find(name).size > 2 } } }
          after = server.fresh(2)
          names.each do |name|
            assert_empty before.find(name).keys - after.find(name).keys, "they keep their places"
            assert_includes 3..9, after.find(name).size, "two at the top, four times as many places, and the others"
            assert before.find(name).all? { |labels, value| after.find(name)[labels] >= value }
            assert_operator after[name], :>, before[name]
          end
          assert_operator after.find("rperf_top_label_runs_total", key: "(other)").values.first, :>, 100
        end
      end
    end
  end

  def test_file_for_node_exporter
    in_folder do |folder, env|
      path = "#{folder}/ruby.prom"
      faking(2, env) do |pids|
        viewer = spawn(env, VIEWER, "--metrics", path, "-d", "1", "-p", "all", err: "#{folder}/err", in: File::NULL)
        text = nil
        wait_until("both") { File.exist?(path) && Samples.new(text = File.read(path)).live.sort == pids.sort }
        inode = File.stat(path).ino
        wait_until("another file") { File.stat(path).ino != inode }
        assert_equal 0o644 & ~File.umask, File.stat(path).mode & 0o777
        assert_match(/^# TYPE rperf_top_gvl_held_seconds_total counter$/, text)
        refute_match(/# EOF|# UNIT/, text)
        if Prometheus.program("promtool")
          said, status = Prometheus.check(text)
          assert status.success? || status.exitstatus == 3, said # 3: advice on style
          refute_match(/error|invalid/i, said)
        end
        # When it cannot be written, that is said once, and it goes on.
        File.chmod(0o500, folder) unless Process.uid.zero?
        Process.kill(:TERM, viewer)
        assert_equal 143, Process.wait2(viewer).last.exitstatus
        assert_equal ["ruby.prom"], Dir.children(folder).grep(/prom/), "nothing is left beside it"
      end
    end
  end

  def test_a_file_that_cannot_be_written
    in_folder do |folder, env|
      faking(1, env) do |(pid)|
        result = viewer("--metrics", "#{folder}/nothing/ruby.prom", "-d", "0.1", "-t", "5", "-p", pid.to_s, env: env)
        assert_equal 1, result.status.exitstatus
        assert_equal ["rperf-top: cannot write #{folder}/nothing/ruby.prom: No such file or directory\n"], result.err.lines
      end
    end
  end

  def test_a_command_and_its_status
    in_folder do |folder, env|
      result = viewer("--metrics", "0", "--", RbConfig.ruby, QUICK, "-e", "puts 12; $stdout.flush; sleep 0.5; exit 7", env: env)
      assert_equal 7, result.status.exitstatus, result.err
      assert_equal "12\n", result.out
      assert_match(%r{\Arperf-top: serving http://127\.0\.0\.1:\d+/metrics$}, result.err)
    end
  end

  def test_a_port_that_is_taken
    TCPServer.open("127.0.0.1", 0) do |server|
      result = viewer("--metrics", server.addr[1].to_s, "-p", "all")
      assert_equal 1, result.status.exitstatus
      assert_equal "rperf-top: cannot serve on #{server.addr[1]}: Address already in use\n", result.err
    end
  end

  # Without the library the viewer is built all the same.
  def test_without_the_library
    made_without("HTTP=no", "tui/metrics/metrics_serve") do |object|
      refute_match(/MHD_/, `nm #{object}`)
      assert_includes File.binread(object), "install libmicrohttpd-dev"
    end
  end

  def families(type = nil)
    all = File.read("#{ROOT}/tui/metrics/metrics.def").scan(/^FAMILY\(\w+, "(\w+)", (\w+)/)
    all.filter_map { |name, kind| "rperf_top_#{name}#{"_total" if kind == "COUNTER"}" if type.nil? || kind == type }
  end

  def test_what_is_shipped_knows_the_names
    names = families
    series = names + families("HISTOGRAM").flat_map { |name| %w[bucket sum count].map { |part| "#{name}_#{part}" } }
    assert_operator names.size, :>, 25
    %w[rperf-top.rules.yml rperf-top.dashboard.json].each do |name|
      text = File.read("#{ROOT}/man/metrics/#{name}")
      used = text.scan(/rperf_top_[a-z_]+/).uniq
      assert_operator used.size, :>, 5, name
      assert_empty used - series - %w[rperf_top_], name
    end
    JSON.parse(File.read("#{ROOT}/man/metrics/rperf-top.dashboard.json")).fetch("panels").each { |panel| assert panel.fetch("targets").all? { |target| target.fetch("expr") } }
    page = File.read("#{ROOT}/man/rperf-top-metrics.5")
    names.each { |name| assert_equal 1, page.scan(/^\.It (?:Cm|Li) #{name}\b/).size, name }
    assert_empty page.scan(/rperf_top_[a-z_]+/).uniq - series
  end

  def test_rules
    promtool = Prometheus.program("promtool") or skip "Debian's prometheus is not here"
    said, status = Open3.capture2e(promtool, "check", "rules", "#{ROOT}/man/metrics/rperf-top.rules.yml")
    assert status.success?, said
    said, status = Open3.capture2e(promtool, "test", "rules", "#{ROOT}/tests/e2e/fleet/metrics.rules.test.yml")
    assert status.success?, said
  end
end
