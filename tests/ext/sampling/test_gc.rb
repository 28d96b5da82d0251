# The garbage collector: its time, its counts, and its nastier modes.
require_relative "../support"
require_relative "../../chance"

class GCTest < Minitest::Test
  include Support
  include Chance

  def test_time_and_counts
    dump, program = history(<<~'RUBY')
      sleep 0.005 until Dir[ENV["RPERF_TOP_DIR"] + "/rperf-top.*.????????????????"].any?
      keep = Array.new(300_000) { |i| "kept #{i}" }
      def waste = Array.new(1000) { |i| "waste #{i}" }
      window_over # it knows the counts so far
      10_000.times { |i| i.to_s }
      window_over
      before = GC.stat.values_at(:minor_gc_count, :major_gc_count, :total_allocated_objects)
      start, gc = Process.clock_gettime(Process::CLOCK_MONOTONIC), GC.stat(:time)
      1200.times { waste }
      4.times { GC.start }
      gc = GC.stat(:time) - gc
      after = GC.stat.values_at(:minor_gc_count, :major_gc_count, :total_allocated_objects)
      window_over
      10_000.times { |i| i.to_s }
      whole = GC.stat.values_at(:minor_gc_count, :major_gc_count)
      puts [*after.zip(before).map { |a, b| a - b }, gc, *whole, keep.size].join(" ")
      window_over
    RUBY
    minor, major, allocations, milliseconds, whole_minor, whole_major, = program.out.split.map(&:to_i)
    assert_operator major, :>=, 4
    assert_operator minor, :>=, 1
    # Counted before and after, too: never less than what happened between, nor more than in the whole process.
    assert_includes major..whole_major, dump.counter("gc_major")
    assert_includes minor..whole_minor, dump.counter("gc_minor")
    assert_operator dump.counter("allocations"), :>=, allocations * 0.95
    assert_operator dump.counter("allocations"), :<=, allocations * 1.1 + 400_000
    marking, sweeping = dump.total(state: "marking"), dump.total(state: "sweeping")
    assert_operator marking, :>, 0
    assert_operator sweeping, :>, 0
    # GC.stat(:time) is CPU time and does not see all of the lazy sweeping.
    assert_operator marking + sweeping, :>, milliseconds * 1_000_000 * 0.7
    assert_operator dump.total(:cpu, state: %w[marking sweeping]), :<=, marking + sweeping
    assert_operator dump.total(state: "marking", on_stack: "GC.start"), :>, 0
    assert_operator dump.total(state: %w[marking sweeping], on_stack: "Object#waste"), :>, 0
    assert_whole_life dump, dump.main, absolute: 50_000_000
  end

  # A major collection makes the profiler forget names, which the next job finds again: the CPU must wait for that, too.
  def test_collections_that_are_asked_for_have_their_cpu
    dump, program = history(<<~'RUBY', env: { "RPERF_TOP_RECORD_HZ" => "100" })
      KEPT = Array.new(200_000) { |i| "string number #{i}" }
      def cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
      def by_start = GC.start
      def by_compact = GC.compact
      def by_space = ObjectSpace.garbage_collect
      def by_warmup = Process.warmup
      ways = %i[by_start by_compact by_space by_warmup]
      ways.each do |way|
        from = cpu
        5.times { send(way) }
        puts cpu - from
        window_over
      end
    RUBY
    %w[by_start by_compact by_space by_warmup].zip(program.out.split.map(&:to_i)) do |way, took|
      shown, lasted = %i[cpu wall].map { |what| dump.total(what, on_stack: "Object##{way}", state: %w[marking sweeping]) }
      assert_operator shown, :>, 0.5 * took, way
      assert_operator shown, :<=, lasted, way
    end
  end

  # Every object is a collection, so names that the profiler makes of objects would be its end: the program must go on. By
  # collections, not by the clock: how many a round takes does not depend on the machine.
  STRESS = {
    plain: "",
    compact: "GC.auto_compact = true",
    verify: "verify = true",
    traced: "require 'objspace'; ObjectSpace.trace_object_allocations_start",
    threads: "threads = true",
  }.freeze
  STRESS_ROUNDS = 12

  STRESS.each do |name, code|
    define_method("test_a_program_whose_objects_are_all_collections_goes_on_#{name}") do
      text = <<~RUBY
        verify = threads = false
        #{code}
        def deep(n) = n == 0 ? [1].map { |x| x.to_s } : deep(n - 1)
        rounds, before = 0, GC.count
        GC.stress = true
        while rounds < #{STRESS_ROUNDS} && GC.count - before < 20_000
          deep(5)
          odd = Class.new { def x = [1].each { }; def self.y = [2].map { |z| z.to_s } }
          odd.new.x
          odd.y
          GC.verify_compaction_references if verify && rounds % 4 == 0
          Thread.new { deep(2) }.join if threads
          rounds += 1
        end
        GC.stress = false
        puts rounds, GC.count - before
      RUBY
      plain, profiled = [false, true].map do |with|
        run_program(text, with: with, env: { "RPERF_TOP_RECORD_HZ" => "1000" }).out.split.map(&:to_i)
      end
      assert_equal [STRESS_ROUNDS] * 2, [plain.first, profiled.first]
      assert_operator profiled.last, :<, 1.5 * plain.last
    end
  end

  # An instant within a collection met the collection. The code behind it is not met the more often for that.
  def test_collections_do_not_draw_running_time
    dump, = history(<<~'RUBY', env: { "RPERF_TOP_RECORD_HZ" => "100", "RPERF_TOP_BUDGET" => "100" })
      KEPT = Array.new(300_000) { |i| "string number #{i}" }
      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      def collect
        from = now
        GC.start
        now - from
      end
      def work(duration)
        finish = now + duration
        nil while now < finish
      end
      100.times { work(collect * 3 / 4) }
    RUBY
    collecting = dump.total(:wall, state: %w[marking sweeping], on_stack: "GC.start")
    working, called = %w[Object#work GC.start].map { |name| dump.total(:wall, state: "running", on_stack: name) }
    assert_operator collecting, :>, working, "collections are too short here to draw anything"
    assert_operator called, :<, 0.5 * working # drawn, it was more than twice as much
  end

  def test_allocations_are_charged_to_who_made_them
    dump, = history(<<~'RUBY', env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" })
      def many = 300_000.times { Object.new }
      def none = 500_000.times { |i| i + 1 }
      t = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      (many; none) while Process.clock_gettime(Process::CLOCK_MONOTONIC) - t < 1
    RUBY
    many = dump.total(:allocations, on_stack: "Object#many")
    assert_operator many, :>, 4 * dump.total(:allocations, on_stack: "Object#none")
    # The counter starts with its first reading and ends with its last one, each within a window or two.
    assert_operator dump.counter("allocations"), :<=, dump.total(:allocations) * 1.05 + 20_000
    assert_operator dump.counter("allocations"), :>=, dump.total(:allocations) * 0.5
  end

  # A method that makes none has none, however long it is looked at; and nobody has what was not made. (What the VM counts
  # between two samples told the thinker to have made 80 %.)
  def test_who_makes_no_objects_has_none
    dump, = history(<<~'RUBY', env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" })
      class Maker; def make(n) = (while n > 0; "x" + "y"; n -= 1; end); end
      class Thinker; def think(n) = (while n > 0; n -= 1; end); end
      maker, thinker = Maker.new, Thinker.new
      while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < 2.5
        maker.make(4000)
        thinker.think(40_000)
      end
    RUBY
    all, made, shared = dump.total(:allocations), *%w[Maker#make (shared)].map { |name| dump.total(:allocations, on_stack: name) }
    assert_operator dump.total(:wall, on_stack: "Thinker#think"), :>, 0
    assert_equal 0, dump.total(:allocations, on_stack: "Thinker#think")
    assert_operator made, :>, all / 20
    assert_operator made, :>, 0.9 * (all - shared)
    assert_operator all, :<=, dump.counter("allocations")
  end

  NASTY = {
    stress: "GC.stress = true\n15.times { |i| eval('def m' + i.to_s + ' = [1, 2].map { |x| x.to_s }'); send('m' + i.to_s) }\nGC.stress = false",
    compact: "20.times { |i| eval('def c' + i.to_s + ' = 500.times.map { |x| x.to_s }.size'); send('c' + i.to_s); GC.compact }",
    auto_compact: "GC.auto_compact = true\n200.times { |i| Class.new { define_method(:x) { i.to_s * 10 } }.new.x; 500.times { Object.new } }\nGC.start; GC.auto_compact = false",
    verify: "5.times { GC.verify_compaction_references(toward: :empty, expand_heap: true) if GC.respond_to?(:verify_compaction_references) }",
    major: "200.times { GC.start(full_mark: true, immediate_sweep: true) }",
    threads: "4.times.map { Thread.new { 30.times { 300.times { |i| i.to_s }; GC.start } } }.each(&:join)",
    weak: "map = ObjectSpace::WeakMap.new; 20_000.times { |i| map[Object.new] = i.to_s }; GC.start; map.size < 20_001 or abort",
    finalizers: "n = 0; 3000.times { ObjectSpace.define_finalizer(Object.new, proc { n += 1 }) }; GC.start; puts n > 0",
  }.freeze

  [100, 10_000].each do |hz|
    NASTY.each do |name, code|
      define_method("test_#{name}_at_#{hz}_hz") do
        program = assert_undisturbed("#{code}\nputs :end", env: { "RPERF_TOP_RECORD_HZ" => hz.to_s,
                                                                  "RPERF_TOP_BUDGET" => "100" })
        assert_equal "end", program.out.split.last, program.err
      end
    end
  end

  def test_no_object_of_the_profiler_is_visible
    code = "puts ObjectSpace.each_object(Object).count { |o| Object.instance_method(:class).bind_call(o) == Object && o.singleton_methods.empty? }"
    assert_undisturbed("GC.start\n#{code}", options: ["--disable-gems"])
  end
end
