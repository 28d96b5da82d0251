# All calls of the program: counts against its own counters, the tree, times, beginnings and ends.
require_relative "../exact"

class WholeTest < Minitest::Test
  include Support
  include Exact

  WHAT = { state: 32, traced: 33, own: 34, untimed: 35, unnamed: 36, calls: 40, total: 41, self: 42 }.freeze
  STATES = { 1 => :on, 2 => :telling, 3 => :done, 4 => :full, 5 => :yjit, 6 => :refused }.freeze

  def view(program, seconds: 60, name: "*") = super(program, name, seconds:)

  # Refused where YJIT is on, whatever the tests run with.
  def setup
    @compiled = ENV.delete("RUBY_YJIT_ENABLE")
    super
  end

  def teardown
    ENV["RUBY_YJIT_ENABLE"] = @compiled
    super
  end

  def label(dump, node) = dump.frames[dump["nodes"][node][1]]["label"]

  def sum(dump, what, label = nil)
    rows(dump).sum { |node, one, _, value| one == WHAT[what] && (!label || label(dump, node) == label) ? value : 0 }
  end

  # {method => calls}
  def calls(dump)
    rows(dump).each_with_object(Hash.new(0)) { |(node, what, _, value), sums| sums[label(dump, node)] += value if what == WHAT[:calls] }
  end

  # {"from the caller on, to what is called" => [calls, total, self]}
  def tree(dump)
    rows(dump).each_with_object(Hash.new { |sums, path| sums[path] = [0, 0, 0] }) do |(node, what, _, value), sums|
      at = what - WHAT[:calls]
      sums[dump.stack(node).reverse.join(" > ")][at] += value if (0..2).cover?(at)
    end
  end

  # Runs `code` while everything is traced, from when it said "ready" until it said what it has counted; then it ends, and
  # with it what is told.
  def whole(code, name: "*", **options)
    program = start("#{AWAKE}#{code}", **options, env: { "RPERF_TOP_KEEP" => "1", **options.fetch(:env, {}) })
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

  # Methods, attributes, members of classes and modules of one name, in two boxes and outside.
  def test_boxes
    skip "this Ruby has no Ruby::Box" unless defined?(Ruby::Box)
    File.write("#{@folder}/price.rb", <<~'RUBY')
      class Price
        Pair = Struct.new(:left)
        module Tools
          class << self; attr_accessor :tool; end
        end
        attr_accessor :plain
        def asked = (self.plain = plain; Tools.tool = Pair.new(1).left)
      end
    RUBY
    dump, boxes, = whole(<<~'RUBY', options: ["-W0"], env: { "RUBY_BOX" => "1" })
      boxes = 2.times.map { Ruby::Box.new }
      [*boxes, self].each { |one| one.send(:require, "#{__dir__}/price.rb") }
      prices = [*boxes.map { |box| box::Price }, Price].map(&:new)
      puts "ready"; $stdout.flush; STDIN.gets
      10.times { prices.each_with_index { |price, i| (i + 1).times { price.asked } } }
      p boxes.map { |box| box.inspect[/\d+/].to_i }; $stdout.flush; STDIN.gets
    RUBY
    wanted = [*boxes.map { |number| "#<Ruby::Box:#{number}>::" }, ""].each_with_index.flat_map do |space, i|
      %w[#asked #plain #plain= ::Pair#left ::Tools.tool=].map { |name| ["#{space}Price#{name}", 10 * (i + 1)] }
    end
    assert_equal wanted.to_h, calls(dump).select { |label,| label.match?(/Price(#|::Pair#|::Tools)/) }
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
      Fiber.new { one.with(1) { begin; one.over; rescue SystemStackError; end } }.resume # its stack is not so deep
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
    assert_operator answer.values.sum, :>, 2000
    counted = calls(dump)
    other = { "refined" => "#<Refinement>#refined", "prepended" => "Prepended#old" }
    answer.each { |name, calls| assert_equal calls, counted[other.fetch(name, name)], name }
    assert_equal [6, 6], counted.values_at("Cases#plain", "Cases#plain="), "attributes"
    assert_equal 0, sum(dump, :unnamed)
  end

  # Of what a method calls the total is in its total, and not in its self; twice from the same caller is one node.
  def test_the_tree_and_its_times
    dump, answer = whole(<<~'RUBY')
      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      class Tree
        def spin(ns) = sleep(ns / 1e9)
        def leaf = spin(2_000_000)
        def twice = (leaf; leaf)
        def other = leaf
        def fact(n) = n < 2 ? spin(1_000_000) : fact(n - 1)
        def fails = (leaf; raise "no")
        def top = (twice; other; fact(5); (fails rescue nil))
      end
      puts "ready"; $stdout.flush; STDIN.gets
      from = now
      10.times { Tree.new.top }
      p now - from; $stdout.flush; STDIN.gets
    RUBY
    tree = tree(dump)
    path = ->(*names) { tree[["(root)", "Integer#times", *names.map { |name| "Tree##{name}" }].join(" > ").delete_prefix("(root) > ")] }
    top, twice, other, fact, fails = path.("top"), path.("top", "twice"), path.("top", "other"), path.("top", "fact"), path.("top", "fails")
    assert_equal [10, 10, 10, 10, 10], [top, twice, other, fact, fails].map(&:first), tree.keys
    assert_equal [20, 10, 10], [path.("top", "twice", "leaf"), path.("top", "other", "leaf"), path.("top", "fails", "leaf")].map(&:first)
    assert_equal [10] * 5, (1..5).map { |depth| path.("top", *["fact"] * depth).first }
    assert_operator twice[1], :>=, 40_000_000 * 0.98
    assert_operator other[1], :>=, 20_000_000 * 0.98
    assert_operator path.("top", *["fact"] * 5)[1], :>=, 10_000_000 * 0.98
    inside = [twice, other, fact, fails].sum { |row| row[1] }
    assert_operator inside, :<=, top[1] * 1.001
    assert_operator top[2], :<=, top[1] - inside * 0.999
    # Its own cost is no part of it: with it the times that the program saw would be those that are told.
    assert_operator top[1], :<, answer
    assert_operator sum(dump, :own), :>, 0
    assert_operator top[1] + sum(dump, :own), :>, answer * 0.9
  end

  # Calls that were open when it began end unseen, those that are open at its end count until then.
  def test_begins_and_ends_in_the_middle
    dump, = whole(<<~'RUBY')
      class Mid
        def down(n) = n.zero? ? (puts("ready"); $stdout.flush; STDIN.gets; other) : down(n - 1)
        def other = 10.times { again(3) }
        def again(n) = n.zero? ? 0 : again(n - 1)
        def stays = (p 1; $stdout.flush; STDIN.gets)
      end
      Mid.new.down(5)
      Mid.new.other
      Mid.new.stays
    RUBY
    assert_equal [2, 80, 1, 0], calls(dump).values_at("Mid#other", "Mid#again", "Mid#stays").push(calls(dump)["Mid#down"])
    tree = tree(dump)
    assert_equal 2, tree["Mid#other"][0], tree.keys
    assert_operator tree["Mid#stays"][1], :>, 0
    assert_equal 0, sum(dump, :untimed)
  end

  BUSY = <<~'RUBY'
    class Busy
      def call = 1
    end
    puts "ready"; $stdout.flush
    busy = Busy.new
    loop { 50.times { busy.call }; sleep 0.001 }
  RUBY

  # While the VM reads a file, its frame has no code and calls have no events: tracing begins between two files.
  def test_begins_in_a_program_that_loads_files
    program = start(<<~RUBY)
      require "tempfile"
      file = Tempfile.new(["large", ".rb"])
      file.write("if false\n", "[1, 2].size\n" * 20_000, "end\n")
      file.flush
      puts "ready"; $stdout.flush
      loop do
        load file.path
        sleep 0.01
      end
    RUBY
    program.line
    view(program)
    assert_equal :on, state(until_state(program, :on))
  end

  def test_ends_when_its_viewer_is_killed
    program = start(AWAKE + BUSY)
    program.line
    viewer = view(program)
    view(program, name: "Nobody#nothing")
    program.dump_until("calls") { |dump| calls(dump)["Busy#call"] > 100 }
    Process.kill(:KILL, viewer.pid)
    ended = program.dump_until("its end") { |dump| !state(dump) }.windows.last["sequence"]
    dump = program.dump_until("windows more") { |one| one.windows.last["sequence"] > ended + 2 }
    assert_empty dump.windows.last(2).flat_map { |window| window["exact"] }.select { |_, what,| what >= 32 }
  end

  def test_ends_after_its_time_and_tells_all
    program = start(AWAKE + BUSY)
    program.line
    view(program, seconds: 1)
    dump = until_state(program, :done)
    assert_in_delta 1e9, sum(dump, :traced), 0.3e9
    before = calls(dump)["Busy#call"]
    assert_operator before, :>, 50
    ended = dump.windows.last["sequence"]
    dump = program.dump_until("windows more") { |one| one.windows.last["sequence"] > ended + 2 }
    assert_equal before, calls(dump)["Busy#call"]
  end

  MANY = <<~'RUBY'
    class Many
      3000.times { |i| class_eval("def one_#{i} = 1") }
    end
    puts "ready"; $stdout.flush
    many = Many.new
    STDIN.gets
    3000.times { |i| 2.times { many.__send__("one_#{i}") } }
    puts "done"; $stdout.flush; STDIN.gets
  RUBY

  # More methods than are named in one window: nothing of what was counted is lost when nobody waits for the end.
  def test_ends_early_and_tells_all
    program = start(AWAKE + MANY)
    program.line
    viewer = view(program, name: "*r")
    until_state(program, :on)
    program.puts
    program.line
    viewer.close
    dump = program.dump_until("its end") { |one| !state(one) }
    assert_equal [2] * 3000, calls(dump).filter_map { |label, count| count if label.start_with?("Many#one_") }
    assert_equal 0, sum(dump, :unnamed)
  end

  # Without a recorder it parks once the viewer is gone: who comes next gets nothing of what was not told.
  def test_parked
    program = start(AWAKE + MANY, env: { "RPERF_TOP_RECORD_HZ" => "0" })
    program.line
    viewer = view(program, name: "*r")
    until_state(program, :on)
    program.puts
    program.line
    viewer.close
    wait_for("the publisher to park") do
      before = program.publisher_status("voluntary_ctxt_switches")
      IO.select(nil, nil, nil, 0.35)
      before && before == program.publisher_status("voluntary_ctxt_switches")
    end
    last = program.dump.windows.last["sequence"]
    view(program, name: "*r", seconds: 1)
    dump = until_state(program, :done)
    later = dump.windows.select { |window| window["sequence"] > last }.flat_map { |window| window["exact"] }
    assert_equal [:on, :done], later.filter_map { |_, what, _, value| STATES[value] if what == WHAT[:state] }.uniq - [:telling]
    assert_empty later.select { |node, what,| what == WHAT[:calls] && label(dump, node).start_with?("Many#one_") }
  end

  # Two ask: both see it, and it goes on for the one that stays.
  def test_two_viewers
    program = start(AWAKE + BUSY)
    program.line
    first = view(program)
    until_state(program, :on)
    view(program)
    2.times { |i| program.dump_until("it to be on") { |dump| rows(dump).count { |_, what, _, value| what == 1 && value == 2 } > 2 * i } }
    program.dump_until("both") { |dump| dump.windows.last["exact"].count { |_, what, _, value| what == 1 && value == 2 } == 2 }
    Process.kill(:KILL, first.pid)
    dump = program.dump_until("the second alone") { |one| one.windows.last["exact"].count { |_, what,| what == 1 } == 1 }
    before = calls(dump)["Busy#call"]
    program.dump_until("more calls") { |one| state(one) == :on && calls(one)["Busy#call"] > before }
  end

  # No room for more call nodes: it ends, and says so; what it has is told.
  def test_memory_is_bounded
    program = start(AWAKE + <<~'RUBY')
      class Wide
        def walk(n, bits) = n.zero? ? 0 : (bits & 1).zero? ? left(n - 1, bits >> 1) : right(n - 1, bits >> 1)
        def left(n, bits) = walk(n, bits)
        def right(n, bits) = walk(n, bits)
      end
      puts "ready"; $stdout.flush
      STDIN.gets
      wide = Wide.new
      (1 << 15).times { |bits| wide.walk(15, bits) }
      puts "done"; $stdout.flush
      STDIN.gets
    RUBY
    program.line
    view(program)
    until_state(program, :on)
    program.puts
    assert_equal "done", program.line
    dump = until_state(program, :full)
    assert_operator calls(dump).values.sum, :>, 60_000
    nodes = rows(dump).filter_map { |node, what,| node if what == WHAT[:calls] }.uniq.size
    assert_operator nodes, :<=, 65_536
    assert_equal calls(dump).values.sum + sum(dump, :unnamed), counted_total(dump)
  end

  # Readers follow stacks up to 4096 frames: what is called below is counted, but has no place.
  def test_calls_deeper_than_any_reader_goes
    dump, answer = whole(<<~'RUBY', name: "*r")
      class Deep
        def down(n) = n.zero? ? 0 : down(n - 1)
      end
      puts "ready"; $stdout.flush; STDIN.gets
      Deep.new.down(6000)
      p 6001; $stdout.flush; STDIN.gets
    RUBY
    deepest = rows(dump).filter_map { |node, what,| dump.stack(node).size if what == WHAT[:calls] }.max
    assert_equal 4096, deepest
    assert_equal deepest, calls(dump)["Deep#down"]
    assert_equal answer - deepest, sum(dump, :unnamed)
  end

  # Operators that have become calls stand on stacks: they do once calls of C were told of, until the process ends.
  def operators_after(program, name)
    viewer = view(program, name: name)
    until_state(program, :on)
    viewer.close
    ended = program.dump_until("its end") { |dump| dump.windows.last["exact"].empty? }.windows.last["end_ns"]
    dump = program.dump_until("what comes after") { |one| one.windows.last["end_ns"] > ended + 500_000_000 }
    dump.frames.filter_map { |frame| frame && frame["label"] }.grep(/\AInteger#[+<]\z/)
  end

  def test_calls_in_ruby_leave_no_call_behind
    program = start(AWAKE + <<~'RUBY', env: { "RPERF_TOP_RECORD_HZ" => "1000" })
      def add = (i = 0; i += 1 while i < 100_000)
      puts "ready"; $stdout.flush
      loop { add }
    RUBY
    program.line
    assert_empty operators_after(program, "*r")
    refute_empty operators_after(program, "*"), "so it can be seen"
  end

  def counted_total(dump) = sum(dump, :calls) + sum(dump, :unnamed)

  def test_where_yjit_compiles_it_is_forced_only
    skip "this Ruby has no YJIT" unless defined?(RubyVM::YJIT)
    program = start(AWAKE + BUSY, options: ["--yjit"])
    program.line
    viewer = view(program)
    dump = until_state(program, :yjit)
    assert_equal 0, sum(dump, :calls)
    viewer.close
    view(program, name: "*!")
    program.dump_until("calls") { |one| calls(one)["Busy#call"] > 100 }
  end

  # The hook is there in a child, too, at first: it counts nothing, and goes.
  def test_fork
    dump, answer = whole(<<~'RUBY')
      class Kid
        def call = 1
      end
      puts "ready"; $stdout.flush; STDIN.gets
      reader, writer = IO.pipe
      pid = fork { 1000.times { Kid.new.call }; GC.start; 1000.times { Kid.new.call }; writer.puts "1"; exit!(0) }
      Process.wait(pid)
      5.times { Kid.new.call }
      puts reader.gets; $stdout.flush; STDIN.gets
    RUBY
    assert_equal 1, answer
    assert_equal 5, calls(dump)["Kid#call"]
  end

  # Classes that come and go while they are counted stay alive as long as they have a node.
  def test_collections
    dump, answer = whole(<<~'RUBY')
      puts "ready"; $stdout.flush; STDIN.gets
      200.times do |i|
        Class.new { eval("def go; end"); define_method(:made) { } ; def self.name = "x" }.then { |one| one.new.go; one.new.made }
        GC.start if i % 50 == 0
        GC.compact if i == 100 && GC.respond_to?(:compact)
      end
      p 200; $stdout.flush; STDIN.gets
    RUBY
    counted = calls(dump)
    assert_equal answer, counted.sum { |name, calls| name.match?(/#go\z/) ? calls : 0 }, counted.keys
    assert_equal answer, counted.sum { |name, calls| name.match?(/#made\z/) ? calls : 0 }
  end

  # What one viewer has not read is not told to the next.
  def test_one_after_another
    program = start(AWAKE + <<~'RUBY')
      class Turn
        def first = 1
        def second = 2
      end
      puts "ready"; $stdout.flush
      turn = Turn.new
      STDIN.gets
      500.times { turn.first }
      puts "done"; $stdout.flush; STDIN.gets
      300.times { turn.second }
      puts "done"; $stdout.flush; STDIN.gets
    RUBY
    program.line
    first = view(program)
    until_state(program, :on)
    program.puts
    program.line
    Process.kill(:KILL, first.pid)
    last = program.dump_until("its end") { |dump| !state(dump) }.windows.last["sequence"]
    view(program)
    until_state(program, :on)
    program.puts
    program.line
    counted = nil
    program.dump_until("the calls of the next") do |dump|
      told = dump.windows.select { |window| window["sequence"] > last }.flat_map { |window| window["exact"] }
      counted = told.each_with_object(Hash.new(0)) { |(node, what, _, value), sums| sums[label(dump, node)] += value if what == WHAT[:calls] }
      counted["Turn#second"] >= 300
    end
    assert_equal [0, 300], counted.values_at("Turn#first", "Turn#second").map(&:to_i)
  end

  # Calls of other Ractors run beside: they are not counted, and disturb nothing.
  def test_ractors
    dump, answer = whole(<<~'RUBY')
      class Beside
        def own = 1
        def other = 2
      end
      $VERBOSE = nil
      puts "ready"; $stdout.flush; STDIN.gets
      ractors = 2.times.map { Ractor.new { one = Beside.new; 20_000.times { one.other }; 1 } }
      one = Beside.new
      5000.times { one.own }
      p ractors.sum(&:value); $stdout.flush; STDIN.gets
    RUBY
    assert_equal 2, answer
    assert_equal [5000, 0], calls(dump).values_at("Beside#own", "Beside#other").map(&:to_i)
  end
end
