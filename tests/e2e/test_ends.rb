# A process that ends, is killed, or leaves only its ring.
require_relative "support"
require_relative "tmux"

class TestEnds < Minitest::Test
  include E2E

  def test_status_of_the_command_is_passed_on
    result = viewer("-b", "--", RbConfig.ruby, QUICK, "-e", "exit 7")
    assert_equal 7, result.status.exitstatus
    result = viewer("-o", "#{Dir.tmpdir}/rperf-top-test-#{$$}.collapsed", "--", RbConfig.ruby, QUICK, "-e", "exit 5")
    assert_equal 5, result.status.exitstatus
  ensure
    File.unlink("#{Dir.tmpdir}/rperf-top-test-#{$$}.collapsed") rescue nil
  end

  # What is in RUBYLIB already may begin like the folder of the extension, and is not that.
  def test_a_folder_in_rubylib_that_begins_alike
    result = viewer("-b", "-J", "-n", "1", "--", RbConfig.ruby, QUICK, "-e", "sleep 1.5", env: { "RUBYLIB" => "#{BUILD}-old" })
    assert_predicate result.status, :success?, result.err
    assert_equal 1, result.objects.size
  end

  def test_a_killed_process_is_dead_and_can_be_read
    running("#{PROGRAMS}/fib.rb") do |pid|
      reader, writer = IO.pipe
      watcher = spawn(VIEWER, "-b", "-J", "-p", pid.to_s, out: writer, err: File::NULL)
      writer.close
      assert_equal "live", JSON.parse(reader.gets)["state"]
      Process.kill(:KILL, pid)
      Process.wait(pid)
      states = reader.each_line.map { |line| JSON.parse(line)["state"] }
      assert_equal "dead", states.last
      Process.wait(watcher)
      assert_predicate $?, :success?

      again = viewer("-b", "-J", "-n", "1", "-p", pid.to_s)
      object = again.objects.last
      assert_equal "dead", object["state"]
      assert_operator method_named(object, "Object#fib")["self"], :>, 0.3
      assert_match(/^\s*#{pid} +#{Etc.getpwuid.name} +dead\b/, viewer("--list").out)
    end
  end

  # Where no other user can look; found by a viewer that has the same directory, or that asks by number.
  def test_in_the_runtime_directory
    Dir.mktmpdir do |dir|
      env = { "XDG_RUNTIME_DIR" => dir }
      running("#{PROGRAMS}/fib.rb", env: env) do |pid|
        assert_equal 0o700, File.stat("#{dir}/rperf-top").mode & 0o777
        assert_match(/^\s*#{pid} +\S+ +live\b/, viewer("--list", env: env).out)
        [env, { "XDG_RUNTIME_DIR" => nil }].each do |one|
          result = viewer("-b", "-J", "-n", "1", "-p", pid.to_s, env: one)
          assert_predicate result.status, :success?, result.err
          assert_equal "live", result.objects.last["state"]
        end
      end
    end
  end

  # Whatever was being written at that moment: what is left must be readable.
  def test_kill_at_any_moment
    30.times do |round|
      running("#{PROGRAMS}/mixed.rb") do |pid|
        sleep(rand * 0.25)
        Process.kill(:KILL, pid)
        Process.wait(pid)
        result = viewer("-b", "-J", "-n", "1", "-F", "all", "-p", pid.to_s)
        next if result.err.include?("no window")   # killed before its first one
        assert_predicate result.status, :success?, "round #{round}: #{result.err}"
        assert_equal "dead", result.objects.last["state"]
      end
    end
  end

  def test_a_process_that_ends_by_itself
    running("-e", "sleep 1.5", signal: :TERM) do |pid|
      result = viewer("-b", "-J", "-p", pid.to_s)
      assert_predicate result.status, :success?
      assert_equal "ended", result.objects.last["state"]
    end
  end

  # As Ruby ends it, and known when nobody but the channel, or a recording, can tell any more.
  ENDS = {
    "nil" => ["closed", "ended by itself"],
    "exit 3" => ["exit", "exit status 3"],
    "exit true" => ["closed", "ended by itself"],
    "Thread.new { exit 4 }.join; sleep" => ["exit", "exit status 4"],
    "abort 'no more'" => ["exit", "exit status 1"],
    "raise 'uncaught'" => ["exit", "exit status 1"],
    "at_exit { exit 5 }" => ["exit", "exit status 5"],
    "trap(:TERM) { exit 6 }; Process.kill(:TERM, $$); sleep" => ["exit", "exit status 6"],
    "Process.kill(:TERM, $$); sleep" => ["signal", "killed by signal 15"],
    "Process.kill(:INT, $$); sleep" => ["signal", "killed by signal 2"],
    "Process.wait(fork { exit 7 }); exit 8" => ["exit", "exit status 8"],
  }.freeze

  def test_how_a_process_said_that_it_ends
    ENDS.each do |program, (cause, text)|
      running("-e", "sleep 0.3; $stderr.reopen(File::NULL); #{program}", env: { "RPERF_TOP_KEEP" => "1" }) do |pid|
        Process.wait(pid)
        told = viewer("-b", "-J", "-n", "1", "-p", pid.to_s).objects.last["end"]
        assert_equal [cause, text], told.values_at("cause", "text"), program
      end
    end
  end

  # Of a command that we started its status is known, whatever it told: exit! runs no handlers.
  COMMANDS = {
    "exit! 0" => ["exit", "exit status 0"],
    "exit! 3" => ["exit", "exit status 3"],
    "Process.kill(:KILL, $$); sleep" => ["signal", "killed by signal 9"],
  }.freeze

  # What became a daemon is followed. Whether it lived long enough to be seen decides whose end is told last; both ended well.
  def test_how_a_daemon_ended
    told = viewer("-b", "-J", "--", RbConfig.ruby, QUICK, "-e", "sleep 0.6; Process.daemon(true, true)").objects.last["end"]
    assert_includes [["exit", "exit status 0"], ["closed", "ended by itself"]], told.values_at("cause", "text")
  end

  def test_how_a_command_ended_that_did_not_say_so
    COMMANDS.each do |program, (cause, text)|
      told = viewer("-b", "-J", "--", RbConfig.ruby, QUICK, "-e", "sleep 0.6; #{program}").objects.last["end"]
      assert_equal [cause, text], told.values_at("cause", "text"), program
    end
  end

  # As of `ruby ... | head`.
  def test_nobody_reads_its_output
    read, write = IO.pipe
    running("-e", "sleep 0.5; puts 1 while $stdout.sync = true", env: { "RPERF_TOP_KEEP" => "1" }, out: write, err: File::NULL) do |pid|
      [read, write].each(&:close)
      Process.wait(pid)
      assert_equal Signal.list["PIPE"], $?.termsig
      told = viewer("-b", "-J", "-n", "1", "-p", pid.to_s).objects.last["end"]
      assert_equal ["signal", "killed by signal 13"], told.values_at("cause", "text")
    end
  end

  # A handler older than the extension's runs after it: until the process is gone, the screen asks again.
  def test_a_handler_that_runs_later
    skip "tmux is not installed" unless Tmux.there?
    Dir.mktmpdir do |dir|
      File.write("#{dir}/late.rb", "at_exit { sleep 0.05 until File.exist?('#{dir}/go'); exit 4 }")
      running("-e", "gets; exit 3", env: { "RUBYOPT" => "-r#{dir}/late.rb -rrperf_top" }, in: (read, write = IO.pipe)[0]) do |pid|
        screen = Tmux.new(100, 24, [VIEWER, "-p", pid.to_s], env: ENV.slice("RPERF_TOP_DIR"))
        screen.wait_for(/LIVE/)
        write.close
        screen.wait_for(/exit status 3/)
        sleep 0.6 # by then a viewer that does not know that the process is still there has asked for the last time
        File.write("#{dir}/go", "")
        screen.wait_for(/exit status 4/)
      ensure
        screen&.close
        read.close
      end
    end
  end

  def test_how_a_recorded_process_ended
    Dir.mktmpdir do |dir|
      { "exit 3" => ["exit", "exit status 3"], "Process.kill(:KILL, $$); sleep" => ["signal", "killed by signal 9"] }.each do |program, how|
        # Its parent does not ask before; a viewer that comes late finds its channel still there.
        running("-e", "sleep 1; #{program}", env: { "RPERF_TOP_KEEP" => "1" }) do |pid|
          viewer("-o", "#{dir}/x.rpt", "-p", pid.to_s)
          told = viewer("-b", "-J", "-n", "1", "-r", "#{dir}/x.rpt").objects.last["end"]
          assert_equal how, told.values_at("cause", "text"), program
        end
      end
    end
  end

  def test_exports
    Dir.mktmpdir do |dir|
      collapsed, text = "#{dir}/out.collapsed", "#{dir}/out.txt"
      assert_predicate viewer("-o", collapsed, "--", RbConfig.ruby, QUICK, "#{PROGRAMS}/fib.rb", "2").status, :success?
      lines = File.readlines(collapsed, chomp: true)
      weight = lines.sum { |line| line[/ (\d+)\z/, 1].to_i }
      fib = lines.select { |line| line =~ /Object#fib \d+\z/ }.sum { |line| line[/ (\d+)\z/, 1].to_i }
      assert_operator fib, :>, weight * 0.8
      running("#{PROGRAMS}/fib.rb") do |pid|
        assert_predicate viewer("-o", text, "-t", "1", "-p", pid.to_s).status, :success?
      end
      assert_match(/Object#fib/, File.read(text))
    end
  end
end
