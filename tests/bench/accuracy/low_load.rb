# Workers that use little of a core, as the viewer shows them live: a method works for some milliseconds, its thread rests.
#
#   ruby tests/bench/accuracy/low_load.rb BUILD [--spans N] [--cases NAME,...]
#
# The truth is what the method's own clock says of the time within it, all threads together; that and what the viewer says (-b -J)
# are per cent of a core, the latter second by second, so many spans. Both are wall time of the method in all states: it never waits,
# but for the GVL or a core. "Not sampled": what stands below "(not sampled)".
require "json"
require "optparse"
require "rbconfig"
require "tmpdir"
require_relative "../results"

# Milliseconds of work and of rest, threads, busy processes beside; the measure, and its case.
CASES = {
  "2" => [2, 98, 1, 0, "low/alone", "2 ms"], "5" => [5, 95, 1, 0, "low/alone", "5 ms"], "10" => [10, 90, 1, 0, "low/alone", "10 ms"],
  "20" => [20, 80, 1, 0, "low/alone", "20 ms"], "30" => [30, 70, 1, 0, "low/alone", "30 ms"], "five" => [10, 90, 5, 0, "low/five", nil],
  "busy-1" => [10, 90, 1, 1, "low/busy", "one"], "busy-2" => [10, 90, 1, 2, "low/busy", "two"],
}.freeze

PROGRAM = <<~'RUBY'
  work_s, rest_s, threads = ARGV.map(&:to_f).then { |work, rest, count| [work / 1e3, rest / 1e3, count.to_i] }
  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  class Worker
    def compute(finish) = (nil while now < finish)
  end
  within = Array.new(threads, 0.0)
  threads.times do |at|
    Thread.new do
      worker = Worker.new
      loop do
        start = now
        worker.compute(start + work_s)
        within[at] += now - start
        sleep rest_s
      end
    end
  end
  $stdout.sync = true
  puts "ready"
  while $stdin.gets               # what was within the method until now, and when that is
    puts "#{within.sum} #{now}"
  end
RUBY
METHOD = "Worker#compute"
WARM_UP_S = 2

options = { spans: 10, cases: CASES.keys }
OptionParser.new do |parser|
  parser.on("--spans N", Integer) { |value| options[:spans] = value }
  parser.on("--cases LIST", Array) { |value| options[:cases] = value }
end.parse!(ARGV)
BUILD = File.expand_path(ARGV.shift || "build")

def with_busy(count)
  pids = Array.new(count) { spawn("timeout", "600", "sh", "-c", "while :; do :; done", pgroup: true) }
  yield
ensure
  pids.each { |pid| Process.kill(:TERM, -pid) }
  pids.each { |pid| Process.wait(pid) }
end

def ask(io) = (io.puts; io.gets.split.map(&:to_f))

def total(object, method) = 100 * object["methods"].sum { |row| row["name"] == method ? row["total"] : 0 } / object["frame"]

# The truth in per cent of a core, and of each span what is shown of the method, and as not sampled.
def measure(spans, work, rest, threads)
  Dir.mktmpdir("rperf-top-low.", File.writable?("/dev/shm") ? "/dev/shm" : nil) do |folder|
    env = { "RPERF_TOP_DIR" => folder }
    IO.popen([env, RbConfig.ruby, "-I", BUILD, "-rrperf_top", "-e", PROGRAM, *[work, rest, threads].map(&:to_s)], "r+") do |io|
      io.gets
      sleep WARM_UP_S
      before = ask(io)
      out = IO.popen([env, "#{BUILD}/rperf-top", "-b", "-J", "-F", "1", "-d", "1", "-n", spans.to_s, "-p", io.pid.to_s], &:read)
      after = ask(io)
      objects = out.each_line.map { |line| JSON.parse(line) }
      raise "the viewer told #{objects.size} spans of #{spans}" if objects.size != spans
      io.close_write
      truth = 100 * (after[0] - before[0]) / (after[1] - before[1])
      return [truth, *[METHOD, "(not sampled)"].map { |name| objects.map { |object| total(object, name) } }]
    end
  end
end

missing = { "one thread" => [], "five threads" => [] }
options[:cases].each do |name|
  work, rest, threads, busy, key, at = CASES.fetch(name)
  truth, shown, unknown = with_busy(busy) { measure(options[:spans], work, rest, threads) }
  puts format("%2d ms in %d, threads %d, beside %d busy processes: truth %.1f, shown %s, not sampled %s", work, work + rest, threads, busy, truth,
              *[shown, unknown].map { |figures| figures.map { |figure| format("%.1f", figure) }.join(" ") })
  $stdout.flush
  Results.keep(key, Results.range(shown), at: at, of: truth)
  missing[threads == 1 ? "one thread" : "five threads"].concat(unknown)
end
missing.each { |at, figures| Results.keep("low/not-sampled", Results.range(figures), at: at) unless figures.empty? }
