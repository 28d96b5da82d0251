# Fibers, Ractors, M:N threads, YJIT, threads by the thousand: what is seen of them and what is not. The facts
# here are those that rperf_top(3) states under LIMITS.
require_relative "support"

class KindsTest < Minitest::Test
  include Support

  FAST = { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" }.freeze
  READY = "$VERBOSE = nil\nsleep 0.001 until Dir[ENV['RPERF_TOP_DIR'] + '/rperf-top.*.????????????????'].any?\n"
  SPIN = "def spin(s) = (t = Process.clock_gettime(Process::CLOCK_MONOTONIC); nil while Process.clock_gettime(Process::CLOCK_MONOTONIC) - t < s)\n"
  ON_GVL = %w[running marking sweeping].freeze

  def assert_conserved(dump, absolute: 20_000_000)
    dump.threads.each_value { |thread| assert_whole_life dump, thread, absolute: absolute }
  end

  # CPU that is charged was burnt: not more than the process has used, and most of that.
  def assert_cpu(dump, least: 0.6)
    used = dump.counter("cpu_ns") - dump.counter("publisher_cpu_ns")
    assert_operator dump.total(:cpu), :<=, used * 1.1 + 10_000_000
    assert_operator dump.total(:cpu), :>=, used * least
  end

  def test_fibers_have_stacks_of_their_own
    dump, = history(SPIN + READY + <<~'RUBY', env: FAST)
      def inside = spin(0.2)
      def resumer(fiber) = fiber.resume
      resumer(Fiber.new { inside })
      queue = Thread::Queue.new
      Thread.new { sleep 0.2; queue << 1 }
      resumer(Fiber.new { queue.pop })
      window_over
    RUBY
    stacks = dump.cells.map { |cell| dump.stack(cell.node) }
    assert_operator dump.total(on_stack: "Object#inside"), :>, 180_000_000
    assert_operator dump.total(leaf: "Thread::Queue#pop", state: "blocked"), :>, 150_000_000
    refute(stacks.any? { |stack| stack.include?("Object#resumer") && (stack & %w[Object#inside Thread::Queue#pop]).any? },
           "a fiber's stack ends where the fiber begins")
    assert_conserved(dump)
  end

  def test_ractors_that_wait_are_seen_and_those_that_compute_have_their_time
    dump, program = history(SPIN + READY + <<~'RUBY', env: FAST)
      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      def slept = 5.times.sum { from = now; sleep 0.02; now - from }
      ractors = 2.times.map { Ractor.new { took = slept; 300_000.times { |i| i.to_s }; took } }
      puts ractors.map(&:value)
      window_over
    RUBY
    most = program.out.lines.map(&:to_i).max
    others = dump.threads.values.reject(&:main)
    assert_equal 2, others.size
    others.each do |thread|
      slept = dump.total(thread: thread.serial, on_stack: "Kernel#sleep", state: "blocked")
      # A Ractor that finds the lock taken, by the other one, takes no stack: then nobody is said to have waited.
      unknown = dump.cells.sum { |cell| cell.thread == thread.serial && cell.state == "blocked" && dump.leaf(cell.node).start_with?("(") ? cell.wall : 0 }
      assert_includes 80_000_000..most + 5_000_000, slept + unknown
      assert_operator slept, :>, 40_000_000
      assert_operator dump.total(thread: thread.serial, state: ON_GVL), :>, 5_000_000
    end
    assert_conserved(dump)
    assert_cpu(dump)
  end

  def test_threads_that_share_native_threads
    dump, program = history(READY + <<~'RUBY', env: { **FAST, "RUBY_MN_THREADS" => "1" })
      def work = 2000.times { |i| i.to_s }
      12.times.map { Thread.new { 50.times { work; sleep 0.001 } } }.each(&:join)
      puts RUBY_DESCRIPTION
      window_over
    RUBY
    assert_includes program.out, "+MN"
    assert_operator dump.total(on_stack: "Object#work", state: ON_GVL), :>, 20_000_000
    assert_conserved(dump, absolute: 40_000_000)
    assert_cpu(dump)
    dump.threads.each_value do |thread|
      assert_operator dump.total(:cpu, thread: thread.serial), :<=,
                      dump.total(thread: thread.serial, state: [*ON_GVL, "blocked"]) + 1_000_000
    end
  end

  YJIT_PROGRAM = SPIN + READY + <<~'RUBY'
    NUMBERS = Array.new(400_000) { |i| (i * 7919) % 400_009 }
    def sorter
      NUMBERS.sort
      1
    end
    def dozer
      sleep 0.01
      1
    end
    def count(n)
      i = 0
      while i < n
        i += 1
      end
      i
    end
    200.times { count(10) }
    8.times { sorter; dozer; count(3_000_000) }
    window_over
  RUBY

  def share(dump, leaf:, on_stack:) = dump.total(leaf: leaf, on_stack: on_stack).fdiv(dump.total(on_stack: on_stack))

  def test_c_functions_in_the_interpreter
    dump, = history(YJIT_PROGRAM, env: FAST, options: ["-W0"])
    assert_operator share(dump, leaf: "Array#sort", on_stack: "Object#sorter"), :>, 0.9
  end

  # JIT code takes the C function's frame away before it looks for jobs: a long C call that keeps the GVL counts
  # for its caller. Waits and lines of loops are as in the interpreter.
  def test_yjit
    skip "this Ruby has no YJIT" unless system(RbConfig.ruby, "--yjit", "-e", "exit RubyVM::YJIT.enabled?", err: File::NULL)
    dump, = history(YJIT_PROGRAM, env: FAST, options: ["--yjit", "--yjit-call-threshold=2"])
    whole = dump.total(on_stack: "Object#sorter")
    assert_operator dump.total(leaf: "Object#sorter") + dump.total(leaf: "Array#sort"), :>, 0.95 * whole
    assert_operator share(dump, leaf: "Kernel#sleep", on_stack: "Object#dozer"), :>, 0.9
    lines = dump.cells.each_with_object(Hash.new(0)) do |cell, sums|
      frame, line = dump.stack_frames(cell.node).first
      sums[line - frame["line"]] += cell.wall if frame && frame["label"] == "Object#count"
    end
    assert_operator lines.values_at(2, 3, 4).sum, :>, 0.8 * lines.values.sum, lines.inspect
    assert_conserved(dump)
  end

  def test_a_storm_of_threads
    dump, = history(READY + <<~'RUBY', env: FAST)
      def brief(i) = 20.times { |k| (k * i).to_s }
      60.times { |round| 50.times.map { |i| Thread.new { brief(i); Thread.pass; brief(i) } }.each(&:join) }
      window_over
    RUBY
    assert_equal 3001, dump.counters["thread_serial"]
    assert_equal 0, dump.counters["threads_overflowed"]
    lived = dump.threads.values.sum { |thread| dump.lifetime(thread) }
    owned = dump.threads.values.sum { |thread| dump.total(thread: thread.serial) }
    assert_near lived, owned, relative: 0.02
    assert_conserved(dump)
    assert_cpu(dump, least: 0.3) # making a thread and ending it is nobody's
  end
end
