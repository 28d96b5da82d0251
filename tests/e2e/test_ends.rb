# A process that ends, is killed, or leaves only its ring.
require_relative "support"

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
