# Exceptions per window: all that are raised in the main Ractor, none that are not; and their classes and places.
# Waits nearly all of the time
require_relative "support"

class RaisesTest < Minitest::Test
  include Support

  def raised(code, **options) = history("sleep 0.001 until Dir[ENV['RPERF_TOP_DIR'] + '/rperf-top.*.????????????????'].any?; window_over\n#{code}\nwindow_over", **options).first.counter("exceptions")

  def test_every_raise_counts
    quiet = raised("")
    assert_equal 1000, raised("1000.times { begin; raise 'x'; rescue; end }") - quiet
    assert_equal 300, raised("threads = 3.times.map { Thread.new { 100.times { Integer('x') rescue 0 } } }; threads.each(&:join)") - quiet
    assert_equal 0, raised("1000.times { catch(:a) { throw :a } }; 1000.times { Integer('x', exception: false) }") - quiet
  end

  def test_it_starts_and_stops_with_the_profiler
    dump, = history(<<~'RUBY', env: { "RPERF_TOP" => "0" })
      def some(n) = n.times { begin; raise "x"; rescue; end }
      some(50)
      RperfTop.start
      sleep 0.001 until Dir[ENV["RPERF_TOP_DIR"] + "/rperf-top.*.????????????????"].any?
      RperfTop.stop
      some(50)
      RperfTop.start
      window_over
      some(7)
      window_over
    RUBY
    assert_equal 7, dump.counter("exceptions")
  end

  # TracePoints of the program see what they saw.
  def test_other_hooks_are_not_disturbed
    assert_undisturbed(<<~'RUBY')
      seen = 0
      TracePoint.new(:raise) { |trace| seen += 1; trace.raised_exception.message << "!" }.enable do
        20.times { begin; raise +"x"; rescue => error; puts error.message; end }
      end
      RperfTop.stop if defined?(RperfTop)
      TracePoint.new(:raise) { seen += 1 }.enable { begin; raise "x"; rescue; end }
      puts seen
    RUBY
  end

  Place = Struct.new(:first, :last, :serial, :name, :node, :count)

  def places(dump) = dump.windows.flat_map { |window| window["raised"] }.map { |row| Place.new(*row) }

  # {[class, method, line] => count}: of the innermost method in Ruby.
  def by_place(dump)
    places(dump).each_with_object(Hash.new(0)) do |place, sums|
      frame, line = dump.stack_frames(place.node).find { |found, _| found["path"].end_with?(".rb") }
      sums[[dump.leaf(place.name), frame && frame["label"].delete_prefix("block in "), line]] += place.count
    end
  end

  # Nothing is lost: what has no class and place is counted as that.
  def assert_all_are_told(dump)
    assert_equal dump.counter("exceptions"), places(dump).sum(&:count) + dump.counter("raises_untold")
  end

  # The names are made in the job, which no raise asks for: so the program goes on for a moment.
  SOME = <<~'RUBY'
    class Missing < StandardError
      def self.name = raise("asked")
      def self.to_s = raise("asked")
      def self.inspect = raise("asked")
      def self.hash = raise("asked")
      def self.==(other) = raise("asked")
      def class = raise("asked")
    end
    module Outer; class Inner < ArgumentError; end; end
    class Shop
      def find = raise(Missing)                              # line 11
      def number(text) = Integer(text)                       # line 12
      def divide(by) = 1 / by                                # line 13
      def at(list) = list.fetch(7)                           # line 14
      def self.inner = [1].each { |_| raise Outer::Inner }   # line 15
      def unnamed = raise(Class.new(StandardError))          # line 16
      def none = nil.total                                   # line 17
    end
    def quiet = begin; yield; rescue StandardError; nil; end
    shop = Shop.new
    30.times { quiet { shop.find } }
    20.times { quiet { shop.number("x") } }
    10.times { quiet { shop.divide(0) } }
    9.times { quiet { shop.at([]) } }
    8.times { quiet { Shop.inner } }
    7.times { quiet { shop.unnamed } }
    6.times { quiet { shop.none } }
    e = [1].each; e.next; 5.times { quiet { e.next } }       # line 28
    window_over
  RUBY

  def test_class_and_place
    dump, = history(SOME)
    expected = { ["Missing", "Shop#find", 11] => 30, ["ArgumentError", "Shop#number", 12] => 20,
                 ["ZeroDivisionError", "Shop#divide", 13] => 10, ["IndexError", "Shop#at", 14] => 9,
                 ["Outer::Inner", "Shop.inner", 15] => 8, ["#<Class>", "Shop#unnamed", 16] => 7,
                 ["NoMethodError", "Shop#none", 17] => 6, ["StopIteration", "block (2 levels) in <main>", 28] => 5 }
    found = by_place(dump)
    expected.each { |place, count| assert_equal count, found[place], "#{place}: #{found}" }
    refute_includes found.keys.map(&:first), "RuntimeError" # nobody was asked
    assert_equal "Array#fetch", places(dump).find { |place| dump.leaf(place.name) == "IndexError" }.then { |place| dump.leaf(place.node) }
    assert_all_are_told(dump)
    assert_equal 0, dump.counter("raises_untold")
  end

  def test_when_and_by_whom
    dump, program = history(<<~'RUBY')
      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      def some(n) = n.times { begin; raise IndexError; rescue IndexError; nil; end }
      from = now
      threads = 3.times.map { |i| Thread.new { Thread.current.name = "worker #{i}"; some(100 * (i + 1)) } }
      threads.each(&:join)
      puts from, now
      window_over
    RUBY
    from, to = program.out.split.map(&:to_i)
    mine = places(dump).select { |place| dump.leaf(place.name) == "IndexError" }
    threads = mine.group_by(&:serial).transform_values { |rows| rows.sum(&:count) }
    assert_equal [100, 200, 300], threads.values.sort
    refute_includes threads.keys, dump.main.serial
    mine.each { |place| assert_includes from..to, place.first }
    mine.each { |place| assert_includes place.first..to, place.last }
    dump.windows.each { |window| window["raised"].each { |row| assert_operator row[1], :<=, window["end_ns"] } }
  end

  # More places than there is room for, and more exceptions in a window than are told apart.
  def test_what_is_too_much_is_counted
    dump, = history(<<~'RUBY')
      400.times { |i| eval("begin; raise 'x'; rescue; end", binding, "place.rb", i + 1) }
      20_000.times { begin; raise "y", cause: nil; rescue; end }
      window_over
    RUBY
    told = places(dump)
    assert_operator dump.counter("exceptions"), :>=, 20_400
    assert_all_are_told(dump)
    assert_operator dump.counter("raises_untold"), :>, 0
    dump.windows.each { |window| assert_operator window["raised"].size, :<=, 128 }
    assert_operator told.map { |place| dump.lines(place.node).first(2) }.uniq.size, :>=, 100
  end

  # A class for each exception: names stay right while the GC moves things, and the classes can go.
  def test_classes_that_come_and_go
    dump, program = history(<<~'RUBY', env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" })
      def window = window_over
      3.times do
        600.times { |i| begin; raise Class.new(StandardError); rescue StandardError; end }
        GC.start
        GC.compact
        Object.const_set(:"Named#{rand(1 << 30)}", Class.new(StandardError))
        window
      end
      12.times { begin; raise KeyError; rescue KeyError; end; window }
      GC.start
      puts ObjectSpace.each_object(Class).count { |one| one < StandardError && !one.name }
    RUBY
    counts = by_place(dump).each_with_object(Hash.new(0)) { |((name, *), count), sums| sums[name] += count }
    assert_includes 1..12, counts["KeyError"] # for a second those before it have all the room
    assert_operator counts["#<Class>"], :>=, 128
    assert_all_are_told(dump)
    assert_operator program.out.to_i, :<=, 128 + 8
  end

  # The child's are its own.
  def test_after_a_fork
    program = start(<<~'RUBY', env: { "RPERF_TOP_KEEP" => "1" })
      $stdout.sync = true
      def some(n) = n.times { begin; raise IndexError; rescue IndexError; nil; end }
      some(50)
      pid = fork do
        window_over
        some(7)
        window_over
      end
      puts pid
      Process.wait(pid)
      some(3)
      window_over
    RUBY
    child = program.line.to_i
    program.finish
    sums = [program.pid, child].map do |pid|
      dump = Dump.read(program.channel(pid))
      places(dump).sum { |place| dump.leaf(place.name) == "IndexError" ? place.count : 0 }
    end
    assert_equal [53, 7], sums
  end
end
