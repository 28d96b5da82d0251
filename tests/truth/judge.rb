# Compares what a channel told with what the program knows about itself.
#
# Laws hold in every run: all time has an owner, once; no method is shown that was not called. Figures are sampled: each
# error stands beside what chance leaves of it. Where instants are a period apart on the average, a method that ran for t was met by about
# t / period of them, so the standard deviation of its time is at most sqrt(t * period); the clocks of program and profiler
# differ by a little besides. A program is wrong when the same error comes again and again (certain?).
require "minitest"
require_relative "run"
require_relative "laws"

module Truth
  # One figure of one step in one run.
  Figure = Struct.new(:step, :kind, :us, :what, :calls, :truth_ns, :found_ns, :deviation_ns) do
    def error = truth_ns.zero? ? 0.0 : (found_ns - truth_ns).fdiv(truth_ns)
    def z = (found_ns - truth_ns) / deviation_ns
    def key = [step, what]
    def to_s = format("%-5s %-10s %8d us %7d calls  %-4s %10.2f ms, shown %10.2f (%+.1f%%, z %+.1f)", step, kind, us, calls, what, truth_ns / 1e6, found_ns / 1e6, error * 100, z)
  end

  class Judge
    include Minitest::Assertions
    include Laws

    # What both clocks and their readers may differ by: of a call, and of all.
    CALL_NS, SHARE = 3000, 0.01
    # What a thread waits for a core at once.
    SLICE_NS = 10_000_000
    # An error that is as sure as this is one, if it is larger than a law of the estimator allows.
    CERTAIN = 5.0

    attr_accessor :assertions

    def initialize(run)
      @run, @dump, @assertions = run, run.dump, 0
    end

    # Raises Minitest::Assertion.
    def laws
      assert_lock_is_one @dump
      @dump.threads.each_value do |thread|
        assert_whole_life @dump, thread, absolute: 40 * NS_PER_MS
        assert_windows_whole @dump, thread, more: 2 * period_ns
        assert_equal 0, @dump.total(:cpu, thread: thread.serial, state: "waiting"), thread.name
      end
      assert_empty stray_labels, "methods that nobody called"
      lost = @run.program.steps.reject { |step| met_too_seldom?(step) || @dump.labels.include?(Judge.label(step)) }
      assert_empty lost, "methods that took long and are not there"
      self
    end

    # How the profiler names the method of a step.
    def self.label(step)
      name = step["class"]
      case step["flavour"]
      when "def", "evaluated" then "#{name}#step"
      when "defined" then "block in <class:#{name}>"
      when "delegated", "included" then "#{name}_#step"
      when "singleton" then "#{name}.step"
      end
    end

    def figures
      @run.program.steps.flat_map { |step| figures_of(step) }
    end

    # Errors of several runs of a program that no chance explains: the figures of the last one, with the mean error.
    def self.certain(runs)
      runs.flatten.group_by(&:key).filter_map do |_, figures|
        mean_z = figures.sum(&:z) / figures.size
        mean = figures.sum(&:error) / figures.size
        [figures.last, mean, figures.size] if mean_z.abs * Math.sqrt(figures.size) > CERTAIN && mean_z.abs > 1 && mean.abs > allowed(figures.last)
      end
    end

    # What the estimator promises: waits within 0.2 % and what the program's clocks cost; work by its length.
    def self.allowed(figure)
      return 0.01 if figure.what == "wall" && Program::WAITS.include?(figure.kind)
      figure.us < 50 ? 0.10 : 0.06
    end

    private

    def period_ns = 1_000_000_000 / @run.program.spec["hz"]

    # Wall time in the profiler's hooks, which no method has and the program's clocks count as the method's. Where a machine is
    # short of cores a thread often loses its core there.
    def own_ns = @own_ns ||= @dump.total(on_stack: "(rperf-top)")

    def truth_of(step) = @run.truth.select { |row| row[:step] == step["class"] }

    def met_too_seldom?(step) = truth_of(step).sum { |row| row[:cpu] } < 30 * period_ns

    def stray_labels
      own = @run.program.steps.flat_map { |step| names_of(step) }
      @dump.labels.compact.grep(/\bK\d+_\d+/).reject { |label| own.any? { |name| label.include?(name) } }
    end

    # Its own name, those of bodies of classes, and what Forwardable defines.
    def names_of(step)
      name = step["class"]
      [Judge.label(step), "#{name}.new", "<class:#{name}>", "<class:#{name}_>", "<module:#{name}_>", *(%w[step initialize].map { |method| "#{name}##{method}" } if step["flavour"] == "delegated")].compact
    end

    def figures_of(step)
      rows, label = truth_of(step), Judge.label(step)
      calls, wall, cpu = %i[calls wall cpu].map { |key| rows.sum { |row| row[key] } }
      return [] if calls.zero?
      found = { "wall" => @dump.total(on_stack: label), "cpu" => @dump.total(:cpu, on_stack: label) }
      worked = Program::WORKS.include?(step["kind"])
      ran = worked ? wall : cpu
      off_core = worked ? [wall - cpu, 0].max : 0
      { "wall" => wall, "cpu" => cpu }.filter_map do |what, truth|
        next if what == "cpu" && !worked
        share = SHARE * truth + CALL_NS * calls
        variance = ran * period_ns + (what == "wall" ? off_core * SLICE_NS + own_ns**2 : 0)
        deviation = Math.sqrt(variance + share**2 + period_ns**2)
        Figure.new(step["class"], step["kind"], step["us"], what, calls, truth, found[what], deviation)
      end
    end
  end
end
