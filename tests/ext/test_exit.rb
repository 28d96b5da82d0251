# How a program ends, and what it says, is the same with and without the extension.
require_relative "support"

class ExitTest < Minitest::Test
  include Support

  WORK = "$stdout.sync = true\nsleep 0.01 until Dir[ENV['RPERF_TOP_DIR'] + '/rperf-top.*.????????????????'].any? || !defined?(RperfTop)\n" \
         "20_000.times { |i| i.to_s }\n"

  def ends(code)
    program = assert_undisturbed(WORK + code)
    [program, channels(program.pid)]
  end

  def assert_clean(code)
    program, left = ends(code)
    assert_empty left
    assert_empty Dir["#{@folder}/*.ctl"]
    program
  end

  def test_falling_off_the_end = assert_clean("puts :end")
  def test_exit_status = assert_equal(7, assert_clean("exit 7").status.exitstatus)
  def test_abort = assert_equal(1, assert_clean("abort 'no more'").status.exitstatus)
  def test_uncaught_exception = assert_clean("raise ArgumentError, 'uncaught'")
  def test_uncaught_in_a_thread = assert_clean("Thread.abort_on_exception = true; Thread.new { raise 'there' }.join; sleep")
  def test_exit_in_a_thread = assert_equal(3, assert_clean("Thread.new { exit 3 }.join; sleep").status.exitstatus)
  def test_deadlock = assert_clean("Queue.new.pop")
  def test_two_locks = assert_clean(<<~'RUBY')
    a, b = Mutex.new, Mutex.new
    begin
      t = Thread.new { a.lock; Thread.pass until b.locked?; b.lock }
      b.lock; Thread.pass until a.locked?; a.lock
    rescue Exception => error
      puts error.class
    end
  RUBY
  def test_threads_that_are_still_running = assert_clean(<<~'RUBY')
    turns = [0, 0, 0]
    3.times { |i| Thread.new { loop { turns[i] += 1 } } }
    sleep 0.01 until turns.all? { |count| count > 100_000 }
    puts :end
  RUBY
  def test_stack_overflow = assert_clean("def deep(n) = deep(n + 1)\nbegin; deep(0); rescue SystemStackError; puts :rescued; end")

  def test_at_exit_order
    program = assert_clean("at_exit { puts :first_registered }\nat_exit { puts :last_registered; 100_000.times { Object.new } }\n" \
                           "KEPT = Object.new\n" \
                           "ObjectSpace.define_finalizer(KEPT, proc { puts :finalizer })\nputs :end\n")
    assert_equal %w[end last_registered first_registered finalizer], program.out.split
  end

  def test_exception_and_exit_in_at_exit
    assert_clean("at_exit { raise 'in at_exit' }\nat_exit { exit 9 }\n")
  end

  %w[TERM INT HUP ALRM USR1].each do |signal|
    define_method("test_signal_#{signal.downcase}") do
      program, left = ends("Process.kill(:#{signal}, Process.pid)\nsleep")
      assert_equal Signal.list[signal], program.status.termsig
      # USR1 ends a program without a handler on the spot.
      assert_empty left unless signal == "USR1"
    end
  end

  def test_traps
    program = assert_clean(<<~'RUBY')
      seen = 0
      signals = %w[USR1 USR2 PROF ALRM]
      signals.each { |name| trap(name) { seen += 1 } }
      50.times do
        signals.each { |name| before = seen; Process.kill(name, Process.pid); Thread.pass while seen == before }
      end
      puts seen
    RUBY
    assert_equal "200\n", program.out
  end

  def test_system_calls_are_not_interrupted
    program = assert_clean(<<~'RUBY')
      r, w = IO.pipe
      t = Thread.new { 200.times { sleep 0.0005; w.write("x" * 70_000) }; w.close }
      puts r.read.size
      t.join
      100.times { system("true") or abort }
    RUBY
    assert_equal "14000000\n", program.out
  end

  def test_exit_at_once_leaves_a_dead_channel_or_none
    program, left = ends("puts :end; exit!(4)")
    assert_equal 4, program.status.exitstatus
    assert_empty left.map { |path| Dump.read(path).state } - ["dead"]
  end

  def test_killed
    program = start(WORK + "puts :ready\nloop { 1000.times { |i| i.to_s } }")
    program.line
    program.dump_until("windows") { |dump| dump.windows.size >= 3 && dump.labels.include?("Integer#to_s") }
    path = program.channel
    program.kill
    dump = Dump.read(path)
    assert_equal "dead", dump.state
    assert_operator dump.windows.size, :>=, 3
    assert_includes dump.labels, "Integer#to_s"
    assert_equal program.pid, dump["geometry"]["pid"]
  end

  def test_kept_channel_has_the_whole_history
    dump, = history("def last_words = 60_000.times { |i| i.to_s }\nat_exit { puts :end }\nsleep 0.35; last_words\n")
    assert_equal "ended", dump.state
    assert_equal [0, 0], [dump["lost"], dump["corrupt"]]
    assert_equal (1..dump.windows.size).to_a, dump.windows.map { |window| window["sequence"] }
    assert_operator dump.end_ns - dump.start_ns, :>, 350_000_000
  end

  def test_the_very_short_program
    5.times { assert_undisturbed("") }
    assert_empty channels
  end
end
