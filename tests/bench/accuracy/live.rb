# How much of the last second a viewer does not know yet: of each second of a mixture of threads (mixture.rb), the part of the time
# with the GVL that stands below "(not sampled)" when the second is first shown.
#
#   ruby tests/bench/accuracy/live.rb BUILD [--mix web-5,storm-5] [--hz 100,1000] [--spans N]
require "json"
require "optparse"
require "rbconfig"
require "tmpdir"
require_relative "../results"

# Those that do little of what is short, and a busy one.
options = { mix: %w[web-5 web-30 lock-5 storm-5 mixed-30], hz: [100, 1000], spans: 10 }
OptionParser.new do |parser|
  parser.on("--mix LIST", Array) { |value| options[:mix] = value }
  parser.on("--hz LIST", Array) { |value| options[:hz] = value.map { |hz| Integer(hz) } }
  parser.on("--spans N", Integer) { |value| options[:spans] = value }
end.parse!(ARGV)
BUILD = File.expand_path(ARGV.shift || "build")
WARM_UP_S = 1

def wait_for_channel(folder)
  finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 20
  while Dir["#{folder}/rperf-top.*"].empty?
    raise "there is no channel" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > finish
    sleep 0.01
  end
end

# In per cent.
def not_sampled(object)
  held = object["threads"].sum { |thread| thread["running"] }
  unknown = object["methods"].sum { |row| row["name"] == "(not sampled)" ? row["running"] : 0 }
  held.positive? ? 100 * unknown / held : 0.0
end

def measure(mixture, hz, spans)
  kind, threads = mixture.split("-")
  Dir.mktmpdir("rperf-top-live.", File.writable?("/dev/shm") ? "/dev/shm" : nil) do |folder|
    env = { "RPERF_TOP_DIR" => folder }
    program = [RbConfig.ruby, "-I", BUILD, "-rrperf_top", "#{__dir__}/mixture.rb", kind, threads, (spans + 2 * WARM_UP_S).to_s]
    IO.popen([env, *program], "r+") do |io|
      io.gets or raise "#{mixture} did not start"
      wait_for_channel(folder)
      io.puts
      sleep WARM_UP_S
      out = IO.popen([env, "#{BUILD}/rperf-top", "-b", "-J", "-F", "1", "-d", "1", "--hz", hz.to_s, "-n", spans.to_s, "-p", io.pid.to_s], &:read)
      raise "the viewer told #{out.lines.size} spans of #{spans}" if out.lines.size != spans
      return out.each_line.map { |line| not_sampled(JSON.parse(line)) }
    end
  end
end

options[:mix].product(options[:hz]) do |mixture, hz|
  parts = measure(mixture, hz, options[:spans])
  puts format("%-9s %4d Hz: not sampled of the last second's time with the GVL: %s %%", mixture, hz, parts.map { |part| format("%.1f", part) }.join(" "))
  $stdout.flush
  Results.keep("live/not-sampled", Results.range(parts), at: "#{mixture}, #{hz} Hz")
end
