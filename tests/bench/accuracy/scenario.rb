# Programs whose methods have a known cost. The same kind and seed give the same text.
#
# The program runs its methods in a fixed random order, each of them measures its own wall and CPU time, and
# it prints what it measured as JSON: {"methods": {"ruby_busy_7": [calls, wall ns, CPU ns], ...}, "between": ns}. What
# passed between the end of a method and the start of the next one (the VM's work of calling a method for the first
# time, which nobody measured) is its truth's own error. Of `call_ratio`, where measuring would be most of
# the work, it prints the calls only: all its methods do the same. With beside_rperf.rb loaded before, "beside" is what that
# found: {label: [ns, ...]}.
class Scenario
  KINDS = %w[ruby_busy c_busy held_sleep free_sleep mixed call_ratio].freeze
  SINGLE = KINDS - %w[mixed call_ratio]
  METHODS = (47..66)
  COST_NS = (10_000_000..140_000_000)
  UNCOUNTED = 127                      # slot of a method that no figure is about
  RATIO_METHODS = 10
  RATIO_CALLS = 400
  RATIO_ROUNDS = 40_000

  attr_reader :kind

  def initialize(kind, seed)
    raise ArgumentError, kind unless KINDS.include?(kind)
    @kind = kind
    @random = Random.new(seed * 1_000 + KINDS.index(kind))
  end

  def ratio? = @kind == "call_ratio"

  # The text of the program.
  def source
    ratio? ? ratio_source : cost_source
  end

  private

  def cost_source
    methods = Array.new(@random.rand(METHODS)) do |slot|
      [@kind == "mixed" ? SINGLE.sample(random: @random) : @kind, slot, @random.rand(COST_NS)]
    end
    definitions = methods.filter_map { |kind, slot,| ruby_busy(slot) if kind == "ruby_busy" }
    calls = methods.shuffle(random: @random).map do |kind, slot, ns|
      kind == "ruby_busy" ? "ruby_busy_#{slot}(#{ns})" : "KnownCost.#{kind}_#{slot}(#{slot}, #{ns})"
    end
    names = methods.map { |kind, slot,| "#{kind}_#{slot}" }
    <<~RUBY
      require "known_cost"
      require "json"
      #{definitions.join("\n")}
      # What a profiler makes of its first moments is another question (tests/ext/sampling/test_first_moments.rb).
      Beside.start if defined?(Beside)
      ready = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 0.5
      nil until Process.clock_gettime(Process::CLOCK_MONOTONIC) > ready
      KnownCost.c_busy_#{Scenario::UNCOUNTED}(#{Scenario::UNCOUNTED}, 5_000_000)   # ends with a sample
      from = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      #{calls.join("\n")}
      to = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      methods = #{names}.zip(KnownCost.results).to_h
      between = (to - from - methods.sum { |_, row| row[1] }) / methods.size
      labels = methods.keys.flat_map { |name| ["Object#" + name, "KnownCost." + name] }
      puts JSON.generate({ methods: methods, between: between, beside: (Beside.found(labels) if defined?(Beside)) })
    RUBY
  end

  # Busy by its own CPU clock, so that a busy machine does not make its CPU time less.
  def ruby_busy(slot)
    <<~RUBY
      def ruby_busy_#{slot}(ns)
        wall = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
        now = start = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
        now = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond) while now - start < ns
        KnownCost.add(#{slot}, Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - wall, now - start)
      end
    RUBY
  end

  def ratio_source
    weights = Array.new(RATIO_METHODS) { @random.rand(1..100) }
    counts = weights.map { |weight| [(weight * RATIO_CALLS / weights.sum.to_f).round, 1].max }
    order = counts.flat_map.with_index { |count, slot| [slot] * count }.shuffle(random: @random)
    definitions = counts.each_index.map { |slot| "def ratio_#{slot}\n  i = 0\n  i += 1 while i < 10\nend" }
    <<~RUBY
      require "json"
      #{definitions.join("\n")}
      def round
        #{order.map { |slot| "ratio_#{slot}" }.join("\n  ")}
      end
      i = 0
      while i < #{RATIO_ROUNDS}
        round
        i += 1
      end
      puts JSON.generate({ methods: #{counts.each_with_index.to_h { |count, slot| ["ratio_#{slot}", count * RATIO_ROUNDS] }} })
    RUBY
  end
end
