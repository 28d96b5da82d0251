# The recorder off and nobody watching: no windows, no wake-ups, no hooks.
# Waits nearly all of the time
require_relative "support"

class ParkedTest < Minitest::Test
  include Support

  PARKED = { "RPERF_TOP_RECORD_HZ" => "0" }.freeze
  BUSY = "$stdout.sync = true\ndef busy = 200.times { |i| i.to_s }\n" \
         "Thread.new { Thread.current.name = 'busy'; loop { busy; sleep 0.0005 } }\nputs :ready\ngets\n"

  # Asleep for good: its state does not change over many windows' time of a busy program.
  def parked(program)
    wait_for("the publisher to park") do
      before = program.publisher_status("voluntary_ctxt_switches")
      IO.select(nil, nil, nil, 0.35)
      before && before == program.publisher_status("voluntary_ctxt_switches")
    end
  end

  def test_no_windows_and_no_wake_ups
    program = start(BUSY, env: PARKED)
    program.line
    parked(program)
    before = %w[voluntary_ctxt_switches nonvoluntary_ctxt_switches].map { |key| program.publisher_status(key) }
    newest = program.dump["newest"]
    # Long enough for ten windows, measured by the program's own life.
    wait_for("time to pass") { Dump.read(program.channel)["state"] && (@ticks = (@ticks || 0) + 1) > 60 }
    assert_equal before, %w[voluntary_ctxt_switches nonvoluntary_ctxt_switches].map { |key| program.publisher_status(key) }
    assert_equal newest, program.dump["newest"]
    program.finish
  end

  def test_nothing_is_published_before_the_first_watcher
    program = start(BUSY, env: PARKED)
    program.line
    parked(program)
    assert_equal 0, program.dump["newest"]
    program.finish
  end

  def test_a_watcher_wakes_it_and_it_parks_again
    program = start(BUSY, env: PARKED)
    program.line
    parked(program)
    3.times do
      dump = program.dump("--watch", "1000", "--until-windows", "5")
      last = dump.windows.last(4)
      assert_equal [1000], last.map { |window| window["counters"]["rate_wanted_hz"] }.uniq
      assert dump.thread("busy"), dump.threads.inspect
      assert_includes dump.labels, "Object#busy"
      assert_operator last.sum { |window| window["counters"]["samples"] }, :>, 0
      parked(program)
    end
    program.finish
  end

  PASSING = "$stdout.sync = true\n4.times { Thread.new { loop { 20.times { |i| i.to_s }; Thread.pass } } }\nputs :ready\ngets\n"

  # The end of the first window after the recorder slept is announced like that of any other: threads that pass it
  # before the publisher comes are told apart there.
  def test_the_first_window_holds_no_more_than_its_length
    program = start(PASSING, env: PARKED)
    program.line
    parked(program)
    window = program.dump("--watch", "100", "--until-windows", "3").told.first
    assert_equal 1, window["sequence"]
    length = window["end_ns"] - window["start_ns"]
    times = window["cells"].group_by { |cell| cell[1] }.transform_values { |cells| cells.sum { |cell| cell[4] } }
    assert_operator times.size, :>=, 4
    times.each { |thread, time| assert_operator time, :<=, length, "thread #{thread}" }
    program.finish
  end

  # Each watch must give back the slots it took: threads that are listed no more have ended.
  def test_watching_again_and_again_leaves_no_living_threads_behind
    program = start(BUSY, env: PARKED)
    program.line
    parked(program)
    dump = nil
    3.times do
      dump = program.dump("--watch", "1000", "--until-windows", "4")
      parked(program)
    end
    listed = dump.windows.last["threads"].map { |row| row["serial"] }
    assert_equal listed.sort, dump.threads.values.reject(&:ended).map(&:serial).sort
    program.finish
  end

  def test_blocked_threads_are_not_shown_as_running
    program = start("$stdout.sync = true\nputs :ready\ngets\n200_000.times { |i| i.to_s }\nputs :again\ngets\nputs :over\ngets", env: PARKED)
    program.line
    parked(program)
    reader = Thread.new { program.dump("--watch", "1000", "--until-windows", "8") }
    program.puts
    program.line
    reader.value
    parked(program)
    dump = program.dump("--watch", "1000", "--until-windows", "4")
    rows = dump.windows.last["threads"]
    # Nothing is known of threads before Ruby code runs: better none than one that is said to run.
    assert_empty rows.map { |row| row["state"] } - %w[blocked]
    program.finish
  end

  def test_ends_cleanly_while_parked
    program = start(BUSY, env: PARKED)
    program.line
    parked(program)
    program.finish
    assert program.status.success?
    assert_empty channels
  end

  def test_viewers_that_die_do_not_keep_it_awake
    program = start(BUSY, env: PARKED)
    program.line
    viewer = Process.spawn(Dump::TOOL, program.channel, "--watch", "1000", "--seconds", "60", out: File::NULL)
    program.dump_until("windows") { |dump| dump["newest"] > 3 }
    Process.kill(:KILL, viewer)
    Process.wait(viewer)
    parked(program)
    program.finish
  end
end
