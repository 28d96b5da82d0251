# Who waits behind whom: the program notes when it asks for something, who has it meanwhile, and when it gets it.
#
# Each wait lies between clock readings of both sides, so the bounds hold whatever the machine does.
require_relative "../support"

class PairsTest < Minitest::Test
  include Support

  GVL, GC_CAUSE, LOCK, HANDOVER = *0..3
  WORK_TIME, WORK_GVL, WORK_GC_OTHERS, WORK_LOCK = 65, 2, 4, 5

  PRELUDE = <<~'RUBY'
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    def spin(s) = (to = now + (s * 1e9).to_i; nil while now < to)
    def thread(name, &block) = Thread.new { Thread.current.name = name; RperfTop.label(work: name, &block) }
    LOG = Hash.new { |hash, key| hash[key] = [] }
    $stdout.sync = true
    at_exit { window_over; LOG.default = nil; puts Marshal.dump(LOG).unpack1("H*") }
  RUBY

  Row = Struct.new(:waiter, :holder, :cause, :place, :count, :ns)

  # The label of a party, the block that its threads began with, or what stands for others.
  def party(dump, node)
    return nil if node.zero?
    frame = dump.stack_frames(node).last[0]
    frame["label"].delete_prefix("work=")
  end

  def pairs(dump)
    dump.windows.flat_map { |window| window["pairs"] }.map do |waiter, holder, cause, place, count, ns|
      Row.new(party(dump, waiter), party(dump, holder), cause, place, count, ns)
    end
  end

  def sum(rows, **wanted) = rows.sum { |row| wanted.all? { |key, value| Array(value).include?(row[key]) } ? row.ns : 0 }

  def measure(code, **options)
    dump, program = history(PRELUDE + code, **options)
    [pairs(dump), Marshal.load([program.out.lines.last.chomp].pack("H*")), dump]
  end

  def work_ns(dump, name, *causes)
    dump.windows.flat_map { |window| window["exact"] }.sum do |node, what, key, value|
      what == WORK_TIME && causes.include?(key >> 12 & 15) && party(dump, node) == name ? value : 0
    end
  end

  # All waiting of all threads is somebody's or nobody's, to the nanosecond.
  def assert_all_waiting_is_in(dump, rows)
    assert_equal dump.total(state: "waiting"), sum(rows, cause: [GVL, GC_CAUSE, HANDOVER])
  end

  def test_one_waits_behind_another
    rows, log, dump = measure(<<~'RUBY')
      queue = Queue.new
      light = thread("light") { 25.times { asked = queue.pop; LOG[:waits] << [asked, now] } }
      heavy = thread("heavy") { 25.times { queue << now; from = now; spin 0.02; LOG[:held] << [from, now]; sleep 0.005 } }
      [light, heavy].each(&:join)
    RUBY
    least = log[:held].zip(log[:waits]).sum { |(from, to), (_, got)| [[to, got].min - from, 0].max }
    most = log[:waits].sum { |asked, got| got - asked }
    behind = sum(rows, waiter: "light", holder: "heavy", cause: [GVL, GC_CAUSE])
    assert_operator behind, :>=, least * 0.95
    assert_operator behind, :<=, most
    assert_all_waiting_is_in dump, rows
  end

  # The first in line has it between the holder and the one that is asked about.
  def test_a_wait_is_divided_among_holders_in_turn
    rows, log, dump = measure(<<~'RUBY')
      first, last = Queue.new, Queue.new
      light = thread("light") { 15.times { last.pop; LOG[:got] << now } }
      second = thread("second") { 15.times { first.pop; from = now; spin 0.03; LOG[:second] << [from, now] } }
      heavy = thread("heavy") do
        15.times { LOG[:asked] << now; first << 1; last << 1; from = now; spin 0.02; LOG[:heavy] << [from, now]; sleep 0.005 until LOG[:got].size == LOG[:heavy].size }
      end
      [light, second, heavy].each(&:join)
    RUBY
    least = ->(held) { held.zip(log[:got]).sum { |(from, to), got| [[to, got].min - from, 0].max } }
    assert_operator sum(rows, waiter: "light", holder: "heavy", cause: [GVL, GC_CAUSE]), :>=, least.(log[:heavy]) * 0.95
    assert_operator sum(rows, waiter: "light", holder: "second", cause: [GVL, GC_CAUSE]), :>=, least.(log[:second]) * 0.95
    assert_operator sum(rows, waiter: "second", holder: "heavy", cause: [GVL, GC_CAUSE]), :>, 0
    assert_all_waiting_is_in dump, rows
    waits = log[:got].zip(log[:asked]).sum { |got, asked| got - asked }
    assert_operator sum(rows, waiter: "light", cause: [GVL, GC_CAUSE]), :<=, waits
    assert_equal work_ns(dump, "light", WORK_GVL, WORK_GC_OTHERS), sum(rows, waiter: "light", cause: [GVL, GC_CAUSE, HANDOVER])
  end

  # Labels change while a thread has the GVL and another one waits.
  def test_a_holder_that_changes_its_labels_is_two
    rows, log, dump = measure(<<~'RUBY')
      queue = Queue.new
      light = thread("light") { 15.times { queue.pop; LOG[:got] << now } }
      piece = ->(name) { RperfTop.label(work: name) { from = now; spin 0.015; LOG[name] << [from, now] } }
      other = Thread.new { 15.times { LOG["asked"] << now; queue << 1; piece.("a"); piece.("b"); sleep 0.005 until LOG[:got].size == LOG["b"].size } }
      [light, other].each(&:join)
    RUBY
    %w[a b].each do |name|
      least = log[name].zip(log[:got]).sum { |(from, to), got| [[to, got].min - from, 0].max }
      behind = sum(rows, waiter: "light", holder: name, cause: [GVL, GC_CAUSE])
      assert_operator behind, :>=, least * 0.95
      before = name == "a" ? log["asked"] : log["a"].map(&:last)
      assert_operator behind, :<=, before.zip(log[:got]).sum { |from, got| [got - from, 0].max }
    end
    assert_all_waiting_is_in dump, rows
  end

  # Threads without labels are those that began with the same block.
  def test_threads_without_labels_are_named_by_their_block
    rows, _, dump = measure(<<~'RUBY')
      class Nightly
        def self.run(queue) = Thread.new { 15.times { queue << 1; spin 0.02; sleep 0.005 } }
      end
      queue = Queue.new
      light = thread("light") { 15.times { queue.pop } }
      [light, Nightly.run(queue)].each(&:join)
      again, got = Queue.new, Queue.new
      other = thread("other") { 5.times { again.pop; got << 1 } }
      5.times { sleep 0.001 until other.status == "sleep"; again << 1; spin 0.02; got.pop }
      other.join
    RUBY
    holders = rows.select { |row| row.waiter == "light" && row.cause == GVL }.map(&:holder).uniq
    assert holders.any? { |name| name.include?("Nightly.run") }, holders.inspect
    assert rows.any? { |row| row.waiter == "other" && row.holder == "<main>" && row.cause == GVL }
    assert_all_waiting_is_in dump, rows
  end

  def test_collections_of_others
    rows, log, dump = measure(<<~'RUBY')
      KEPT = Array.new(300_000) { Object.new }
      queue = Queue.new
      light = thread("light") { 15.times { queue.pop; LOG[:got] << now } }
      heavy = thread("heavy") do
        15.times { queue << 1; from = now; GC.start; LOG[:held] << [from, now]; sleep 0.005 until LOG[:got].size == LOG[:held].size }
      end
      [light, heavy].each(&:join)
    RUBY
    behind = sum(rows, waiter: "light", holder: "heavy", cause: GC_CAUSE)
    assert_operator behind, :>, 0
    assert_operator behind, :<=, log[:held].zip(log[:got]).sum { |(from, _), got| got - from }
    assert_equal work_ns(dump, "light", WORK_GVL, WORK_GC_OTHERS), sum(rows, waiter: "light", cause: [GVL, GC_CAUSE, HANDOVER])
    assert_in_delta work_ns(dump, "light", WORK_GC_OTHERS), behind, 1_000_000 + behind * 0.05
    assert_all_waiting_is_in dump, rows
  end

  # The owner sleeps with the lock, so that nobody waits for the GVL.
  LOCKS = <<~'RUBY'
    require "monitor"
    KIND = Object.const_get(ARGV[0])
    class Cache
      def initialize(lock) = @lock = lock
      def fetch(seconds)
        asked = now
        @lock.synchronize { from = now; sleep seconds; [asked, from, now] }
      end
    end
    cache = Cache.new(KIND.new)
    queue = Queue.new
    heavy = thread("heavy") { 12.times { cache.instance_variable_get(:@lock).synchronize { queue << 1; from = now; sleep 0.02; LOG[:heavy] << [from, now] }; sleep 0.001 until LOG[:light].size == LOG[:heavy].size } }
    light = thread("light") { 12.times { queue.pop; LOG[:light] << cache.fetch(0.001) } }
    [light, heavy].each(&:join)
  RUBY

  %w[Mutex Monitor].each do |kind|
    define_method("test_a_#{kind.downcase}_has_an_owner") do
      rows, log, dump = measure(LOCKS, arguments: [kind])
      least = log[:heavy].zip(log[:light]).sum { |(from, to), (asked, got, _)| [[to, got].min - [asked, from].max, 0].max }
      behind = sum(rows, waiter: "light", holder: "heavy", cause: LOCK)
      assert_operator behind, :>=, least * 0.95
      assert_operator behind, :<=, log[:light].sum { |asked, got, _| got - asked }
      assert_equal work_ns(dump, "light", WORK_LOCK), sum(rows, waiter: "light", cause: LOCK)
      assert_operator sum(rows, waiter: "light", cause: LOCK) - behind, :<=, behind * 0.05
      places = rows.select { |row| row.waiter == "light" && row.cause == LOCK && row.place > 3 }.map { |row| dump.stack(row.place) }
      places.each { |stack| assert stack.any? { |label| label.include?("fetch") }, stack.inspect }
      assert_all_waiting_is_in dump, rows
    end
  end

  # One that waits in line has the lock before the next, which waited behind two.
  def test_a_lock_that_is_handed_on
    rows, log, dump = measure(<<~'RUBY')
      lock = Mutex.new
      hold = ->(name, seconds, &first) { lock.synchronize { first&.call; from = now; sleep seconds; LOG[name] << [from, now] } }
      10.times do
        one = thread("one") do
          hold.("one", 0.02) do
            $two = thread("two") { hold.("two", 0.03) }
            sleep 0.001 until $two.status == "sleep"
            $three = thread("three") { from = now; hold.("three", 0); LOG["asked"] << from }
            sleep 0.001 until $three.status == "sleep"
          end
        end
        one.join
        [$two, $three].each(&:join)
      end
    RUBY
    got, asked = log["three"].map(&:first), log["asked"]
    inside = ->(held) { held.zip(asked, got).sum { |(from, to), wanted, had| [[to, had].min - [from, wanted].max, 0].max } }
    %w[one two].each do |name|
      behind = sum(rows, waiter: "three", holder: name, cause: LOCK)
      assert_operator behind, :>=, inside.(log[name]) * 0.9, name
    end
    assert_operator sum(rows, waiter: "three", cause: LOCK), :<=, asked.zip(got).sum { |from, to| to - from }
    assert_operator sum(rows, waiter: "two", holder: "one", cause: LOCK), :>, 0
    assert_equal 0, sum(rows, waiter: "two", holder: "three", cause: LOCK)
    assert_equal work_ns(dump, "three", WORK_LOCK), sum(rows, waiter: "three", cause: LOCK)
  end

  # An owner that locks again before those that it woke had the GVL: they wait behind it, not behind each other.
  def test_an_owner_that_locks_again
    rows, log, dump = measure(<<~'RUBY')
      lock = Mutex.new
      owner = thread("owner") do
        20.times do |i|
          lock.synchronize do
            from = now
            sleep 0.001 until i > 0 || ($waiters&.size == 2 && $waiters.all? { |one| one.status == "sleep" })
            sleep 0.02
            LOG["owner"] << [from, now]
          end
        end
      end
      sleep 0.001 until lock.locked?
      $waiters = %w[one two].map { |name| thread(name) { from = now; lock.synchronize { LOG[name] << [from, now] } } }
      [owner, *$waiters].each(&:join)
    RUBY
    %w[one two].each do |name|
      (asked, got), = log[name]
      inside = log["owner"].sum { |from, to| [[to, got].min - [from, asked].max, 0].max }
      assert_operator sum(rows, waiter: name, holder: "owner", cause: LOCK), :>=, inside * 0.9, name
      assert_equal work_ns(dump, name, WORK_LOCK), sum(rows, waiter: name, cause: LOCK)
    end
  end

  # More stretches and pairs than there is room for: what is older or has no row is behind others, and nothing is lost.
  def test_many_threads
    rows, _, dump = measure(<<~'RUBY')
      gate = Queue.new
      threads = Array.new(120) { |i| thread("t#{i}") { gate.pop; 12.times { spin 0.0005; sleep 0.0005 } } }
      120.times { gate << 1 }
      threads.each(&:join)
    RUBY
    assert_all_waiting_is_in dump, rows
    assert_operator sum(rows, holder: "(folded)"), :>, 0
  end
end
