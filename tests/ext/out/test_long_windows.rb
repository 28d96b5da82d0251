# While all threads sleep and nobody watches, a window lasts up to a second, and nothing is lost by that.
# Waits nearly all of the time
require_relative "../support"

class LongWindowsTest < Minitest::Test
  include Support

  LONG_NS = 500_000_000
  SLEEPERS = <<~'RUBY'
    $stdout.sync = true
    def work = (to = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) + 0.3; nil while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < to)
    20.times { |i| Thread.new { Thread.current.name = "sleeper #{i}"; sleep } }
    puts :ready
    gets
    work
    puts :done
    gets
  RUBY

  def length(window) = window["end_ns"] - window["start_ns"]

  def asleep(env = {})
    program = start(SLEEPERS, env: { "RPERF_TOP_KEEP" => "1", "RPERF_TOP_SIZE" => "32", **env })
    program.line
    [program, long_windows(program)]
  end

  def long_windows(program)
    program.dump_until("long windows") { |dump| dump.windows.last(2).size == 2 && dump.windows.last(2).all? { |window| length(window) > LONG_NS } }
  end

  # Every thread has one cell, which takes the window; the windows follow one another.
  def test_time_of_sleeping_threads_is_whole
    program, dump = asleep
    dump.windows.each_cons(2) { |before, after| assert_equal before["end_ns"], after["start_ns"] }
    window = dump.windows.last
    assert_equal 21, window["threads"].size
    assert_equal [], window["late"]
    sleepers = dump.threads.values.select { |thread| thread.name.start_with?("sleeper") }
    assert_equal 20, sleepers.size
    sleepers.each do |thread|
      cells = window["cells"].select { |cell| cell.thread == thread.serial && cell.wall.positive? }
      assert_equal [["blocked", length(window), "Kernel#sleep"]], cells.map { |cell| [cell.state, cell.wall, dump.leaf(cell.node)] }
    end
    program.finish
  end

  # A thread that wakes up ends the long window: what it does is in usual ones.
  def test_work_ends_them
    program, = asleep
    program.puts
    program.line
    dump = program.dump_until("the work") { |now| now.windows.last(2).all? { |window| length(window) > LONG_NS } && now.total(on_stack: "Object#work").positive? }
    working = dump.windows.select { |window| window["cells"].any? { |cell| cell.state == "running" && dump.stack(cell.node).include?("Object#work") } }
    refute_empty working
    assert working.any? { |window| length(window) < LONG_NS }, working.map { |window| length(window) }.inspect
    program.finish
    assert_whole dump
  end

  def assert_whole(dump)
    dump.threads.each_value do |thread|
      lived = dump.windows.last["end_ns"] - [thread.start, dump.start_ns].max
      assert_in_delta lived, dump.total(thread: thread.serial), 1_000_000, thread.name
    end
  end

  # Who watches gets usual windows; when he has gone they become long again.
  def test_a_viewer_ends_them
    program, = asleep
    2.times do
      dump = program.dump("--watch", "100", "--until-windows", "6")
      assert_operator dump.windows.last(5).map { |window| length(window) }.min, :<, LONG_NS
      long_windows(program)
    end
    program.finish
  end

  def test_a_program_that_ends_tells_all
    program, = asleep
    program.finish
    dump = program.dump
    assert_equal "ended", dump["state"]
    assert_whole dump
  end
end
