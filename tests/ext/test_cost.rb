# What sampling costs: it has a row of its own, and the way CPU is read does not change what is found.
require_relative "support"

class CostTest < Minitest::Test
  include Support

  SECOND = 1_000_000_000
  OWN = "(rperf-top)"

  # Threads that compute, make garbage, sleep and take turns; each says how much CPU it used.
  PROGRAM = <<~'RUBY'
    seconds = Float(ARGV[0])
    now = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
    start = now.call
    used = Queue.new
    mutex = Mutex.new
    work = {
      "compute" => -> { 2000.times { |i| i * i } }, "garbage" => -> { Array.new(2000) { |i| "s#{i}" } },
      "sleeper" => -> { sleep 0.002 }, "lock" => -> { mutex.synchronize { 500.times { |i| i * i }; sleep 0.001 } },
    }
    work.map do |name, body|
      Thread.new do
        Thread.current.name = name
        body.call while now.call - start < seconds
        used << [name, Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)].join(" ")
      end
    end.each(&:join)
    puts used.pop until used.empty?
  RUBY

  # By construction: a thread's CPU is known up to what waits for a stack (a period of each state), and the clock
  # that need not ask the kernel is never wrong for longer than 20 ms.
  { "kernel" => 0, "" => SECOND / 50 }.each do |way, slack|
    define_method("test_a_thread_has_the_cpu_that_it_used_#{way.empty? ? "seldom_asking" : "asking"}_the_kernel") do
      dump, program = history(PROGRAM, env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100",
                                              "RPERF_TOP_CPU_CLOCK" => way }, arguments: ["1.5"])
      used = program.out.lines.to_h { |line| [line[/\A\w+/], line[/\d+/].to_i] }
      assert_equal %w[compute garbage lock sleeper], used.keys.sort
      missed = dump.windows.map { |window| window["counters"]["ticks_missed"] }.max   # by the kernel's will a period is longer
      used.each do |name, cpu|
        found = dump.total(:cpu, thread: dump.thread(name).serial)
        assert_in_delta cpu, found, slack + (5 + missed) * SECOND / 1000, name
      end
    end
  end

  # A thread shorter than a period has its CPU told after its time has gone to a stack.
  def test_short_threads_have_their_cpu_where_the_kernel_is_asked
    dump, program = history(<<~'RUBY', env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_CPU_CLOCK" => "kernel" })
      cpu = -> { Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond) }
      used = 0
      300.times { Thread.new { nil while cpu.call < 2_000_000; used += cpu.call }.join }
      puts used
    RUBY
    others = dump.total(:cpu) - dump.total(:cpu, thread: dump.main.serial)
    assert_in_epsilon program.out.to_i, others, 0.1
  end

  def test_the_profilers_own_work_has_a_row_of_its_own
    dump, = history(PROGRAM, env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" }, arguments: ["1"])
    frame = dump.frames.find { |candidate| candidate["label"] == OWN }
    assert_equal "special", frame["kind"]
    own = dump.cells.select { |cell| dump.leaf(cell.node) == OWN }
    assert_operator own.sum(&:wall), :>, 0
    own.each do |cell|
      assert_equal [OWN], dump.stack(cell.node)
      assert_equal "running", cell.state
      assert_equal 0, cell.samples
      assert_operator cell.cpu, :<=, cell.wall
    end
    assert_operator own.map(&:thread).uniq.size, :>, 3
    # The measured cost is the CPU of just this work. (What a window measures may be told in the next one.)
    assert_near own.sum(&:cpu), dump.counter("cost_ns"), relative: 0.02
  end
  # Nothing allocates here but the profiler, which names each method when it meets it: every GC is within its work.
  def test_gc_within_the_profilers_own_work_is_gc
    dump, = history(<<~'RUBY', env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" })
      100.times { |i| eval "def method_#{i} = (n = 0; n += 1 while n < 80_000)" }
      names = Array.new(100) { |i| :"method_#{i}" }
      window_over
      GC.start
      GC.stress = true
      i = 0
      (send(names[i]); i += 1) while i < 100
      GC.stress = false
    RUBY
    main = dump.main.serial
    own = dump.cells.select { |cell| dump.leaf(cell.node) == OWN }
    gc = dump.total(thread: main, state: %w[marking sweeping])
    assert_operator gc, :>, SECOND / 100
    assert_operator own.sum(&:wall), :<, gc / 3
    assert_whole_life dump, dump.main, absolute: 6 * SECOND / 1000
    # Own work that a window's end falls into is told once.
    dump.told.each do |window|
      sum = window["cells"].sum { |_, thread, _, _, wall| thread == main ? wall : 0 }
      assert_operator sum, :<=, window["end_ns"] - window["start_ns"], "window #{window["sequence"]}"
    end
  end

  # The VM may switch threads inside a job, of itself in 3.4. Here a TracePoint makes it: it sees the job ask for names of
  # threads, and sleeps. That is no work of the profiler's, nor is it on the GVL.
  def test_waits_within_the_profilers_own_work_are_waits
    dump, program = history(<<~'RUBY', env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" })
      slept = 0
      trace = TracePoint.new(:c_call) do |point|
        (slept += 1; sleep 0.03) if point.method_id == :name && point.defined_class == Thread && slept < 20
      end
      start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      trace.enable
      nil while slept < 10 && Process.clock_gettime(Process::CLOCK_MONOTONIC) - start < 10
      trace.disable
      puts slept
    RUBY
    skip "nobody sees the job ask" if program.out.to_i.zero?
    slept = program.out.to_i * 3 * SECOND / 100
    main = dump.main.serial
    own = dump.cells.sum { |cell| dump.leaf(cell.node) == OWN ? cell.wall : 0 }
    assert_operator own, :<, slept / 3
    assert_operator dump.total(thread: main, state: "blocked", on_stack: "Kernel#sleep"), :>, slept * 0.9
    dump.told.each do |window|
      held = window["cells"].sum { |_, _, state, _, wall| %w[running marking sweeping].include?(state) ? wall : 0 }
      assert_operator held, :<=, window["end_ns"] - window["start_ns"], "window #{window["sequence"]}"
    end
  end
end
