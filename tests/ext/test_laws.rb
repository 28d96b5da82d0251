# The laws of accounting: every nanosecond has one owner, CPU fits into it, waiting is somebody's blame.
# Runs beside one other: how much is not sampled at 1000 Hz depends on when a busy machine lets the profiler run.
require_relative "support"
require_relative "../chance"

class LawsTest < Minitest::Test
  include Support

  SECOND = 1_000_000_000
  OWN = %w[running marking sweeping blocked].freeze

  # Computing, sleeping, reading a pipe, contending for a mutex, making garbage: each in a thread of its own.
  PROGRAM = <<~'RUBY'
    from = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)
    seconds = Float(ARGV[0])
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    go = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) - start < seconds }
    def spin(n) = n.times { |i| i * i }
    thread = ->(name, &block) { Thread.new { Thread.current.name = name; block.call while go.call } }
    reader, writer = IO.pipe
    mutex = Mutex.new
    threads = [
      thread.call("compute") { spin(2000) },
      thread.call("sleep") { sleep 0.003 },
      thread.call("write") { writer.write("x" * 512); Thread.pass },
      thread.call("lock-1") { mutex.synchronize { spin(500); sleep 0.001 } },
      thread.call("lock-2") { mutex.synchronize { spin(500); sleep 0.001 } },
      thread.call("garbage") { Array.new(3000) { |i| "s#{i}" } },
    ]
    threads << Thread.new { Thread.current.name = "read"; reader.readpartial(100) until reader.closed? rescue EOFError }
    threads[0..5].each(&:join)
    writer.close
    threads.each(&:join)
    puts from, Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)
  RUBY

  HISTORIES = Hash.new { |hash, key| hash[key] = nil }

  # One run serves several tests.
  def mixed(hz)
    HISTORIES[hz] ||= begin
      dump, program = history(PROGRAM, env: { "RPERF_TOP_RECORD_HZ" => hz.to_s, "RPERF_TOP_BUDGET" => "100" },
                                       arguments: ["2.5"])
      [dump, *program.out.split.map(&:to_i)]
    end
  end

  [100, 1000].each do |hz|
    define_method("test_every_nanosecond_has_one_owner_at_#{hz}_hz") do
      dump, = mixed(hz)
      assert_equal %w[compute garbage lock-1 lock-2 main read sleep write], dump.threads.values.map(&:name).sort
      dump.threads.each_value do |thread|
        assert_operator dump.lifetime(thread), :>, SECOND
        assert_whole_life dump, thread
      end
    end

    define_method("test_every_window_has_its_time_at_#{hz}_hz") do
      dump, = mixed(hz)
      dump.threads.each_value { |thread| assert_windows_whole dump, thread }
    end

    # Late records only move time that was told already, so the windows say it by themselves.
    define_method("test_the_lock_is_one_at_#{hz}_hz") do
      dump, = mixed(hz)
      assert_lock_is_one dump
    end

    # What windows told of as not sampled has found its stack, but for the end.
    define_method("test_what_was_not_sampled_is_corrected_at_#{hz}_hz") do
      dump, = mixed(hz)
      early = dump.windows[0...-3].sum { |window| window["cells"].sum { |cell| cell.node == Dump::UNSAMPLED ? cell.wall : 0 } }
      assert_operator early, :<=, dump.total / 1000
      assert_operator dump.unsampled, :<=, dump.total / 1000 + 2 * dump.threads.size * SECOND / hz
      assert_operator dump.unsampled(state: "running"), :<=, 2 * SECOND / hz + SECOND / 100
    end

    define_method("test_cpu_is_within_the_states_that_can_burn_it_at_#{hz}_hz") do
      dump, started_cpu, ended_cpu = mixed(hz)
      dump.threads.each_value do |thread|
        cpu = dump.total(:cpu, thread: thread.serial)
        assert_operator cpu, :<=, dump.total(thread: thread.serial, state: OWN), thread.name
        assert_equal 0, dump.total(:cpu, thread: thread.serial, state: "waiting"), thread.name
      end
      dump.cells.each { |cell| assert_operator cell.cpu, :<=, cell.wall + SECOND / hz, cell.inspect }
      all = dump.total(:cpu)
      assert_operator all, :<=, ended_cpu
      # The rest: the interpreter's own threads, the kernel's share of all of them.
      assert_operator all, :>=, (ended_cpu - started_cpu - dump.counter("publisher_cpu_ns")) * 0.75
    end

    define_method("test_waiting_is_blame_or_a_hand_over_at_#{hz}_hz") do
      dump, = mixed(hz)
      waiting = dump.total(state: "waiting")
      blame = dump.total(:blame)
      assert_operator waiting, :>, SECOND
      assert_operator blame, :<=, waiting + 5 * dump.threads.size * SECOND / hz
      # While nobody has it the others wait for the kernel to give the next one a core.
      nobodys = (dump.end_ns - dump.start_ns - dump.total(state: %w[running marking sweeping])) * (dump.threads.size - 1)
      least = [waiting * 0.9, waiting - nobodys].min
      assert_operator blame, :>=, least - 5 * dump.threads.size * SECOND / hz
      assert_equal 0, dump.total(:blame, state: "waiting")
    end
  end

  # One call into C of a second or so, without a safepoint.
  LONG_CALL = <<~'RUBY'
    def measure = (t = Process.clock_gettime(Process::CLOCK_MONOTONIC); yield; Process.clock_gettime(Process::CLOCK_MONOTONIC) - t)
    random = Random.new(1)
    small = Array.new(100_000) { random.rand }
    cost = Array.new(3) { measure { small.sort } }.min
    numbers = Array.new([(100_000 * 1.3 / cost).to_i, 12_000_000].min) { random.rand }
    small = nil
    other = Thread.new { Thread.current.name = "blocked"; sleep }
    Thread.pass until other.stop?
    def long_call(numbers) = numbers.sort
    def spin(seconds) = (t = Process.clock_gettime(Process::CLOCK_MONOTONIC); nil while Process.clock_gettime(Process::CLOCK_MONOTONIC) - t < seconds)
    spin 0.3
    GC.disable
    from = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    long_call(numbers)
    puts [from, Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)].join(" ")
    spin 0.3
  RUBY

  def test_a_blocked_thread_is_charged_window_by_window
    dump, = history(LONG_CALL)
    thread = dump.thread("blocked")
    rows = dump.rows(thread.serial).select { |_, row| row["state_age_ns"] > SECOND / 5 }
    assert_operator rows.size, :>=, 8
    rows.each do |window, row|
      refute row["provisional"]
      assert_equal "blocked", row["state"]
      own = window["cells"].select { |cell| cell.thread == thread.serial && cell.state == "blocked" }
      assert_near window["end_ns"] - window["start_ns"], own.sum(&:wall), absolute: SECOND / 100
      own.each { |cell| assert_equal "Kernel#sleep", dump.leaf(cell.node) }
    end
  end

  # Where nobody has the GVL there is nothing to look at.
  def test_no_ticks_while_all_threads_sleep
    dump, = history("3.times { Thread.new { sleep 1.5 } }\nsleep 1.5\nwindow_over", env: { "RPERF_TOP_RECORD_HZ" => "1000" })
    # For two windows already: who ran late in one may have met an instant whose time is charged in the next. And not the last of
    # them: it is cut a little after its end, when who wakes up then may have met one.
    rows = dump.windows.select do |window|
      window["threads"].all? { |row| row["state"] == "blocked" && row["state_age_ns"] > 2 * (window["end_ns"] - window["start_ns"]) }
    end
    assert_operator rows.size, :>=, 5
    assert_equal 0, rows[..-2].sum { |window| window["counters"]["ticks"] }
  end
end

# What was sampled, or when the next sample came, beside the program's own clock.
class LawsOfSamplesTest < Minitest::Test
  include Support
  include Chance

  SECOND = LawsTest::SECOND

  def test_a_long_call_is_provisional_then_late
    dump, program = history(LawsTest::LONG_CALL)
    from, to = program.out.split.map(&:to_i)
    assert_operator to - from, :>, SECOND / 2, "the call was too short to show anything"
    main = dump.main.serial
    during = dump.rows(main).select { |window, _| window["start_ns"] >= from && window["end_ns"] <= to }
    # The kernel may keep it from a core between the clock and the call, for a window or two on a busy machine.
    all = during.size
    at_an_end = ->((_, row)) { !row["stale"] }
    during = during.drop_while(&at_an_end).reverse.drop_while(&at_an_end).reverse
    assert_operator during.size, :>=, [3, all / 2].max
    during.each do |window, row|
      assert row["stale"], "window #{window["sequence"]}"
      assert_equal "running", row["state"]
      told = dump.told.find { |one| one["sequence"] == window["sequence"] }["cells"].select { |cell| cell[1] == main && cell[4] > 0 }
      assert_equal [[Dump::UNSAMPLED, main, "running", 0, window["end_ns"] - window["start_ns"]]], told.map { |cell| cell.first(5) }
      assert_equal 0, window["cells"].sum { |cell| cell.thread == main ? cell.wall : 0 }
    end
    late = dump.late.select { |record| record.thread == main && record.start < to && record.start + record.wall > from }
    late.reject! { |record| record.state != "running" && record.wall < SECOND / 1000 } # what was left of a collection before
    # It begins with the call, up to the last sample before it, and ends with it: in the window that tells of it. At
    # both ends the kernel may have kept the program or the profiler's timer from a core.
    period = SECOND / 100
    kept = [from, to].sum { |instant| without_core(dump.windows.find { |one| one["end_ns"] > instant }, dump.main) }
    rest = windows_cells(dump, main, "Object#long_call") { |window| window["end_ns"] > to && window["start_ns"] < to }
    assert_near to - from, rest + late.sum { |record| [record.start + record.wall, to].min - [record.start, from].max },
                absolute: 2 * period + kept
    late.each { |record| assert_equal "running", record.state }
    # What was before or after it reaches into it no further than the next tick, which the kernel may have kept from its core.
    others = late.reject { |record| dump.stack(record.node).include?("Object#long_call") }
    assert_operator others.sum { |record| dump.overlap(record, from, to) }, :<=, 2 * period + kept
    # Whole windows under it are whole again.
    per_window = dump.per_window(dump.main)
    during.each do |window, _|
      length, covered = per_window[window["sequence"]]
      assert_near length, covered, absolute: 2 * period
    end
  end

  def windows_cells(dump, thread, label, &which)
    dump.windows.select(&which).sum do |window|
      window["cells"].sum { |cell| cell.thread == thread && dump.stack(cell.node).include?(label) ? cell.wall : 0 }
    end
  end

  def test_known_shares_of_sleep
    dump, = history(<<~'RUBY', env: { "RPERF_TOP_RECORD_HZ" => "100" })
      def long_sleep(s) = s.times { sleep 0.002 }
      def short_sleep(s) = s.times { sleep 0.001 }
      took = Hash.new(0)
      now = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) }
      start = now.call
      while now.call - start < 4_000_000_000
        t = now.call
        long_sleep(1)
        took[:long] += (u = now.call) - t
        short_sleep(1)
        took[:short] += now.call - u
      end
      $stdout.puts took.values_at(:long, :short).join(" ")
    RUBY
    program = @programs.last
    long, short = program.out.split.map(&:to_f)
    seen_long = dump.total(on_stack: "Object#long_sleep")
    seen_short = dump.total(on_stack: "Object#short_sleep")
    # About 400 stacks at 100 Hz: the standard deviation of a share is below 2.5 % of the whole.
    assert_in_delta long / (long + short), seen_long.fdiv(seen_long + seen_short), 0.1
    assert_near long + short, seen_long + seen_short, relative: 0.1
  end

  def test_known_shares_of_computing
    dump, = history(<<~'RUBY', env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" })
      def spin(n) = (i = 0; i += 1 while i < n)
      def three = spin(30_000)
      def one = spin(10_000)
      cpu = -> { Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond) }
      from = cpu.call
      # The kernel takes the core away where a system call ends, and that is where the next sample is: seldom.
      25.times { three; one } while cpu.call - from < 2_000_000_000
      puts cpu.call - from
    RUBY
    seen_three = dump.total(:cpu, on_stack: "Object#three")
    seen_one = dump.total(:cpu, on_stack: "Object#one")
    # Two thousand samples: the standard deviation is 1 %.
    # ZJIT of 4.1-dev leaves a loop late: nine runs, of two estimators, had 0.67 to 0.70.
    zjit = defined?(RubyVM::ZJIT) && RubyVM::ZJIT.enabled?
    assert_in_delta 0.75, seen_three.fdiv(seen_three + seen_one), zjit ? 0.1 : 0.06
    assert_near @programs.last.out.to_i, seen_three + seen_one, relative: 0.1
  end
end
