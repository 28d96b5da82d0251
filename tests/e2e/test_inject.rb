# The extension loaded into programs that run without it: they go on as if nothing had been, and can be watched.
# INJECT_TIMES=100 tries each kind of program that often.
require_relative "support"

class TestInject < Minitest::Test
  include E2E

  TIMES = Integer(ENV.fetch("INJECT_TIMES", "1"))
  # What a process may be in when gdb comes. Each counts to the end, whatever happens to it.
  PROGRAMS_OF = {
    "allocates" => "count.times { |i| sum += (('x' * (i % 50_000)) + 'y').size - i % 50_000 - 1 + i }",
    "collects" => "count.times { |i| sum += i; GC.start(full_mark: i.even?) if i % 200 == 0; [i.to_s] * 10 }",
    "makes_threads" => "count.times { |i| sum += i; Thread.new { [i] * 3 }.join if i % 20 == 0 }",
    "forks" => "count.times { |i| sum += i; Process.wait(fork { exit!(0) }) if i % 500 == 0 }",
    "opens_libraries" => "names = %w[digest zlib socket etc]; count.times { |i| sum += i; require names[i % 4]; File.stat('/') }",
    "waits" => "count.times { |i| sum += i; sleep 0.001 if i % 20 == 0 }",
  }.freeze

  def setup
    skip "there is no gdb here" unless system("command -v gdb > /dev/null")
    @folder = Dir.mktmpdir("rperf-top-inject.", File.writable?("/dev/shm") ? "/dev/shm" : nil)
    @env = { "RPERF_TOP_DIR" => @folder, "TMPDIR" => @folder }
  end

  def teardown = @folder && FileUtils.rm_rf(@folder)

  # Works until it is told to stop, adds up and says whether that is right.
  def program(body)
    <<~RUBY
      $stdout.sync = true
      rounds = sum = 0
      count = 2000
      puts "ready"
      asked = Thread.new { $stdin.read }
      while asked.alive?
        #{body}
        rounds += 1
      end
      puts sum == rounds * (count * (count - 1) / 2)
    RUBY
  end

  def started(code)
    Open3.popen3(@env, RbConfig.ruby, "-e", code) do |input, output, errors, thread|
      assert_equal "ready\n", output.gets
      yield thread.pid
      input.close
      assert_equal "true\n", output.read
      assert_empty errors.read
      assert thread.value.success?, thread.value.to_s
    ensure
      Process.kill(:KILL, thread.pid) if thread.alive?
    end
  end

  def inject(pid, *options) = viewer("-b", "-n", "1", "-d", "0.2", "--inject", "-p", pid.to_s, *options, env: @env)

  PROGRAMS_OF.each do |name, body|
    define_method("test_a_program_that_#{name}") do
      TIMES.times do
        started(program(body)) do |pid|
          result = inject(pid)
          # What is never at rest while gdb looks is left alone, and says so.
          result = inject(pid) while !result.status.success? && result.err.include?("each time that it was looked at")
          skip result.err if result.err.match?(/not permitted|ptrace/i)
          assert result.status.success?, result.err
          assert_includes result.out, pid.to_s
        end
      end
    end
  end

  def test_a_second_time_does_nothing
    started(program(PROGRAMS_OF.fetch("waits"))) do |pid|
      skip "gdb may not look" if inject(pid).err.match?(/not permitted|ptrace/i)
      without = { "PATH" => "/nonexistent" }
      assert viewer("-b", "-n", "1", "--inject", "-p", pid.to_s, env: @env.merge(without)).status.success?
    end
  end

  def test_what_is_left_alone
    pid = spawn("sleep", "60")
    assert_match(/nothing was done to process #{pid}: it has no Ruby loaded/, inject(pid).err)
    assert_match(/nothing was done to process 4194303: there is none/, inject(4_194_303).err)
    assert_match(/--inject needs -p PID/, viewer("--inject", "-b", "--", "true").err)
  ensure
    Process.kill(:KILL, pid)
    Process.wait(pid)
  end

  def test_of_another_user
    skip "needs root" unless Process.uid.zero?
    pid = spawn("sleep", "60", "uid" => 65_534) rescue pid = fork { Process::Sys.setuid(65_534); exec("sleep", "60") }
    wait_until("another user") { File.stat("/proc/#{pid}").uid == 65_534 }
    result = inject(pid)
    refute result.status.success?
    assert_match(/it belongs to user 65534; --yes allows that/, result.err)
    assert_match(/it has no Ruby loaded/, inject(pid, "--yes").err)
  ensure
    Process.kill(:KILL, pid) if pid
    Process.wait(pid) if pid
  end
end
