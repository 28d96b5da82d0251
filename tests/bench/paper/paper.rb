# The programs of the real-time Ruby profiler's paper: what watching costs them and how much is said about them.
#
#   ruby tests/bench/paper/paper.rb BUILD [--rounds N] [--gems FOLDER] [rdoc|webrick|tarai|churn...]
#
# Every configuration runs once per round, in turn; ratios are to the same round's run without the extension,
# the median over the rounds with quartiles, and the ratio of the least times. "watched" has a reader at 1000 Hz beside it. Bytes are those of
# the 1000 Hz run's history as it stands in the segment, and put together to longer windows; so of the run in which all
# calls are traced ("exact"; "Ruby": calls of methods in Ruby only), where the viewer asks for that before the work begins.
# RDOC_FILES, REQUESTS, TARAI and METHODS set the sizes.
require "fileutils"
require "json"
require "optparse"
require "rbconfig"
require "tmpdir"
require_relative "../exact/wait"
require_relative "../results"

PAPER = {
  "rdoc" => "time x1.15 (direct clock) x1.14 (indirect); memory 13.29 MB; " \
            "about 40 MB in 100 s at 50 ms frames (3.2 Mbit/s)",
  "webrick" => "memory 0.19 MB", "tarai" => "time x4.01 (direct clock) x3.18 (indirect)",
  "churn" => "test-all: memory 425 MB",
}.freeze
options = { rounds: 3 }
OptionParser.new do |parser|
  parser.on("--rounds N", Integer) { |value| options[:rounds] = value }
  parser.on("--gems FOLDER") { |value| options[:gems] = value }
end.parse!(ARGV)
BUILD = File.expand_path(ARGV.shift || "build")
ROUNDS = options[:rounds]
TOOLS = "#{BUILD}/tests/tools"
GEM_PATHS = Dir["#{options[:gems]}/gems/webrick-*/lib"].flat_map { |folder| ["-I", folder] }
LOAD = ["-I", BUILD, "-r", "rperf_top"].freeze
CONFIGURATIONS = {
  "none" => [{}, []], "again" => [{}, []],
  "100 Hz" => [{ "RPERF_TOP_RECORD_HZ" => "100" }, LOAD],
  "1000 Hz" => [{ "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_KEEP" => "1", "RPERF_TOP_SIZE" => "64" }, LOAD],
  "watched" => [{ "RPERF_TOP_RECORD_HZ" => "100" }, LOAD],
  "exact" => [{ "RPERF_TOP_KEEP" => "1", "RPERF_TOP_SIZE" => "64", "BENCH_READY" => "1" }, LOAD],
  "Ruby" => [{ "BENCH_READY" => "1" }, LOAD],
}.freeze
CALLED = { "exact" => "all calls", "Ruby" => "calls in Ruby" }.freeze
PAPER_RATIOS = { "rdoc" => { "the paper" => "1.15 direct clock, 1.14 indirect" }, "tarai" => { "the paper" => "4.01, 3.18" } }.freeze
PAPER_MEMORY = { "rdoc" => { "the paper, rdoc" => 13.29 }, "webrick" => { "the paper, WEBrick" => 0.19 } }.freeze
TRACED = { "exact" => "*", "Ruby" => "*r" }.freeze

def run_once(name, configuration, folder)
  env, arguments = CONFIGURATIONS.fetch(configuration)
  FileUtils.rm_rf(Dir["#{folder}/*"])
  command = [RbConfig.ruby, *arguments, *GEM_PATHS, "#{__dir__}/#{name}.rb"]
  io = IO.popen([{ "RPERF_TOP_DIR" => folder }.merge(env), *command], "r+", err: File::NULL)
  watcher = watch(folder, configuration) if configuration == "watched" || TRACED[configuration]
  begin_traced(io, folder) if TRACED[configuration]
  line = io.read
  io.close
  raise "#{name} failed" unless $?.success?
  stop(watcher)
  line.scan(/(\w+)=([\d.]+)/).to_h { |key, value| [key, Float(value)] }.merge(said(configuration, folder))
end

def channel(folder) = Dir["#{folder}/rperf-top.*"].grep_v(/\.ctl\z/).first

# Lets the program begin when all calls are traced.
def begin_traced(io, folder)
  path = channel(folder)
  wait_for("tracing") { whole_state("#{TOOLS}/channel_dump", path) == :on }
  raise "not ready" unless io.gets == "ready\n"
  io.puts
end

def watch(folder, configuration)
  deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 10
  loop do
    path = channel(folder)
    name = TRACED[configuration]
    look = name ? ["--watch", "100", "--trace", name, "--trace-seconds", "60"] : ["--watch", "1000"]
    command = ["#{TOOLS}/channel_dump", path, "--seconds", "600", *look]
    return spawn(*command, out: File::NULL, err: File::NULL) if path
    raise "no channel" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
    IO.select(nil, nil, nil, 0.005)
  end
end

def stop(watcher)
  return unless watcher
  begin
    Process.kill(:TERM, watcher)
  rescue Errno::ESRCH
    nil
  end
  Process.wait(watcher)
end

def said(configuration, folder)
  return {} unless ["1000 Hz", "exact"].include?(configuration)
  { "bytes" => JSON.parse(IO.popen(["#{TOOLS}/channel_bytes", channel(folder)], &:read)) }
end

def quartiles(values)
  sorted = values.sort
  [0.25, 0.5, 0.75].map { |share| sorted[((sorted.size - 1) * share).round] }
end

def report(name, rounds)
  none = rounds.map { |round| round["none"] }
  puts format("%s: without the extension %.2f s wall, %.2f s CPU, peak %.1f MB; %d rounds", name,
              *%w[wall cpu].map { |key| quartiles(none.map { |run| run[key] })[1] },
              quartiles(none.map { |run| run["peak"] })[1] / 1e6, ROUNDS)
  (CONFIGURATIONS.keys - ["none"]).each do |configuration|
    columns = %w[wall cpu].map do |clock|
      low, middle, high = quartiles(rounds.map { |round| round[configuration][clock] / round["none"][clock] })
      least = rounds.map { |round| round[configuration][clock] }.min / none.map { |run| run[clock] }.min
      format("%s %.3f [%.3f %.3f] least %.3f", clock, middle, low, high, least)
    end
    memory = quartiles(rounds.map { |round| round[configuration]["peak"] - round["none"]["peak"] })[1]
    puts format("  %-8s %s   memory %+.1f MB", configuration, columns.join("   "), memory / 1e6)
  end
  ["1000 Hz", "exact"].each { |configuration| report_bytes(configuration, rounds.last[configuration]["bytes"]) }
  puts "  the paper: #{PAPER[name]}"
  keep(name, rounds)
  $stdout.flush
end

# Ratios of CPU, and the memory and bytes of three of the configurations.
def keep(name, rounds)
  (CONFIGURATIONS.keys - ["none"]).each do |configuration|
    ratios = rounds.map { |round| round[configuration]["cpu"] / round["none"]["cpu"] }
    Results.keep("paper/#{name}", Results.median(ratios), at: CALLED.fetch(configuration, configuration), beside: PAPER_RATIOS.fetch(name, {}))
    next unless ["watched", "exact"].include?(configuration)
    more = rounds.map { |round| (round[configuration]["peak"] - round["none"]["peak"]) / 1e6 }
    Results.keep("paper/memory", Results.median(more), at: "#{name}, #{CALLED.fetch(configuration, configuration)}", beside: PAPER_MEMORY.fetch(name, {}))
  end
  ["1000 Hz", "exact"].each do |configuration|
    bytes = rounds.last[configuration]["bytes"]
    rate = bytes["lengths"].find { |row| row["length"] == 1 }["stored_bytes"] * 8 / 1e3 / bytes["seconds"]
    Results.keep("paper/bytes", rate, at: "#{name}, #{CALLED.fetch(configuration, configuration)}")
  end
end

def report_bytes(configuration, bytes)
  seconds = bytes["seconds"]
  puts format("  %s, said in %.1f s: tables %.1f kB (%d nodes, %d frames), and windows:", configuration, seconds, bytes["table_bytes"] / 1e3,
              bytes["nodes"], bytes["frames"])
  bytes["lengths"].each do |row|
    stored = row["stored_bytes"]
    puts format("    of %4d ms %9.1f kB  %8.2f kbit/s  (%.0f bytes each)", row["length"] * 100, stored / 1e3,
                stored * 8 / 1e3 / seconds, stored / row["windows"].to_f)
  end
end

names = ARGV.empty? ? PAPER.keys : ARGV
if GEM_PATHS.empty? && names.delete("webrick")
  puts "webrick: the gem is not here; left out"
end
puts "paper: load average #{File.read("/proc/loadavg")[/\A\S+/]}"
Dir.mktmpdir("rperf-top-bench.", File.writable?("/dev/shm") ? "/dev/shm" : nil) do |folder|
  names.each do |name|
    rounds = Array.new(ROUNDS) do |round|
      CONFIGURATIONS.keys.rotate(round).to_h { |configuration| [configuration, run_once(name, configuration, folder)] }
    end
    report(name, rounds)
  end
end
