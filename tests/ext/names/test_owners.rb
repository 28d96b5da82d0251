# What a frame is: a method of its owner. Lines that define methods of many classes, and what belongs together.
# Waits nearly all of the time
require_relative "../exact"
require_relative "../../chance"

class OwnersTest < Minitest::Test
  include Support
  include Chance
  include Exact

  WHAT = { state: 1, calls: 3 }.freeze
  STATES = { 2 => :traced }.freeze

  # Ticks come as soon as the channel is there. Spins on a core, however busy, so that each call is met.
  SPIN = <<~RUBY
    sleep 0.001 until Dir[ENV['RPERF_TOP_DIR'] + '/rperf-top.*.????????????????'].any?
    def spin(s = 0.06) = (t = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID); nil while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) - t < s)
  RUBY

  def run_it(code)
    @dump, = history(SPIN + code, env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" })
    @seen = @dump.cells.flat_map { |cell| @dump.stack(cell.node) }.uniq
  end

  def assert_met(*labels) = labels.each { |label| assert_includes @seen, label }
  def running(label) = @dump.total(:cpu, on_stack: label)

  # One line of a library or of the program, evaluated for each class: none has what another one took.
  def test_one_line_for_many_classes
    run_it(<<~'RUBY')
      require "forwardable"
      class Lines; def initialize(s) = @s = s; def sum = spin(@s); end
      class Cart; extend Forwardable; def_delegator :@lines, :sum; def initialize = @lines = Lines.new(0.1); end
      class Invoice; extend Forwardable; def_delegator :@lines, :sum; def initialize = @lines = Lines.new(0.4); end
      Cart.new.sum; Invoice.new.sum
      One, Two = Array.new(2) { Class.new { class_eval "def run(s) = spin(s)\ndef self.make(s) = [1].each { spin(s) }", "made.rb", 1 } }
      One.new.run(0.1); Two.new.run(0.4); One.make(0.1); Two.make(0.4)
      Point, Size = Array.new(2) { Struct.new(:a) { def area(s) = spin(s) } }
      Point.new(1).area(0.1); Size.new(1).area(0.4)
      Money, Weight = Array.new(2) { Data.define(:a) { def area(s) = spin(s) } }
      Money.new(1).area(0.1); Weight.new(1).area(0.4)
    RUBY
    [%w[Cart#sum Invoice#sum], %w[One#run Two#run], %w[One.make Two.make], %w[Point#area Size#area], %w[Money#area Weight#area]].each do |few, many|
      assert_met few, many
      # The truth is 1 to 4; of each the stack is met many times.
      assert_operator running(many), :>, running(few), "#{few}, #{many}"
    end
  end

  # As Active Record makes attributes: in a module of each class, which has a name of its own.
  def test_modules_that_are_included
    run_it(<<~'RUBY')
      class Base
        def self.attribute(name)
          const_set(:Generated, Module.new) unless const_defined?(:Generated, false)
          self::Generated.module_eval("def #{name}(s) = spin(s)", "attributes.rb", 7)
          include self::Generated
        end
      end
      class User < Base; attribute :name; end
      class Order < Base; attribute :name; end
      User.new.name(0.1); Order.new.name(0.4)
    RUBY
    assert_met "User::Generated#name", "Order::Generated#name"
    assert_operator running("Order::Generated#name"), :>, running("User::Generated#name")
  end

  # The VM tells the block that such a method is made of, which may be that of many: it names no class.
  def test_blocks_that_are_methods_name_no_class
    run_it(<<~'RUBY')
      require "delegate"
      class Real; def work = spin; end
      class Plain < SimpleDelegator; end
      class Typed < DelegateClass(Real); end
      Plain.new(Real.new).work; Typed.new(Real.new).work
      module Maker; def makes(*names) = names.each { |name| define_method(name) { spin } }; end
      class First; extend Maker; makes :a, :b; end
      class Second; extend Maker; makes :a; end
      First.new.a; First.new.b; Second.new.a
    RUBY
    assert_met "Delegator#method_missing", "Real#work"
    # The library of Ruby 4.0 writes such a method, in a class without a name.
    assert(@seen.any? { |label| label.match?(/block in (Delegator\.)?delegating_block|\A#<Class>#work/) }, @seen.inspect)
    assert(@seen.any? { |label| label.match?(/block .*in (Maker#)?makes/) }, @seen.inspect)
    assert_empty @seen.grep(/First|Second|Typed/).grep_v(/\A<class:/)
  end

  def test_what_belongs_together
    run_it(<<~'RUBY')
      module Shared; def shared = spin; end
      class Left; include Shared; end
      class Right; include Shared; alias other shared; end
      Left.new.shared; Right.new.shared; Right.new.other
      2.times { Class.new { def anonymous = spin }.new.anonymous }
      2.times { Module.new { def self.helped = spin }.helped }
      2.times { object = Object.new; object.instance_eval("def single = spin", "single.rb", 3); object.single }
      2.times do
        Object.send(:remove_const, :Loaded) if Object.const_defined?(:Loaded)
        Object.class_eval("class Loaded; def again = spin; end", "loaded.rb", 1)
        Loaded.new.again
      end
      module Refining; refine(String) { def refined = spin }; end
      using Refining
      2.times { "x".refined }
      "y".refined
    RUBY
    %w[shared anonymous helped single again refined].each do |name|
      assert_equal 1, @dump.labels.grep(/[#.]#{name}\z/).size, "#{name} in #{@dump.labels}"
    end
    assert_met "Shared#shared", "Loaded#again"
  end

  # What a module has, and what module_function made of it.
  def test_module_and_its_functions
    run_it(<<~'RUBY')
      module Tools; module_function def both = spin; end
      class User; include Tools; def go = both; end
      Tools.both; User.new.go
    RUBY
    assert_met "Tools.both", "Tools#both"
  end

  # Hundreds of classes whose methods one line has made: each is a frame.
  def test_generated_methods_stay_apart
    run_it(<<~'RUBY')
      classes = Array.new(40) { |i| Object.const_set("Made#{i}", Class.new) }
      classes.each { |c| 5.times { |i| c.class_eval("def m#{i} = spin(0.004)", "many.rb", 1) } }
      made = classes.map(&:new)
      5.times { |i| made.each { |one| one.send("m#{i}") } }
    RUBY
    # Each takes the time of some ticks; which of them met none is chance.
    assert_operator @dump.labels.grep(/\AMade\d+#m\d\z/).uniq.size, :>, 40
    assert_equal @dump.labels.grep(/\AMade/).uniq.size, @dump.labels.grep(/\AMade/).size
  end

  # Traced methods: the right one is counted, and told of by its own name.
  def test_exact_counts
    program = start(AWAKE + <<~'RUBY')
      require "forwardable"
      class Cart; extend Forwardable; def_delegator :@lines, :sum; def initialize = @lines = [1]; end
      class Invoice; extend Forwardable; def_delegator :@lines, :sum; def initialize = @lines = [2]; end
      cart, invoice = Cart.new, Invoice.new
      $stdout.sync = true
      puts "ready"
      STDIN.gets
      300.times { cart.sum }
      100.times { invoice.sum }
      puts "done"
      STDIN.gets
    RUBY
    assert_equal "ready", program.line
    view(program, "Invoice#sum", "Cart#sum")
    program.dump_until("both traced") do |dump|
      (dump.windows.last&.fetch("exact") || []).count { |_, what, _, value| what == WHAT[:state] && STATES[value] } == 2
    end
    program.puts
    assert_equal "done", program.line
    program.dump_until("all counts") { |dump| counts(dump) == { "Cart#sum" => 300, "Invoice#sum" => 100 } }
  end

  def counts(dump)
    rows(dump).select { |_, what,| what == WHAT[:calls] }.group_by { |node,| dump.leaf(node) }.transform_values { |found| found.sum(&:last) }
  end
end
