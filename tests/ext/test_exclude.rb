# What is left out of stacks: RPERF_TOP_EXCLUDE, RPERF_TOP_DEPTH and the same of RperfTop.start.
require_relative "support"

class ExcludeTest < Minitest::Test
  include Support

  FAST = { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" }.freeze
  PROGRAM = <<~'RUBY'
    sleep 0.001 until Dir[ENV['RPERF_TOP_DIR'] + '/rperf-top.*.????????????????'].any?
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    def spin(s) = (t = now; nil while now - t < s)
    module Shop; class Order; def total = [1].each { line }; def line = spin(0.1); end; end
    def checkout = Shop::Order.new.total
    def doze = sleep(0.1)
    3.times { checkout; doze }
    Thread.new { Shop::Order.new.total }.join
    window_over
  RUBY

  # Labels of all stacks, leaf first, with the sums of their wall time.
  def stacks(dump)
    dump.cells.each_with_object(Hash.new(0)) { |cell, sums| sums[dump.stack(cell.node)] += cell.wall }
  end

  def on_stacks(dump) = stacks(dump).keys.flatten.uniq

  def assert_conserved(dump)
    dump.threads.each_value { |thread| assert_whole_life dump, thread, absolute: 3_000_000 }
  end

  def test_time_goes_to_the_caller_that_is_shown
    dump, = history(PROGRAM, env: { **FAST, "RPERF_TOP_EXCLUDE" => "Shop::*, <C>, Object#spin, Object#now" })
    seen = on_stacks(dump)
    %w[Shop::Order#total Shop::Order#line Array#each Object#spin Kernel#sleep].each { |name| refute_includes seen, name }
    assert_operator dump.total(leaf: "Object#checkout", state: "running"), :>, 250_000_000
    assert_operator dump.total(leaf: "Object#doze", state: "blocked"), :>, 250_000_000
    assert_includes stacks(dump).keys, ["Object#checkout", "block in <main>", "Integer#times", "<main>"]
    assert_conserved(dump)
  end

  def test_paths_gems_and_the_standard_library
    Dir.mktmpdir("gems", @folder) do |dir|
      folder = "#{dir}/gems/slow-1.2.3/lib"
      FileUtils.mkdir_p(folder)
      File.write("#{folder}/slow.rb", "module Slow; def self.run = spin(0.2); end")
      code = PROGRAM + "require #{"#{folder}/slow".inspect}\nrequire 'set'\ndef use = Slow.run\nuse\nsleep 0.12\n"
      dump, = history(code, env: { **FAST, "RPERF_TOP_EXCLUDE" => "gem:sl*,stdlib" })
      refute_includes on_stacks(dump), "Slow.run"
      assert_operator dump.total(on_stack: "Object#use"), :>, 150_000_000
      dump, = history(code, env: { **FAST, "RPERF_TOP_EXCLUDE" => "slow-1.2.3/lib/,!Slow.run" })
      assert_includes on_stacks(dump), "Slow.run"
    end
  end

  def test_when_nothing_is_shown
    dump, = history(PROGRAM, env: { **FAST, "RPERF_TOP_EXCLUDE" => "*" })
    assert_empty on_stacks(dump) - ["(excluded)", "(rperf-top)", "(no Ruby frames)", "(not sampled)", "(shared)"]
    assert_operator dump.total(leaf: "(excluded)"), :>, 700_000_000
    assert_conserved(dump)
  end

  def test_the_outermost_frames
    dump, = history(PROGRAM, env: { **FAST, "RPERF_TOP_DEPTH" => "4" })
    assert_equal 4, stacks(dump).keys.map(&:size).max
    whole = dump.total(on_stack: "Object#checkout", state: "running")
    assert_operator whole, :>, 250_000_000
    assert_equal whole, dump.total(leaf: "Object#checkout", state: "running")
    assert_conserved(dump)
  end

  # Frames that are left out do not count, and neither does the node of the labels.
  def test_depth_counts_what_is_shown
    env = { **FAST, "RPERF_TOP_DEPTH" => "2", "RPERF_TOP_EXCLUDE" => "<C>,RperfTop" }
    dump, = history(PROGRAM + "def a = b\ndef b = spin(0.2)\nRperfTop.label(x: 1) { [1].each { a } }\nsleep 0.12\n", env: env)
    labelled = stacks(dump).select { |stack, _| stack.last == "x=1" }
    assert_equal 3, labelled.keys.map(&:size).max
    assert_operator labelled.values.sum, :>, 180_000_000
  end

  def test_keywords_and_a_new_start
    dump, = history(<<~'RUBY', env: { "RPERF_TOP" => "0" })
      def spin(s) = (t = Process.clock_gettime(Process::CLOCK_MONOTONIC); nil while Process.clock_gettime(Process::CLOCK_MONOTONIC) - t < s)
      def hidden = spin(0.1)
      def seen = hidden
      RperfTop.start(record_hz: 1000, budget: 100)
      sleep 0.001 until Dir[ENV['RPERF_TOP_DIR'] + '/rperf-top.*.????????????????'].any?
      seen
      RperfTop.stop
      RperfTop.start(record_hz: 1000, budget: 100, exclude: ["Object#hidden", "<C>", "Object#spin"], depth: 10)
      sleep 0.001 until Dir[ENV['RPERF_TOP_DIR'] + '/rperf-top.*.????????????????'].any?
      seen
      window_over
    RUBY
    assert_operator dump.total(leaf: "Object#seen", state: "running"), :>, 80_000_000
    assert_equal 0, dump.total(on_stack: "Object#hidden")
  end

  # Stacks are remembered whole and up to every 32nd level. Where all these levels are left out the one stands for a stack of
  # nothing, the other for what lies above it; both by turns, in either order.
  LEVELS = <<~'RUBY'
    eval <<~'VENDOR', TOPLEVEL_BINDING, "/srv/vendor/lib.rb", 1
      def bottom(above) = (above ? shown : nil; i = 0; i += 1 while i < 500_000)
      def down(left, above) = left > 0 ? down(left - 1, above) : bottom(above)
      def top(levels, above) = Thread.new { down(levels - 3, above) }.join
    VENDOR
    def shown = (i = 0; i += 1 while i < 500_000)
    levels, deep_first = Integer(ARGV[0]), ARGV[1] == "deep"
    10.times { |i| top(levels, i.even? == deep_first) }
    window_over
  RUBY

  [31, 32, 33, 64].product(%w[deep short]).each do |levels, order|
    define_method("test_#{levels}_levels_are_left_out_the_#{order}_ones_first") do
      dump, = history(LEVELS, env: { **FAST, "RPERF_TOP_EXCLUDE" => "/srv/vendor/" }, arguments: [levels.to_s, order])
      refute_includes dump.cells.map(&:node), 0
      running = stacks(dump).select { |stack, _| stack.include?("Object#shown") }
      assert_equal [["Object#shown"]], running.keys
      assert_operator running.values.sum, :>, 20_000_000
      assert_operator dump.total(leaf: "(excluded)", state: "running"), :>, 40_000_000
    end
  end

  # The same stacks once more: where they stood before does not count.
  def test_another_depth_after_a_new_start
    dump, = history(<<~'RUBY', env: { "RPERF_TOP" => "0" })
      def spin(s) = (t = Process.clock_gettime(Process::CLOCK_MONOTONIC); nil while Process.clock_gettime(Process::CLOCK_MONOTONIC) - t < s)
      def middle = spin(0.1)
      def outer = middle
      [{}, { depth: 2 }].each do |options|
        RperfTop.start(record_hz: 1000, budget: 100, **options)
        sleep 0.001 until Dir[ENV['RPERF_TOP_DIR'] + '/rperf-top.*.????????????????'].any?
        outer
        RperfTop.stop
      end
    RUBY
    assert_equal 2, stacks(dump).keys.map(&:size).max
    assert_operator dump.total(on_stack: "Array#each", state: "running"), :>, 80_000_000
  end

  def test_what_means_nothing
    answers = run_program(<<~'RUBY', env: { "RPERF_TOP" => "0", "RPERF_TOP_EXCLUDE" => "gem:", "RPERF_TOP_DEPTH" => "-1" }).out.lines
      [{ exclude: "gem:" }, { exclude: 7 }, { exclude: "x" * 5000 }, { depth: "deep" }].each do |options|
        RperfTop.start(**options)
        puts "started"
      rescue ArgumentError, TypeError => error
        puts "#{error.class} #{error.message}"
      end
      p RperfTop.running?
      p RperfTop.start(depth: nil, exclude: nil)
    RUBY
    assert_match(/\AArgumentError exclude: the pattern 'gem:' names nothing/, answers[0])
    assert_equal "started\n", answers[1], "anything that turns into a string"
    assert_match(/longer than 4096 bytes/, answers[2])
    assert_match(/\ATypeError/, answers[3])
    assert_equal %W[true\n true\n], answers[4..]
  end
end
