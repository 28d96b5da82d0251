# RperfTop.mark: named instants, in the window of their time or the one after, bounded and counted.
# Waits nearly all of the time
require_relative "../support"

class MarksTest < Minitest::Test
  include Support

  def marks(dump) = dump.windows.flat_map { |window| window["marks"] }

  def test_a_mark_has_its_time_and_name
    dump, program = history(<<~'RUBY')
      window_over
      before = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      p RperfTop.mark("deploy 3f2a1")
      after = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      RperfTop.mark(:symbol)
      RperfTop.mark(42)
      puts before, after
      window_over
    RUBY
    answer, before, after = program.out.lines.map(&:chomp)
    assert_equal "nil", answer
    assert_equal ["deploy 3f2a1", "symbol", "42"], marks(dump).map(&:last)
    assert_includes Integer(before)..Integer(after), marks(dump).first.first
    window = dump.windows.find { |candidate| candidate["marks"].any? }
    assert_operator window["start_ns"], :<=, marks(dump).first.first
    assert_equal 0, dump.counters["marks_overflowed"]
  end

  def test_marks_of_threads_and_ractors
    dump, = history(<<~'RUBY')
      $VERBOSE = nil
      threads = 4.times.map { |i| Thread.new { 5.times { |k| RperfTop.mark("thread #{i} #{k}") } } }
      ractors = 2.times.map { |i| Ractor.new(i) { |n| 5.times { |k| RperfTop.mark("ractor #{n} #{k}") } } }
      threads.each(&:join)
      ractors.each(&:value)
      window_over
    RUBY
    expected = 4.times.flat_map { |i| 5.times.map { |k| "thread #{i} #{k}" } } +
               2.times.flat_map { |i| 5.times.map { |k| "ractor #{i} #{k}" } }
    assert_equal expected.sort, marks(dump).map(&:last).sort
  end

  def test_names_are_bounded_and_any_bytes
    dump, = history(<<~'RUBY')
      RperfTop.mark("")
      RperfTop.mark("x" * 100_000)
      RperfTop.mark("a" + "\u20ac" * 100)
      RperfTop.mark("ab\xFFcd")
      RperfTop.mark("gr\u00fcn".encode("UTF-16LE"))
      RperfTop.mark(nil)
      begin
        RperfTop.mark(BasicObject.new)
      rescue TypeError, NoMethodError
        RperfTop.mark("refused")
      end
      window_over
    RUBY
    names = marks(dump).map(&:last)
    assert_equal ["", "x" * 120, "a" + "\u20ac" * 39], names.first(3)
    assert_equal ["gr\u00fcn", "", "refused"], names[4..]
    assert_equal({ "hex" => "ab\xFFcd".b.unpack1("H*") }, names[3])
  end

  def test_a_flood_is_counted
    dump, = history("window_over; 5000.times { |i| RperfTop.mark(\"flood\") }; window_over; RperfTop.mark(\"after\"); window_over")
    assert_equal 5001, marks(dump).size + dump.counters["marks_overflowed"]
    assert_includes marks(dump).map(&:last), "after"
    assert_operator dump.counters["marks_overflowed"], :>, 0
  end

  # New names for ever: the strings that methods need stay free, and what has no name left is counted.
  def test_new_names_for_ever
    dump, = history(<<~'RUBY', env: { "RPERF_TOP_SIZE" => "1" })
      25.times { |round| 200.times { |i| RperfTop.mark("name #{round} #{i} #{"-" * 90}") }; window_over }
      def late_comer = 200_000.times { |i| i.to_s }
      late_comer
      window_over
    RUBY
    strings = dump["geometry"]["sections"]["1"]
    assert_operator dump.counters["string_bytes"], :<, strings
    assert_operator dump.counters["marks_overflowed"], :>, 0
    assert_includes marks(dump).map(&:last), "(other marks)"
    assert_includes dump.labels, "Object#late_comer"
  end

  def test_without_a_recorder
    env = { "RPERF_TOP" => "0" }
    assert_equal "nil\n", run_program("p RperfTop.mark('x')", env: env).out
    dump, = history("RperfTop.mark('before'); RperfTop.start; RperfTop.mark('after'); window_over", env: env)
    assert_equal %w[after], marks(dump).map(&:last)
  end

  def test_marks_after_a_fork_are_the_childs_own
    program = start(<<~'RUBY')
      $stdout.sync = true
      RperfTop.mark("parent")
      pid = fork do
        100.times { |i| i.to_s }
        sleep 0.01 until RperfTop.running?
        window_over
        RperfTop.mark("child")
        puts "marked"
        sleep 30
      end
      puts pid
      gets
      Process.kill(:KILL, pid)
      Process.wait(pid)
    RUBY
    pid = Integer(program.line)
    program.line
    child = wait_for("the mark of the child") do
      dump = Dump.read(program.channel(pid))
      dump if dump && marks(dump).any?
    end
    assert_equal %w[child], marks(child).map(&:last)
    program.finish
  end
end
