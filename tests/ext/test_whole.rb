# All calls of the program: counts against its own counters, the tree, times, beginnings and ends.
require_relative "support"

class WholeTest < Minitest::Test
  include Support

  WHAT = { state: 32, traced: 33, own: 34, untimed: 35, unnamed: 36, calls: 40, total: 41, self: 42 }.freeze
  STATES = { 1 => :on, 2 => :telling, 3 => :done, 4 => :full, 5 => :yjit, 6 => :refused }.freeze
  # Jobs run when something does.
  AWAKE = "Thread.new { loop { sleep 0.002 } }\n"

  def view(program, seconds: 60, name: "*")
    @viewers ||= []
    @viewers << IO.popen([Dump::TOOL, program.channel, "--watch", "1000", "--until-eof", "--trace", name, "--trace-seconds",
                          seconds.to_s], "w", out: File::NULL, err: File::NULL)
    @viewers.last
  end

  def teardown
    @viewers&.each { |viewer| viewer.close rescue nil }
    super
  end

  def rows(dump) = dump.windows.flat_map { |window| window["exact"] }

  def state(dump)
    row = (dump.windows.last&.fetch("exact") || []).find { |_, what,| what == WHAT[:state] }
    row && STATES[row.last]
  end

  def until_state(program, *wanted)
    program.dump_until("#{wanted}") { |dump| wanted.include?(state(dump)) }
  end

  def sum(dump, what, label = nil)
    rows(dump).sum { |node, one, _, value| one == WHAT[what] && (!label || dump.leaf(node) == label) ? value : 0 }
  end

  # {[frames from the root on] => calls}
  def tree(dump)
    rows(dump).each_with_object(Hash.new(0)) { |(node, what, _, value), sums| sums[dump.stack(node)] += value if what == WHAT[:calls] }
  end

  # Runs `code` while everything is traced, from when it said "ready" until it said what it has counted; then it ends, and
  # with it what is told.
  def whole(code, name: "*", **options)
    program = start("#{AWAKE}#{code}", **options, env: { "RPERF_TOP_KEEP" => "1" })
    assert_equal "ready", program.line
    path = program.channel
    view(program, name:)
    until_state(program, :on)
    program.puts
    answer = eval(program.line)
    program.puts
    program.finish
    [Dump.read(path), answer]
  end

  # All ways in which a method is entered and left.
  CASES = <<~'RUBY'
    class Cases
      COUNT = Hash.new(0)
      def self.count(name) = COUNT[name] += 1
      def fib(n) = (Cases.count("Cases#fib"); n < 2 ? n : fib(n - 1) + fib(n - 2))
      def fails = (Cases.count("Cases#fails"); raise("no"))
      def saves = (Cases.count("Cases#saves"); fails rescue nil)
      def throws = (Cases.count("Cases#throws"); throw(:out))
      def leaves(list) = (Cases.count("Cases#leaves"); list.each { |one| return one })
      def yields = (Cases.count("Cases#yields"); yield)
      def ensures = (Cases.count("Cases#ensures"); yield)
      def waits = (Cases.count("Cases#waits"); Fiber.yield; 1)
      def old = Cases.count("Cases#old")
      alias fresh old
      alias_method :newer, :old
      define_method(:made) { |n| Cases.count("Cases#made"); n }
      def method_missing(name, *) = Cases.count("Cases#method_missing")
      def respond_to_missing?(*) = true
      def deep(n) = (Cases.count("Cases#deep"); n.zero? ? 0 : deep(n - 1))
      def over = over
      def self.single = Cases.count("Cases.single")
      def with(a, *b, c: 1, **d, &e) = (Cases.count("Cases#with"); e&.call)
      def sorts = (Cases.count("Cases#sorts"); [3, 1, 2].sort_by { |n| key(n) })
      def key(n) = (Cases.count("Cases#key"); -n)
      attr_accessor :plain
    end
    module Shared
      def shared = Cases.count("Shared#shared")
    end
    class One; include Shared; end
    class Two; include Shared; end
    class Base
      def up = Cases.count("Base#up")
    end
    class Derived < Base
      def up = (Cases.count("Derived#up"); super)
    end
    module Refined
      refine(Cases) { def refined = Cases.count("refined") }
    end
    using Refined
    Prepended = Module.new { def old = (Cases.count("prepended"); super) }
  RUBY

  def test_counts_in_all_cases
    dump, answer, = whole(CASES + <<~'RUBY')
      puts "ready"; $stdout.flush; STDIN.gets
      one = Cases.new
      one.fib(12)
      40.times { one.saves }
      30.times { one.fails rescue nil }
      20.times { catch(:out) { one.throws } }
      25.times { one.leaves([1, 2]) }
      10.times { one.yields { } }
      15.times { one.yields { break } }
      5.times { one.ensures { one.yields { one.fails } } rescue nil }
      7.times { one.old; one.fresh; one.newer }
      8.times { one.made(1); one.send(:made, 2); one.public_send(:made, 3) }
      9.times { one.nothing; one.respond_to?(:more) }
      one.deep(500)
      3.times { Cases.single; one.method(:fib).call(1); one.method(:made).to_proc.call(1) }
      4.times { one.with(1); one.with(1, 2, c: 3, e: 4) { one.key(1) } }
      11.times { One.new.shared; Two.new.shared; Derived.new.up }
      6.times { one.refined; one.sorts; one.plain = one.plain }
      one.with(1) { begin; one.over; rescue SystemStackError; end }
      threads = 4.times.map { Thread.new { 100.times { one.made(1); one.yields { Thread.pass } } } }
      fibers = 20.times.map { Fiber.new { 3.times { one.waits } } }
      4.times { fibers.each { |fiber| fiber.resume if fiber.alive? } }
      lists = 3.times.map { |i| Enumerator.new { |list| 5.times { list << one.key(i) } } }
      2.times { lists.each(&:next) }
      killed = 2.times.map { Thread.new { one.yields { sleep } } }
      Thread.pass until killed.all? { |thread| thread.status == "sleep" }
      killed.each(&:kill).each(&:join)
      threads.each(&:join)
      GC.start
      Cases.prepend(Prepended)
      5.times { one.old }
      p Cases::COUNT; $stdout.flush; STDIN.gets
    RUBY
    assert_operator answer.values.sum, :>, 5000
    answer.each do |label, calls|
      label = { "refined" => "#<Refinement>#refined", "prepended" => "Prepended#old" }.fetch(label, label)
      assert_equal calls, sum(dump, :calls, label), label
    end
    assert_equal 12, sum(dump, :calls, "Cases#plain") + sum(dump, :calls, "Cases#plain="), "attributes"
    assert_equal 0, sum(dump, :unnamed)
  end
end
