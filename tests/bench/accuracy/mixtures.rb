# How right the figures of servers are: many threads with short and long waits, bursts, locks (mixture.rb), and the
# gem rperf (wall mode) beside it on the same programs in the same sitting, in turn.
#
#   ruby tests/bench/accuracy/mixtures.rb BUILD [--runs N] [--mix web-30,burst-500] [--hz 100,1000]
#                                         [--load none,busy] [--seconds S] [--gems FOLDER]
#
# At 100 Hz nobody watches (the flight recorder alone); at other rates a viewer does (-b -J). The whole history is
# read afterwards from the kept segment. A method's time is that of all cells and late records with it on the stack:
# wall time in all states where the method waits, CPU time where it works (rperf has one clock: running time). Its
# error is (found - true) / true; printed per method are the mean over the runs, its standard error, and in
# brackets standard deviation, least and most. "not sampled" is the share of the threads' time that
# stands below names in parentheses, "(not sampled)" and the like.
#
# With --load busy two more processes want the cores. rperf needs Ruby 3.4, and both should run on the same.
require "fileutils"
require "json"
require "open3"
require "optparse"
require "rbconfig"
require "tmpdir"
require_relative "../results"

HERE = __dir__
FIGURES = {
  "web" => { "Server#request" => :wall, "Server#idle" => :wall },
  "burst" => { "Work#step" => :cpu, "Work#rest" => :wall },
  "lock" => { "Bank#enter" => :wall, "Bank#hold" => :wall, "Bank#away" => :wall },
  "mixed" => { "Page#query" => :wall, "Page#idle" => :wall, "Page#compute" => :cpu, "Page#render" => :cpu },
  "uneven" => { "Uneven#long" => :cpu, "Uneven#short" => :cpu },
  "jobs" => { "Uneven#long" => :cpu, "Uneven#short" => :cpu },
  "twins" => { "Uneven#long" => :cpu, "Uneven#short" => :cpu },
  "chatty" => { "Talk#compute" => :cpu },
  "storm" => { "Storm#short" => :wall, "Storm#long" => :wall },
  "first" => { "First#short" => :cpu, "First#long" => :cpu },
  "ahead" => { "Ahead#short" => :cpu, "Ahead#long" => :cpu },
  "after" => { "After#short" => :cpu, "After#long" => :cpu },
  "between" => { "Between#short" => :cpu, "Between#long" => :cpu },
}.freeze
MIXTURES = %w[web-5 web-30 web-100 web-500 burst-50 burst-200 burst-500 lock-5 lock-30 lock-100
              mixed-5 mixed-30 mixed-100 uneven-8 jobs-8 twins-8 chatty-10 storm-5
              first-1 ahead-1 after-1 between-1].freeze
# Printed, but not among the results: what a round rests in the end, and mixtures of which chance leaves no figure.
RESTS = %w[Server#idle Work#rest Bank#away Page#idle].freeze
UNKEPT = %w[web-5 lock-5 lock-100 mixed-5].freeze

options = { runs: 1, mix: MIXTURES, hz: [100, 1000], load: %w[none busy], seconds: 8.0 }
OptionParser.new do |parser|
  parser.on("--runs N", Integer) { |value| options[:runs] = value }
  parser.on("--mix LIST", Array) { |value| options[:mix] = value }
  parser.on("--hz LIST", Array) { |value| options[:hz] = value.map { |hz| Integer(hz) } }
  parser.on("--load LIST", Array) { |value| options[:load] = value }
  parser.on("--seconds S", Float) { |value| options[:seconds] = value }
  parser.on("--gems FOLDER") { |value| options[:gems] = value }
end.parse!(ARGV)
BUILD = File.expand_path(ARGV.shift || "build")
OPTIONS = options.freeze
RPERF = OPTIONS[:gems] && !Dir["#{OPTIONS[:gems]}/gems/rperf-[0-9]*"].empty?

def with_load(load)
  busy = ["timeout", "3600", "sh", "-c", "while :; do :; done"]
  pids = Array.new(load == "busy" ? 2 : 0) { spawn(*busy, pgroup: true) }
  yield
ensure
  pids.each { |pid| Process.kill(:TERM, -pid) }
  pids.each { |pid| Process.wait(pid) }
end

# What the program says in the end. The block is given its pid once it is ready, and ends what it began afterwards.
def run_program(mixture, env, arguments)
  kind, threads = mixture.split("-")
  command = [RbConfig.ruby, *arguments, "#{HERE}/mixture.rb", kind, threads, OPTIONS[:seconds].to_s]
  IO.popen([env, *command], "r+") do |io|
    io.gets or raise "#{mixture} did not start"
    watcher = yield io.pid if block_given?
    io.puts
    answer = io.gets or raise "#{mixture} ended without an answer"
    stop(watcher) if watcher
    return JSON.parse(answer)
  end
end

def stop(reader)
  Process.kill(:TERM, reader.pid)
  reader.close
end

# Its publisher opens the channel a moment after the start.
def wait_for_channel(folder)
  finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 20
  while Dir["#{folder}/rperf-top.*"].empty?
    raise "there is no channel" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > finish
    sleep 0.01
  end
end

# A viewer that has printed its first object. What else it prints nobody reads.
def watch(folder, pid, hz)
  reader = IO.popen([{ "RPERF_TOP_DIR" => folder }, "sh", "-c", 'exec "$@" | { head -n 1; exec cat > /dev/null; }', "sh",
                     "#{BUILD}/rperf-top", "-b", "-J", "-F", "0.2", "--hz", hz.to_s, "-p", pid.to_s], pgroup: true)
  reader.gets or raise "the viewer saw nothing"
  reader
end

# {"Server#request" => [wall ns, CPU ns]}, and the shares of wall time and of the CPU of what runs that were not sampled.
def found(channel, names)
  labels = channel["frames"].map { |frame| frame && frame["label"].to_s }
  wanted = names.to_h { |name| [name, true] }
  on_stack, unknown = [nil], [false]   # of each node; parents come first
  channel["nodes"].each_with_index do |(parent, frame), id|
    next if id.zero?
    on_stack[id] = on_stack[parent] || (labels[frame] if wanted[labels[frame]])
    unknown[id] = unknown[parent] || labels[frame].to_s.match?(/\A\((not sampled|stack not)/)
  end
  totals = names.to_h { |name| [name, [0, 0]] }
  all, missing = [0, 0], [0, 0]        # wall, CPU of what runs
  channel["windows"].each do |window|
    window["late"].each { |row| missing[0] -= row[5] }   # told as not sampled before
    (window["cells"] + window["late"].map { |row| row.drop(1) }).each do |node, _, state, _, wall, cpu|
      times = [wall, state == "running" ? cpu : 0]
      all = all.zip(times).map(&:sum)
      missing = missing.zip(times).map(&:sum) if unknown[node]
      name = on_stack[node] or next
      totals[name][0] += wall
      totals[name][1] += cpu
    end
  end
  all[0] -= channel["windows"].sum { |window| window["late"].sum { |row| row[5] } }
  [totals, *missing.zip(all).map { |part, whole| part.fdiv(whole) }]
end

def ours(mixture, hz, folder)
  env = { "RPERF_TOP_RECORD_HZ" => "100", "RPERF_TOP_KEEP" => "1", "RPERF_TOP_DIR" => folder, "RPERF_TOP_SIZE" => "64" }
  truth = run_program(mixture, env, ["-I", BUILD, "-r", "rperf_top"]) do |pid|
    wait_for_channel(folder)
    watch(folder, pid, hz) if hz != 100
  end
  segment = Dir["#{folder}/rperf-top.*"].grep_v(/\.ctl\z/).first or raise "no segment was kept"
  dump, status = Open3.capture2("#{BUILD}/tests/tools/channel_dump", segment)
  raise "channel_dump failed" unless status.success?
  channel = JSON.parse(dump)
  totals, missing, missing_cpu = found(channel, truth["methods"].keys)
  counters = channel["windows"].map { |window| window["counters"] }
  length = channel["windows"].sum { |window| window["end_ns"] - window["start_ns"] }
  { errors: errors(mixture, truth["methods"], totals, missing_cpu), missing: missing,
    releases: counters.sum { |row| row["gvl_releases"] }.fdiv(length) * 1e9, lost: channel["lost"] + channel["corrupt"],
    cost: counters.sum { |row| row["cost_ns"] }.fdiv(length), slowed: counters.count { |row| row["rate_hz"] < hz } }
ensure
  FileUtils.rm_f(Dir["#{folder}/*"])
end

def rperf(mixture, hz)
  env = { "GEM_PATH" => OPTIONS[:gems], "GEM_HOME" => OPTIONS[:gems], "BESIDE_HZ" => hz.to_s }
  said = run_program(mixture, env, ["-r", "#{HERE}/beside_rperf.rb"])
  { errors: errors(mixture, said["methods"], said["beside"]) }
end

# {"Server#request" => error in per cent}. Of work also as if what was not sampled had been like the rest.
def errors(mixture, truth, totals, missing_cpu = 0)
  FIGURES.fetch(mixture[/\w+/]).each_with_object({}) do |(name, clock), errors|
    at = clock == :wall ? 0 : 1
    real, got = truth.fetch(name)[at + 1], totals.fetch(name)[at]
    errors[name] = 100.0 * (got - real) / real
    errors["#{name}, of the sampled"] = 100.0 * (got / (1 - missing_cpu) - real) / real if at == 1 && missing_cpu > 0.001
  end
end

def mean(values) = values.sum / values.size

def figure(values)
  return format("%+7.2f %%", values.first) if values.size == 1
  middle = mean(values)
  deviation = Math.sqrt(values.sum { |value| (value - middle)**2 } / (values.size - 1))
  format("%+7.2f +- %.2f %% (sd %.2f, %+.2f to %+.2f)", middle, deviation / Math.sqrt(values.size), deviation, *values.minmax)
end

def report(mixture, hz, load, profiler, runs)
  names = runs.flat_map { |run| run[:errors].keys }.uniq
  line = format("%-9s %4d Hz %-4s %-9s", mixture, hz, load, profiler)
  names.each { |name| line << format("  %s %s", name[/#(.*)/, 1], figure(runs.filter_map { |run| run[:errors][name] })) }
  if runs.first[:missing]
    line << format("  not sampled %.2f %%", 100 * mean(runs.map { |run| run[:missing] }))
    line << format("  [%.0f releases/s, said cost %.2f %%", mean(runs.map { |run| run[:releases] }),
                   100 * mean(runs.map { |run| run[:cost] }))
    { slowed: "windows below the rate", lost: "windows lost" }.each do |key, text|
      sum = runs.sum { |run| run[key] }
      line << ", #{sum} #{text}" if sum.positive?
    end
    line << "]"
  end
  puts line
  $stdout.flush
end

def keep(mixture, hz, load, ours, beside)
  return if UNKEPT.include?(mixture)
  at = ["#{hz} Hz", ("busy" if load == "busy"), *ENV["RPERF_TOP_BUDGET"]&.then { |budget| "budget #{budget} %" }].compact.join(", ")
  (FIGURES.fetch(mixture[/\w+/]).keys - RESTS).each do |name|
    errors = ->(runs) { runs.map { |run| run[:errors][name] } }
    Results.keep("#{mixture}/#{name[/#(.*)/, 1]}", errors.(ours), at: at, beside: beside ? { "rperf" => errors.(beside) } : {})
  end
end

puts format("error of a method's time, %d runs of %g s; Ruby %s; load average %s%s", OPTIONS[:runs], OPTIONS[:seconds], RUBY_VERSION,
            File.read("/proc/loadavg")[/\A\S+/], RPERF ? "" : "; rperf is not here")
Dir.mktmpdir("rperf-top-bench.", File.writable?("/dev/shm") ? "/dev/shm" : nil) do |folder|
  OPTIONS[:mix].each do |mixture|
    OPTIONS[:hz].product(OPTIONS[:load]).each do |hz, load|
      with_load(load) do
        runs = Array.new(OPTIONS[:runs]) { [ours(mixture, hz, folder), (rperf(mixture, hz) if RPERF)] }.transpose
        report(mixture, hz, load, "rperf-top", runs[0])
        report(mixture, hz, load, "rperf", runs[1]) if RPERF
        keep(mixture, hz, load, runs[0], (runs[1] if RPERF))
      end
    end
  end
end
