# On a Ruby whose VM differs from all that are known: what can be had is right, what cannot is said. Started by
# tests/newer/run, with that Ruby.
# Waits nearly all of the time
require "json"
require_relative "../ext/exact"

class NewerTest < Minitest::Test
  include Support
  include Exact

  PARTS = File.read("#{__dir__}/../../shm/base/vm_parts.def").scan(/^VM_PART\((\w+), (\d+), "(.*)"\)/)
              .to_h { |id, bit, name| [id, [bit.to_i, name]] }
  # By no means there: the collector does not tell when it begins and ends, and lacks a key.
  LOST = %w[GC_TIME GC_FIGURES].freeze
  FAST = { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" }.freeze

  def unknown(dump)
    bits = dump.windows.last&.dig("counters", "vm_unknown") || 0
    PARTS.select { |_, (bit, _)| bits[bit] == 1 }.keys
  end

  def end_well(program)
    program.puts
    program.finish
    assert_predicate program.status, :success?
    assert_empty program.err
  end

  def test_what_is_lost_is_said
    program = start(AWAKE + "10.times { GC.start }\n$stdin.gets", env: FAST)
    dump = program.dump_until("what is unknown") { |one| (LOST - unknown(one)).empty? }
    assert_equal 0, dump.total(state: %w[marking sweeping])
    viewer = "#{BUILD}/rperf-top"
    text = IO.popen({ "RPERF_TOP_DIR" => @folder }, [viewer, "-b", "-n", "1", "-p", program.pid.to_s], &:read)
    line = text[/^Not available on this Ruby: .*/] or flunk text
    LOST.each { |id| assert_includes line, PARTS[id].last }
    end_well(program)
  end

  # Names, states and time are those of every Ruby.
  def test_it_profiles
    dump, = history(<<~'RUBY', env: FAST)
      def cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
      class Price
        def total = (from = cpu; nil while cpu - from < 0.2)
      end
      def nap = sleep(0.01)
      Thread.new { Thread.current.name = "napper"; 10.times { nap } }.join
      Price.new.total
      window_over
    RUBY
    assert_operator dump.total(on_stack: "Price#total", state: "running"), :>, 0
    assert_operator dump.total(on_stack: "Object#nap", state: "blocked"), :>, 0
    assert_empty dump.labels.grep(/probe/)
    dump.threads.each_value { |thread| assert_whole_life(dump, thread, absolute: 5 * NS_PER_MS) }
  end

  # Who waits for a Mutex is told with it, or it is said that it cannot be.
  def test_locks
    program = start("lock = Mutex.new.tap(&:lock)\nThread.new { lock.synchronize {} }\n" + AWAKE + "$stdin.gets", env: FAST)
    dump = program.dump_until("a thread that waits") { |one| one.windows.size > 4 && one.windows.last["threads"].size == 3 }
    kinds = dump.windows.last["threads"].map { |thread| thread["lock_kind"] }
    assert_equal unknown(dump).include?("LOCKS") ? [0, 0, 0] : [0, 0, 1], kinds.map(&:to_i).sort
    end_well(program)
  end

  # A method is traced, and every call is counted, or it is refused and said.
  def test_what_is_asked_for
    program = start("class Price; def total(of) = of; end\nThread.new { loop { sleep 0.002; Price.new.total(1) } }\n$stdin.gets", env: FAST)
    view(program, "Price#total", "!Integer#gcd", "@", "*!", slower_us: 500, rate: 100)
    states = ->(one) { one.windows.last&.fetch("exact").to_a.filter_map { |_, what, _, value| value if what == 1 } }
    dump = program.dump_until("four answers") { |one| states.(one).size == 4 && !states.(one).include?(1) }
    assert states.(dump).include?(5) || !unknown(dump).include?("CALLS"), unknown(dump).inspect
    end_well(program)
  end

  # Locks, queues, Monitors, fibers, exceptions, Ractors, collections, all at once: it runs to its end.
  def test_nothing_breaks
    program = <<~'RUBY'
      require "monitor"
      queue, sized, lock, monitor, condition = Queue.new, SizedQueue.new(1), Mutex.new, Monitor.new, ConditionVariable.new
      threads = 4.times.map do |i|
        Thread.new do
          300.times do |k|
            lock.synchronize { condition.wait(lock, 0.0001) if k % 50 == 0 }
            monitor.synchronize { queue << k }
            sized << k if i.even?
            sized.pop if i.odd?
            begin; raise ArgumentError if k % 10 == 0; rescue ArgumentError; end
            Fiber.new { Fiber.yield k }.resume
          end
        end
      end
      ractor = Ractor.new { 20_000.times.sum { |k| k.to_s.size } }
      30.times { GC.start; Array.new(500) { +"x" } }
      GC.compact if GC.respond_to?(:compact)
      threads.each(&:join)
      puts ractor.value, queue.size
    RUBY
    assert_undisturbed(program, options: ["-W0"], env: FAST)
  end
end
