# Run by cost.rb: times samples of one tool at several depths and prints JSON, or repeats one action.
#
#   depths.rb TOOL DEPTH...                 TOOL: rperf_top stackprof vernier
#   depths.rb repeat DEPTH ACTION COUNT
require "json"

def down(depth, &block) = depth <= 1 ? yield : down_again(depth - 1, &block)
def down_again(depth, &block) = depth <= 1 ? yield : down(depth - 1, &block)

def own(depth)
  down(depth) do
    actions = %w[frames_no_lines frames sample tick clock cpu_clock allocations clocked_release release known_release coarse_release]
    hot = actions.to_h { |action| [action, SamplerBench.hot(action, 31)] }
    hot.merge("cold_frames" => SamplerBench.cold("frames", 200), "cold_sample" => SamplerBench.cold("sample", 200),
              "wake" => depth == 100 ? SamplerBench.wake(300) : 0)
  end
end

# ns per call of the block, after a warm-up: the median of batches, as SamplerBench.hot does.
def time(batches = 31, batch = 100)
  times = Array.new(batches + 2) do
    begin_ns = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    batch.times { yield }
    Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - begin_ns
  end
  times.drop(2).sort[batches / 2] / batch.to_f
end

# The Ruby loop and call around it count too: a few tens of ns.
def other(depth, &sample)
  down(depth - 1) { { "sample" => time { sample.call } } }
end

tool = ARGV.shift
case tool
when "repeat"
  require "sampler_bench"
  down(Integer(ARGV[0])) { SamplerBench.repeat(ARGV[1], Integer(ARGV[2])) }
  exit
when "rperf_top"
  require "sampler_bench"
  rows = ARGV.to_h { |depth| [depth, own(Integer(depth))] }
when "stackprof"
  require "stackprof"
  StackProf.start(mode: :custom, raw: false)
  rows = ARGV.to_h { |depth| [depth, other(Integer(depth)) { StackProf.sample }] }
  StackProf.stop
when "vernier"
  require "vernier"
  collector = Vernier::Collector.new(:custom)
  collector.start
  rows = ARGV.to_h { |depth| [depth, other(Integer(depth)) { collector.sample }] }
end
puts JSON.generate(rows)
