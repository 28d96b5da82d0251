# What is counted is counted from the first instant to the last, and belongs to whoever did it.
require_relative "support"

class CountsTest < Minitest::Test
  include Support

  # Gone before the second window.
  def test_a_short_program_is_counted_whole
    dump, program = history(<<~'RUBY')
      20.times { raise "early" rescue nil }
      before = GC.stat(:total_allocated_objects)
      400_000.times { Object.new }
      GC.start
      7.times { raise "late" rescue nil }
      puts GC.stat(:total_allocated_objects) - before, GC.count
    RUBY
    objects, collections = program.out.split.map(&:to_i)
    assert_operator dump.counter("allocations"), :>=, objects
    assert_operator dump.counter("allocations"), :<=, objects + 200_000
    assert_operator dump.counter("exceptions"), :>=, 27
    counted = dump.counter("gc_minor") + dump.counter("gc_major")
    assert_includes 1..collections, counted
  end

  # Known counts, in pieces shorter than a sampling period and longer ones: no method is given objects that it did not
  # make, and what cannot be told apart is told to be shared.
  def test_objects_belong_to_who_made_them
    dump, program = history(<<~'RUBY', env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" })
      def many(n) = (i = 0; (Object.new; i += 1) while i < n)
      def burn(n) = (i = 0; i += 1 while i < n)
      def small = many(2_000)
      def large = many(200_000)
      def none = burn(300_000)
      def nap = sleep(0.001)
      bag = %i[small small small large none none nap]
      random = Random.new(3)
      from = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      counts = Hash.new(0)
      while Process.clock_gettime(Process::CLOCK_MONOTONIC) - from < 4
        which = bag[random.rand(bag.size)]
        __send__(which)
        counts[which] += 1
      end
      puts counts[:small] * 2_000, counts[:large] * 200_000
    RUBY
    small, large = program.out.split.map(&:to_i)
    by = Hash.new(0)
    dump.cells.each do |cell|
      method = dump.stack(cell.node).find { |label| label =~ /\AObject#(small|large|none|nap)\z/ }
      by[method] += cell.allocations
    end
    assert_near small + large, by.values.sum, relative: 0.02
    assert_equal 0, by["Object#none"] + by["Object#nap"]
    assert_operator by["Object#large"], :>=, large * 0.5
    assert_operator by["Object#large"], :>, by["Object#small"]
  end

  # Two samples of one thread in the same method say nothing of what lies between them when the thread waited meanwhile: it is
  # met in the method that computes, and hardly ever in the one that makes objects.
  def test_objects_made_between_waits_are_not_those_of_the_next_sample
    dump, = history(<<~'RUBY', env: { "RPERF_TOP_RECORD_HZ" => "100" })
      def compute = (i = 0; i += 1 while i < 200_000)
      def make = Array.new(400) { Object.new }
      def rest = sleep(0.001)
      def serve = (compute; rest; make; rest)
      Thread.new { 100.times { serve } }.join
      window_over
    RUBY
    made = dump.counter("allocations")
    assert_operator made, :>=, 40_000
    of = ->(label) { dump.cells.sum { |cell| dump.stack(cell.node).first == label ? cell.allocations : 0 } }
    assert_operator of.("Object#compute"), :<, made / 20
  end
end
