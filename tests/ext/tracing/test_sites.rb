# Allocation sites: against the program's own numbers, exactly and as estimates; what is alive; beginnings and ends.
require_relative "../exact"
require_relative "../../chance"

class SitesTest < Minitest::Test
  include Support
  include Chance
  include Exact

  WHAT = { state: 48, sum: 49, objects: 50, bytes: 51, samples: 52, square: 53, cross: 54, alive: 55 }.freeze
  OBJECTS_LOOKED = 1
  SUMS = %i[time own objects seen square looked full].freeze
  STATES = { 1 => :on, 2 => :waits, 3 => :telling, 4 => :done, 5 => :no_gc, 6 => :refused }.freeze
  PLENTY = { "RPERF_TOP_BUDGET" => "50" }.freeze

  def view(program, seconds: 60) = super(program, "@", seconds:)

  def sums(dump)
    rows(dump).each_with_object(Hash.new(0)) { |(_, what, key, value), all| all[SUMS[key]] += value if what == WHAT[:sum] }
  end

  Site = Struct.new(:looked, :objects, :bytes, :samples, :square, :cross, :judged, :live, :live_bytes)

  # {[class, method, line] => Site}
  def sites(dump)
    all = Hash.new { |hash, key| hash[key] = Site.new(*[0] * 9) }
    rows(dump).each do |node, what, key, value|
      next unless what >= WHAT[:objects]
      parent, frame = dump["nodes"][node]
      name = [dump.frames[frame]["label"], dump.frames[dump["nodes"][parent][1]]["label"], dump["nodes"][parent][2]]
      at = what == WHAT[:objects] && key == OBJECTS_LOOKED ? 0 : what - WHAT[:objects] + key + 1
      all[name][at] += value
    end
    all
  end

  # All sites of a class.
  def of_class(dump, name)
    found = sites(dump).select { |key, _| key.first == name }.values
    Site.new(*Site.members.map { |member| found.sum(&member) })
  end

  # As rperf-top-segment(5) has it: objects, standard error.
  def estimate(dump, site)
    sum = sums(dump)
    rest, weight = sum[:objects] - sum[:looked], sum[:seen] - sum[:looked]
    share = (site.objects - site.looked).fdiv(weight)
    variance = site.square - 2 * share * site.cross + share**2 * sum[:square]
    [site.looked + share * rest, rest.fdiv(weight) * Math.sqrt([0, variance].max)]
  end

  # Runs `code` while objects are sampled, from when it said "ready" until it said what it has counted; then it ends, and
  # with it what is told.
  def sampled(code, **options)
    program = start("#{AWAKE}#{code}", **options, env: { "RPERF_TOP_KEEP" => "1", **options.fetch(:env, {}) })
    assert_equal "ready", program.line
    path = program.channel
    view(program)
    until_state(program, :on)
    program.puts
    answer = eval(program.line)
    program.puts
    program.finish
    assert program.status.success?, program.err
    [Dump.read(path), answer]
  end

  KINDS = <<~'RUBY'
    class Item; end
    class Shop
      def items = [Item.new, Item.new, Item.new]
      def text(n) = "order #{n}"
      def table = { a: 1 }
      def copies(list) = list.map { |one| one.dup }
      def long = "x" * 5000
      def nameless = Class.new.new
    end
  RUBY

  # As slow as that every object can be a sample.
  def test_exact
    dump, = sampled(KINDS + <<~'RUBY', env: PLENTY)
      shop = Shop.new
      name = "a"
      puts "ready"; $stdout.flush; STDIN.gets
      100.times { |i| shop.items; shop.text(name); shop.table; sleep 0.003; shop.copies([:a, "b"]); shop.long }
      shop.nameless
      puts 1; $stdout.flush; STDIN.gets
    RUBY
    all = sites(dump)
    at = ->(name, method) { all.select { |(one, where), _| one == name && where == method }.values }
    assert_equal sums(dump)[:objects], sums(dump)[:seen]
    assert_equal [300], at["Item", "Shop#items"].map(&:objects)
    assert_equal [100], at["Array", "Shop#items"].map(&:objects)
    assert_equal [100], at["String", "Shop#text"].map(&:objects)
    assert_equal [100], at["Hash", "Shop#table"].map(&:objects)
    assert_equal [100], at["String", "Shop#copies"].map(&:objects)
    assert_equal 1, at["#<Class>", "Shop#nameless"].sum(&:objects)
    assert_equal [0], at["Item", "Shop#items"].map(&:square).uniq
    assert_operator at["String", "Shop#long"].sum(&:bytes), :>=, 500_000
    assert_equal [4], all.keys.select { |_, where,| where == "Shop#items" }.map(&:last).uniq
    assert_equal sums(dump)[:objects], all.values.sum(&:objects), "every object has a site"
    assert_equal 0, sums(dump)[:full]
  end

  # Those of one name are told apart, and so are the methods that make them.
  def test_classes_of_boxes
    skip "this Ruby has no Ruby::Box" unless defined?(Ruby::Box)
    File.write("#{@folder}/shop.rb", "class Shop\n  class Item; end\n  def item = Item.new\nend\n")
    dump, boxes = sampled(<<~'RUBY', options: ["-W0"], env: { **PLENTY, "RUBY_BOX" => "1" })
      boxes = 2.times.map { Ruby::Box.new }
      [*boxes, self].each { |one| one.send(:require, "#{__dir__}/shop.rb") }
      shops = [*boxes.map { |box| box::Shop }, Shop].map(&:new)
      puts "ready"; $stdout.flush; STDIN.gets
      100.times { shops.each_with_index { |shop, i| (i + 1).times { shop.item } }; sleep 0.003 }
      p boxes.map { |box| box.inspect[/\d+/].to_i }; $stdout.flush; STDIN.gets
    RUBY
    assert_equal sums(dump)[:objects], sums(dump)[:seen]
    spaces = [*boxes.map { |number| "#<Ruby::Box:#{number}>::" }, ""]
    wanted = spaces.each_with_index.to_h { |space, i| [["#{space}Shop::Item", "#{space}Shop#item", 3], 100 * (i + 1)] }
    assert_equal wanted, sites(dump).select { |(name, _), _| name.end_with?("Item") }.transform_values(&:objects)
  end

  # Far too many to look at all: within five standard errors of what the program knows, at less than its budget.
  # On a busy machine sampling may find no core while the program runs: then nothing is estimated, and it runs again.
  def test_estimates
    program = <<~'RUBY'
      class Common; end
      class Rare; end
      COUNT = [0, 0, 0]
      def many = (COUNT[0] += 100; i = 0; (Common.new; i += 1) while i < 100)
      def few = (COUNT[1] += 5; i = 0; (Rare.new; i += 1) while i < 5)
      def texts = (COUNT[2] += 80; i = 0; ("a text".dup; i += 1) while i < 40)
      puts "ready"; $stdout.flush; STDIN.gets
      till = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) + 1.2
      while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < till
        200.times { many; few }
        400.times { texts }
      end
      p COUNT; $stdout.flush; STDIN.gets
    RUBY
    dump, (common, rare, text) = nil
    4.times do
      dump, (common, rare, text) = sampled(program, env: { "RPERF_TOP_BUDGET" => "3" })
      break if sums(dump)[:seen] > sums(dump)[:looked] && sums(dump)[:looked] > 100
    end
    sum = sums(dump)
    { "Common" => common, "Rare" => rare, "String" => text }.each do |name, made|
      objects, error = estimate(dump, of_class(dump, name))
      assert_operator error, :>, 0
      assert_in_delta made, objects, 5 * error + 300, "#{name}: #{made}, estimated #{objects} +- #{error}"
      assert_operator error, :<, made, name
    end
    assert_operator sum[:seen], :!=, sum[:objects]
    assert_operator sum[:looked], :<, sum[:objects]
    assert_operator sum[:own], :<, 0.1 * sum[:time]
  end

  # What is kept is alive after the next major GC, wherever it was moved; what is not, is not.
  def test_alive
    program = start(AWAKE + <<~'RUBY', env: PLENTY)
      class Kept; end
      class Lost; end
      class Large; end
      def keep(all) = all << Kept.new
      def lose = Lost.new
      def run(all, count) = count.times { keep(all); lose; 2.times { sleep 0.001 } }
      all = []
      puts "ready"; $stdout.flush; STDIN.gets
      run(all, 150)
      puts "made"; $stdout.flush; STDIN.gets
      GC.compact if GC.respond_to?(:compact)
      GC.start
      loop { sleep 0.001 }
    RUBY
    assert_equal "ready", program.line
    view(program, seconds: 2)
    until_state(program, :on)
    program.puts
    assert_equal "made", program.line
    until_state(program, :waits)
    program.puts
    dump = until_state(program, :done)
    kept, lost = of_class(dump, "Kept"), of_class(dump, "Lost")
    assert_operator kept.objects, :>, 100
    assert_equal kept.objects, kept.judged
    assert_equal kept.judged, kept.live
    assert_operator kept.live_bytes, :>=, 40 * kept.live
    assert_equal lost.objects, lost.judged
    assert_operator lost.live, :<=, 3, "a stack may still hold the last ones"
  end

  MAKES = <<~'RUBY'
    class Thing; end
    def make = Thing.new
    puts "ready"; $stdout.flush
    loop { 5.times { make }; sleep 0.001 }
  RUBY

  def test_ends_when_its_viewer_is_killed
    program = start(AWAKE + MAKES)
    program.line
    viewer = view(program)
    program.dump_until("objects") { |dump| of_class(dump, "Thing").objects > 50 }
    Process.kill(:KILL, viewer.pid)
    ended = program.dump_until("its end") { |dump| !state(dump) }.windows.last["sequence"]
    dump = program.dump_until("windows more") { |one| one.windows.last["sequence"] > ended + 2 }
    assert_empty dump.windows.last(2).flat_map { |window| window["exact"] }.select { |_, what,| what >= 48 }
    view(program)
    until_state(program, :on)
  end

  # The hook is there in a child, too, at first: it takes nothing, and goes.
  def test_fork
    dump, answer = sampled(<<~'RUBY', env: PLENTY)
      class Kid; end
      def make = Kid.new
      puts "ready"; $stdout.flush; STDIN.gets
      reader, writer = IO.pipe
      pid = fork { 2000.times { make }; GC.start; GC.compact if GC.respond_to?(:compact); 2000.times { make }; writer.puts "1"; exit!(0) }
      Process.wait(pid)
      5.times { make; sleep 0.002 }
      puts reader.gets; $stdout.flush; STDIN.gets
    RUBY
    assert_equal 1, answer
    assert_equal 5, of_class(dump, "Kid").objects
  end

  # Methods and classes that are gone at once, collections in the middle of everything.
  def test_collections
    dump, answer = sampled(<<~'RUBY', env: PLENTY)
      puts "ready"; $stdout.flush; STDIN.gets
      GC.stress = false
      60.times do |i|
        made = Class.new { define_method(:make) { Object.new } }
        made.new.make
        eval("Object.new; 'text' + '#{i}'")
        GC.start(full_mark: i.odd?) if i % 3 == 0
        sleep 0.001
      end
      p 60; $stdout.flush; STDIN.gets
    RUBY
    assert_equal 60, answer
    assert_operator of_class(dump, "Object").objects, :>, 60
  end

  # Those of other Ractors are not told of, and do no harm.
  def test_ractors
    dump, answer = sampled(<<~'RUBY')
      $VERBOSE = nil
      class Mine; end
      class Theirs; end
      def mine = Mine.new
      puts "ready"; $stdout.flush; STDIN.gets
      ractor = Ractor.new { 20_000.times { Theirs.new }; 1 }
      20_000.times { mine }
      p ractor.value; $stdout.flush; STDIN.gets
    RUBY
    assert_equal 1, answer
    assert_operator of_class(dump, "Mine").samples, :>, 0
    assert_equal 0, of_class(dump, "Theirs").samples
  end

  def test_two_viewers
    program = start(AWAKE + MAKES)
    program.line
    first = view(program)
    until_state(program, :on)
    view(program)
    program.dump_until("both") { |dump| dump.windows.last["exact"].count { |_, what, _, value| what == 1 && value == 2 } == 2 }
    Process.kill(:KILL, first.pid)
    dump = program.dump_until("the second alone") { |one| one.windows.last["exact"].count { |_, what,| what == 1 } == 1 }
    before = of_class(dump, "Thing").samples
    program.dump_until("more") { |one| state(one) == :on && of_class(one, "Thing").samples > before }
  end
end
