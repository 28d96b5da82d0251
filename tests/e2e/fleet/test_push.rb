# --push against a server that decodes what it gets: sums are those of the program, whatever the server does.
# Waits nearly all of the time
require_relative "push"

class TestPush < Minitest::Test
  include E2E

  # Computes under two labels and sleeps, for a time of its own measure; the second argument: forks one like itself. RESTS:
  # it sleeps where it would compute.
  PROGRAM = <<~'RUBY'
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    def compute(seconds) = ENV["RESTS"] ? sleep(seconds) : (finish = now + seconds; i = 0; i += 1 while now < finish; i)
    def alpha = compute(0.3)
    def beta = compute(0.15)
    truth = Hash.new(0.0)
    began = now
    fork if ARGV[1]
    seconds = (ARGV[0] || ENV["SECONDS"]).to_f
    measure = ->(name, &work) { start = now; work.call; truth[name] += now - start }
    while now - began < seconds
      measure.("a") { RperfTop.label(endpoint: "a", app: "x,y{}\u00e4") { alpha } }
      measure.("b") { RperfTop.label(endpoint: "b") { beta } }
      measure.("sleep") { sleep 0.05 }
    end
    Process.waitall
    truth["life"] = now - began
    puts "#{Process.pid} #{truth.map { |name, time| "#{name}=#{time}" }.join(" ")}"
  RUBY

  def in_folder
    Dir.mktmpdir("rperf-top-push.", File.writable?("/dev/shm") ? "/dev/shm" : nil) do |folder|
      File.write("#{folder}/program.rb", PROGRAM)
      yield folder, { "RPERF_TOP_DIR" => folder, "TMPDIR" => folder }
    end
  end

  def serving(port: 0, answer: nil)
    server = ProfileServer.new(port: port, &answer)
    yield server
  ensure
    server&.close
  end

  # Two kinds of servers: [URL, name of the kind].
  def each_kind = { "pyroscope" => "/ingest", "otlp" => "/v1development/profiles" }.each { |kind, path| yield kind, path }

  # { pid => { "a" => seconds, … } } of what programs print.
  def truths(text)
    text.lines.to_h { |line| line.split.then { |pid, *times| [pid.to_i, times.to_h { |pair| pair.split("=").then { |name, time| [name, time.to_f] } }] } }
  end

  # Of a program that computes where its sums are looked at.
  def push(url, *options, env:, seconds:, more: [], computes: false)
    viewer("--push", url, "--interval", "0.5", "--hz", "1000", *options, "--", RbConfig.ruby, QUICK, "#{env["TMPDIR"]}/program.rb",
           seconds.to_s, *more, env: { "RESTS" => computes ? nil : "1" }.merge(env))
  end

  def assert_truth(truth, profiles, pid)
    sums = profiles.select { |profile| profile.pid == pid }
    total = sums.sum { |profile| profile.sum("wall") }
    assert_in_delta truth.fetch("life"), total, 0.35, "all of its life"
    # On a busy machine more of it: it was sent before its stack was known, and has no labels.
    unknown = sums.sum { |profile| profile.sum("wall", leaf: "(not sampled)") }
    assert_operator unknown, :<, total / 2
    %w[a b].each do |name|
      wall = sums.sum { |profile| profile.sum("wall", label: { "endpoint" => name }) }
      assert_operator wall, :<, 0.15 + truth[name] * 1.15, "label #{name}"
      assert_operator wall + unknown, :>, truth[name] * 0.85 - 0.15, "label #{name}"
    end
    assert_in_delta truth["a"], sums.sum { |profile| profile.sum("wall", within: "Object#alpha") }, 0.15 + truth["a"] * 0.15 + unknown
    assert_operator sums.sum { |profile| profile.sum("samples") }, :>, 100
  end

  def test_sums_and_labels_are_those_of_the_program
    each_kind do |kind, path|
      in_folder do |_, env|
        serving do |server|
          result = push("http://127.0.0.1:#{server.port}#{path}", "--push-name", "shop/web", env: env, seconds: 2.4, computes: true)
          assert_equal 0, result.status.exitstatus, result.err
          (pid, truth), = truths(result.out).to_a
          profiles = server.profiles
          assert_operator profiles.size, :>=, 2, kind # on a busy machine an interval takes longer
          assert_equal [["shop/web", pid]], profiles.map { |profile| [profile.service, profile.pid] }.uniq
          assert_match(/rperf-top: #{profiles.size} of #{profiles.size} profiles were sent$/, result.err)
          assert_truth(truth, profiles, pid)
          apps = profiles.flat_map { |profile| profile.samples.map { |_, _, labels| labels["app"] } }.uniq
          assert_equal [nil, "x,y{}\u00e4"].to_set, apps.to_set
          profiles.sort_by(&:from).each_cons(2) { |one, other| assert_in_delta one.from + one.seconds, other.from, 0.15, "one after the other" }
        end
      end
    end
  end

  def test_usual_paths
    in_folder do |_, env|
      %w[pyroscope otlp].zip(["/ingest?", "/v1development/profiles "]) do |kind, path|
        serving do |server|
          result = push("http://127.0.0.1:#{server.port}", "--push-as", kind, env: env, seconds: 0.3)
          assert result.status.success?, result.err
          refute_empty server.profiles
          assert_includes server.instance_variable_get(:@kept).first.first["line"], "POST #{path}"
        end
      end
    end
  end

  def test_a_tree_of_processes
    in_folder do |_, env|
      serving do |server|
        result = push("http://127.0.0.1:#{server.port}/ingest", env: env.merge("SECONDS" => "1.5"), seconds: 1.5, more: ["fork"])
        truth = truths(result.out)
        assert_equal 2, truth.size, result.out + result.err
        profiles = server.profiles
        assert_equal truth.keys.to_set, profiles.map(&:pid).to_set
        truth.each_key { |pid| assert_operator profiles.select { |profile| profile.pid == pid }.sum { |profile| profile.sum("wall") }, :>, 1 }
      end
    end
  end

  # The server is gone for a while, and another one comes in its place.
  def test_a_server_that_is_restarted
    in_folder do |_, env|
      first = ProfileServer.new
      out = Tempfile.new("out")
      pusher = spawn(env, VIEWER, "--push", "http://127.0.0.1:#{first.port}/ingest", "--interval", "0.5", "--hz", "1000", "--",
                     RbConfig.ruby, QUICK, "#{env["TMPDIR"]}/program.rb", "4", in: File::NULL, out: out.path, err: "#{env["TMPDIR"]}/err")
      wait_until("a profile") { !first.requests.empty? }
      first.close
      wait_until("trouble") { File.read("#{env["TMPDIR"]}/err").include?("cannot send") }
      serving(port: first.port) do |second|
        assert_equal 0, Process.wait2(pusher).last.exitstatus, File.read("#{env["TMPDIR"]}/err")
        said = File.read("#{env["TMPDIR"]}/err")
        assert_equal 1, said.scan(/cannot send profiles to/).size, said
        assert_equal 1, said.scan(/profiles are sent again/).size, said
        (pid, truth), = truths(File.read(out.path)).to_a
        assert_truth(truth, first.profiles + second.profiles, pid)
        assert_match(/: (\d+) of \1 profiles were sent$/, said)
      end
    end
  end

  def test_what_cannot_be_sent_is_counted
    in_folder do |_, env|
      port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
      result = push("http://127.0.0.1:#{port}/ingest", env: env, seconds: 2.2)
      assert_equal 1, result.status.exitstatus
      assert_match(/cannot send profiles to http:/, result.err)
      sent, all, dropped = result.err.match(/: (\d+) of (\d+) profiles were sent, (\d+) dropped$/).captures.map(&:to_i)
      assert_equal [0, all], [sent, dropped]
      assert_operator all, :>=, 2
    end
  end

  def sleeping(env)
    pid = spawn({ "RUBYLIB" => BUILD, "RUBYOPT" => "-rrperf_top" }.merge(env), RbConfig.ruby, QUICK, "-e", "loop { sleep 0.05; 2000.times(&:to_s) }", out: File::NULL)
    wait_until("a channel") { Dir["#{env["RPERF_TOP_DIR"]}/rperf-top.*.#{pid}.*"].any? }
    yield pid
  ensure
    Process.kill(:KILL, pid)
    Process.wait(pid)
  end

  # Until the bound, and no longer, whatever the server does meanwhile.
  def test_signals_end_it
    in_folder do |_, env|
      sleeping(env) do |pid|
        serving(answer: ->(*) { Thread.stop }) do |server|
          %i[TERM INT HUP].each do |signal|
            threads = server.instance_variable_get(:@threads)
            before = threads.size
            pusher = Pusher.new("http://127.0.0.1:#{server.port}/ingest", "--interval", "0.5", "-p", pid.to_s, env: env)
            wait_until("a request") { threads.size > before }
            started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
            Process.kill(signal, pusher.pid)
            Process.kill(signal, pusher.pid) if signal != :TERM && wait_until("the last try") { Process.clock_gettime(Process::CLOCK_MONOTONIC) - started > 0.5 }
            assert_equal 128 + Signal.list[signal.to_s], pusher.wait.then { |status| status.exitstatus || 128 + status.termsig }, pusher.said
            assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - started, :<, 9
            assert_match(/0 of \d+ profiles were sent, \d+ dropped/, pusher.said) if signal == :TERM
          end
        end
        serving do |server|
          pusher = Pusher.new("http://127.0.0.1:#{server.port}/ingest", "--interval", "60", "-p", "all", env: env)
          wait_until("the watching") { File.read("/proc/#{pusher.pid}/maps").include?(".#{pid}.") }
          wait_until("windows") { Process.clock_gettime(Process::CLOCK_MONOTONIC).then { |now| (@from ||= now) && now - @from > 1 } }
          assert_equal 143, pusher.stop.exitstatus
          assert_equal [pid], server.profiles.map(&:pid), "what there was is sent at the end"
        end
      end
    end
  end

  def test_refusals_and_pauses
    in_folder do |_, env|
      serving(answer: ->(*) { "HTTP/1.1 400 Bad Request\r\nContent-Length: 11\r\n\r\nno \e[31msir" }) do |server|
        result = push("http://127.0.0.1:#{server.port}/ingest", env: env, seconds: 0.7)
        assert_equal 1, result.status.exitstatus
        assert_equal 1, result.err.scan(/profiles are refused by .*: HTTP status 400: no \S+31msir$/).size, result.err
        assert_match(/: 0 of (\d+) profiles were sent, \1 refused$/, result.err)
        refute_includes result.err, "\e"
      end
      times, count = [], 0
      serving(answer: ->(*) { times << Process.clock_gettime(Process::CLOCK_MONOTONIC); (count += 1) == 1 ? "503 Later\r\nRetry-After: 2\r\nContent-Length: 0\r\n\r\n" : nil }) do |server|
        result = push("http://127.0.0.1:#{server.port}/ingest", env: env, seconds: 4, computes: true)
        assert result.status.success?, result.err
        assert_operator times[1] - times[0], :>, 1.9, "as it asked"
        (pid, truth), = truths(result.out).to_a
        assert_truth(truth, server.profiles, pid)
      end
    end
  end

  def test_a_redirection_is_not_followed
    in_folder do |_, env|
      serving do |other|
        serving(answer: ->(*) { "307 There\r\nLocation: http://127.0.0.1:#{other.port}/ingest\r\nContent-Length: 0\r\n\r\n" }) do |server|
          result = push("http://127.0.0.1:#{server.port}/ingest", env: env.merge("RPERF_TOP_PUSH_AUTHORIZATION" => "Bearer secret"), seconds: 0.4)
          assert_match(/refused by .*HTTP status 307/, result.err)
          assert_empty other.requests
        end
      end
    end
  end

  def test_answers_without_an_end
    in_folder do |_, env|
      serving do |server|
        server.define_singleton_method(:serve) do |socket|
          socket.readpartial(1 << 20)
          socket.write("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
          loop { socket.write("x" * 65_536) }
        end
        result = push("http://127.0.0.1:#{server.port}/ingest", env: env, seconds: 0.7)
        assert_match(/: (\d+) of \1 profiles were sent$/, result.err)
      end
      serving do |server|
        server.define_singleton_method(:serve) { |socket| loop { socket.write("X-More: #{"y" * 60_000}\r\n") } }
        result = push("http://127.0.0.1:#{server.port}/ingest", env: env, seconds: 0.7)
        assert_match(/cannot send profiles to/, result.err)
      end
    end
  end

  def test_what_an_endpoint_refuses_in_part
    in_folder do |_, env|
      partial = [0x0a, 10, 0x08, 3, 0x12, 6].pack("C*") + "t\nired"
      serving(answer: ->(*) { "200 OK\r\nContent-Length: #{partial.bytesize}\r\n\r\n#{partial}" }) do |server|
        result = push("http://127.0.0.1:#{server.port}/v1development/profiles", env: env, seconds: 0.4)
        assert_match(/profiles are refused by .*: t.ired$/, result.err)
        assert_match(/, \d+ refused$/, result.err)
      end
    end
  end

  def test_secrets
    in_folder do |folder, env|
      File.write("#{folder}/headers", "# for us\nX-Scope-OrgID: tenant\r\n\nX-Other: 1\n", perm: 0o600)
      serving do |server|
        url = "http://127.0.0.1:#{server.port}/ingest"
        result = push(url, "--push-headers", "#{folder}/headers", env: env.merge("RPERF_TOP_PUSH_AUTHORIZATION" => "Bearer secret"), seconds: 0.4)
        assert result.status.success?, result.err
        head = server.requests.pop.first
        assert_equal ["Bearer secret", "tenant", "1"], head.values_at("authorization", "x-scope-orgid", "x-other")
        server.requests.clear
        File.write("#{folder}/headers", "X-Fine: 1\nno header\n")
        result = push(url, "--push-headers", "#{folder}/headers", env: env, seconds: 0.4)
        assert_equal [1, "rperf-top: line 2 of #{folder}/headers is no header (Name: value)\n"], [result.status.exitstatus, result.err]
        result = push(url, env: env.merge("RPERF_TOP_PUSH_AUTHORIZATION" => "a\r\nX: b"), seconds: 0.4)
        assert_equal "rperf-top: RPERF_TOP_PUSH_AUTHORIZATION is no value of a header\n", result.err
        result = push(url, "--push-headers", "#{folder}/none", env: env, seconds: 0.4)
        assert_match(/cannot read .*none: No such file/, result.err)
        assert_empty server.requests
      end
      result = push("https://me:secret@example.com/ingest", env: env, seconds: 0.4)
      assert_equal 2, result.status.exitstatus
      refute_includes result.err, "secret"
    end
  end

  def test_certificates_are_verified
    require "openssl"
    key = OpenSSL::PKey::RSA.new(2048)
    certificate = OpenSSL::X509::Certificate.new
    certificate.subject = certificate.issuer = OpenSSL::X509::Name.parse("/CN=127.0.0.1")
    certificate.not_before, certificate.not_after = Time.now - 60, Time.now + 3600
    certificate.public_key, certificate.serial, certificate.version = key.public_key, 1, 2
    certificate.sign(key, "SHA256")
    context = OpenSSL::SSL::SSLContext.new
    context.cert, context.key = certificate, key
    plain = TCPServer.new("127.0.0.1", 0)
    came = Queue.new
    thread = Thread.new { loop { OpenSSL::SSL::SSLServer.new(plain, context).accept.then { |socket| came << socket.readpartial(10) } rescue nil } }
    in_folder do |_, env|
      result = push("https://127.0.0.1:#{plain.addr[1]}/ingest", env: env, seconds: 0.4)
      assert_equal 1, result.status.exitstatus
      assert_match(/cannot send profiles to .*certificate/i, result.err)
      assert_empty came
    end
  rescue LoadError
    skip "this Ruby has no openssl"
  ensure
    thread&.kill
    plain&.close
  end

  # Without the library the viewer is built all the same.
  def test_without_the_library
    made_without("CURL=no", "tui/push/push_send") do |object|
      refute_match(/curl_/, `nm #{object}`)
      assert_includes File.binread(object), "install libcurl4-gnutls-dev"
    end
  end
end
