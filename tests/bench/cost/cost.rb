# What a sample costs and what a rate costs, beside other Ruby profilers where they can be had.
#
#   ruby tests/bench/cost/cost.rb BUILD [--rounds N] [--gems FOLDER] [stack|ratio|instructions...]
#
# stack         ns of one sample by the depth of the stack: the bare rb_profile_frames call, with line numbers, and
#               a whole sample, in a row (caches warm) and after other work used the caches; the same stack
#               through `StackProf.sample` and Vernier's custom collector
# ratio         CPU and wall time and memory of a CPU-bound program under each profiler at 1000 Hz; all in turn,
#               several rounds: the median of the ratio to the same round's run without a profiler, its quartiles,
#               and the ratio of the least over all rounds, which noise disturbs less
# instructions  counted by callgrind, so that noise cannot hide anything: of one sample, and of the whole
#               program with and without the extension, per thread
require "etc"
require "fileutils"
require "json"
require "optparse"
require "rbconfig"
require "tmpdir"
require_relative "../results"

DEPTHS = [1, 10, 50, 100, 200, 500].freeze
HERE = __dir__
options = { rounds: 5 }
OptionParser.new do |parser|
  parser.on("--rounds N", Integer) { |value| options[:rounds] = value }
  parser.on("--gems FOLDER") { |value| options[:gems] = value }
end.parse!(ARGV)
BUILD = File.expand_path(ARGV.shift || "build")
ROUNDS = options[:rounds]
GEMS = options[:gems]
PARTS = ARGV.empty? ? %w[stack ratio instructions] : ARGV
BENCH = ["-I", "#{BUILD}/bench"].freeze

def build_sampler_bench
  FileUtils.mkdir_p("#{BUILD}/bench/sampler_bench")
  Dir.chdir("#{BUILD}/bench/sampler_bench") do
    system(RbConfig.ruby, "#{HERE}/extconf.rb", out: File::NULL, exception: true)
    system("make", "sampler_bench.so", out: File::NULL, exception: true)
    FileUtils.cp("sampler_bench.so", "..")
  end
end

# -I options of an installed gem, nil when it is not there.
def gem_options(name)
  folders = Dir["#{GEMS}/gems/#{name}-*/lib"] + Dir["#{GEMS}/extensions/*/*/#{name}-*"]
  GEMS && !folders.empty? ? folders.flat_map { |folder| ["-I", folder] } : nil
end

def others = %w[stackprof vernier].select { |name| gem_options(name) }

def median(values) = values.sort[values.size / 2]

# ---- one sample -----------------------------------------------------------------------------------

def ruby(*arguments, env: {})
  out = IO.popen([env, RbConfig.ruby, *arguments], &:read)
  raise "#{arguments.inspect} failed" unless $?.success?
  out
end

# {depth => {action => ns}} of one tool, the median of several processes.
def depths_of(tool, arguments)
  runs = Array.new(ROUNDS) { JSON.parse(ruby(*arguments, "#{HERE}/depths.rb", tool, *DEPTHS.map(&:to_s))) }
  DEPTHS.to_h do |depth|
    rows = runs.map { |run| run[depth.to_s] }
    [depth, rows.first.keys.to_h { |key| [key, median(rows.map { |row| row[key] })] }]
  end
end

def stack
  own = depths_of("rperf_top", BENCH)
  other = others.to_h { |name| [name, depths_of(name, gem_options(name))] }
  puts "ns a sample (median of #{ROUNDS} processes), warm | cold caches"
  puts format("%6s %9s %9s %9s %6s | %9s %9s %6s%s", "depth", "frames", "+ lines", "sample", "ratio", "frames", "sample",
              "ratio", other.keys.map { |name| format(" | %10s", name) }.join)
  DEPTHS.each do |depth|
    row = own[depth]
    net = row["sample"] - row["tick"]
    puts format("%6d %9.0f %9.0f %9.0f %6.2f | %9.0f %9.0f %6.2f%s", depth, row["frames_no_lines"], row["frames"], net,
                net / row["frames"], row["cold_frames"], row["cold_sample"], row["cold_sample"].fdiv(row["cold_frames"]),
                other.values.map { |rows| format(" | %10.0f", rows[depth]["sample"]) }.join)
    beside = other.transform_values { |rows| rows[depth]["sample"] }
    Results.keep("cost/sample", net, at: "depth #{depth}", beside: { "bare call" => row["frames"] }.merge(beside))
    Results.keep("cost/sample-cold", row["cold_sample"], at: "depth #{depth}", beside: { "bare call" => row["cold_frames"] })
  end
  parts = own[100].slice("clock", "cpu_clock", "allocations").map { |name, ns| format("%s %.0f", name, ns) }
  puts "ingredients, ns: #{parts.join(", ")}; a timer wake-up of the publisher: #{own[100]["wake"].round} ns of CPU"
  puts format("the three events of a release of the GVL, ns: hooks that read the clock %.0f, ours %.0f, in a storm %.0f; with a stack of " \
              "ten frames %.0f", *own[1].values_at("clocked_release", "release", "coarse_release"), own[10]["known_release"])
  { "ours" => own[1]["release"], "in a storm" => own[1]["coarse_release"], "with a stack of ten frames" => own[10]["known_release"] }
    .each { |at, ns| Results.keep("cost/release", ns, at: at, beside: { "hooks that read the clock" => own[1]["clocked_release"] }) }
  puts
end

# ---- a rate ---------------------------------------------------------------------------------------

def configurations
  profiler = ->(name) { ["-r", "#{HERE}/with_#{name}.rb"] }
  all = {
    "none" => [{}, []], "again" => [{}, []],
    "rperf-top 100" => [{ "RPERF_TOP_RECORD_HZ" => "100" }, ["-I", BUILD, "-r", "rperf_top"]],
    "rperf-top 1000" => [{ "RPERF_TOP_RECORD_HZ" => "1000" }, ["-I", BUILD, "-r", "rperf_top"]],
    "wake-ups 1000" => [{}, [*BENCH, *profiler.("wakes")]],
  }
  if (gem = gem_options("stackprof"))
    %w[wall cpu].each { |mode| all["stackprof #{mode} 1000"] = [{ "STACKPROF" => mode }, [*gem, *profiler.("stackprof")]] }
  end
  gem = gem_options("vernier") and all["vernier 1000"] = [{}, [*gem, *profiler.("vernier")]]
  all
end

def run_program(name, env, arguments)
  out = ruby(*arguments, "#{HERE}/../programs/#{name}.rb", env: env)
  out.scan(/(\w+)=([\d.]+)/).to_h { |key, value| [key, Float(value)] }
end

def ratio
  list = configurations
  %w[cpu deep].each do |program|
    rounds = Array.new(ROUNDS) do |round|
      list.keys.rotate(round).to_h { |name| [name, run_program(program, *list[name])] }
    end
    none = ->(key) { median(rounds.map { |one| one["none"][key] }) }
    puts format("%s: without a profiler %.2f s of CPU (main thread %.2f), peak memory %.1f MB; %d rounds", program,
                none.("cpu"), none.("main"), none.("peak") / 1e6, ROUNDS)
    list.keys.drop(1).each do |name|
      columns = %w[main cpu].map do |key|
        values = rounds.map { |one| one[name][key] / one["none"][key] }.sort
        least = rounds.map { |one| one[name][key] }.min / rounds.map { |one| one["none"][key] }.min
        format("%s %.4f [%.4f %.4f] least %.4f", key, median(values), values[values.size / 4],
               values[values.size * 3 / 4], least)
      end
      memory = median(rounds.map { |one| one[name]["peak"] - one["none"]["peak"] }) / 1e6
      puts format("  %-20s %s   %+.1f MB", name, columns.join("   "), memory)
    end
    $stdout.flush
    keep_ratio(program, rounds)
  end
  puts
end

# The others stand beside our 1000 Hz.
def keep_ratio(program, rounds)
  of = ->(name) { Results.median(rounds.map { |one| one[name]["cpu"] / one["none"]["cpu"] }) }
  ours, others = (rounds.first.keys - ["none"]).partition { |name| name == "again" || name.start_with?("rperf-top") }
  ours.each do |name|
    at = "#{program}, #{name.sub(/rperf-top (\d+)/, '\1 Hz')}"
    Results.keep("cost/rate", of.(name), at: at, beside: name.end_with?("1000") ? others.to_h { |other| [other.delete_suffix(" 1000"), of.(other)] } : {})
  end
end

# ---- instructions ---------------------------------------------------------------------------------

# Instructions per thread and of named functions.
def callgrind(folder, env, arguments, toggle: nil)
  file = "#{folder}/callgrind.out"
  FileUtils.rm_f(Dir["#{file}*"])
  command = ["valgrind", "--tool=callgrind", "--fair-sched=yes", "--callgrind-out-file=#{file}", "-q"]
  command += toggle ? ["--collect-atstart=no", "--toggle-collect=#{toggle}"] : ["--separate-threads=yes"]
  out = IO.popen([env, "setarch", "-R", *command, RbConfig.ruby, *arguments, err: File::NULL], &:read)
  raise "callgrind failed" unless $?.success?
  counts = Dir["#{file}*"].sort.to_h do |path|
    text = File.read(path)
    [path.delete_prefix(file), text[/^(?:totals|summary): (\d+)/, 1].to_i]
  end
  [counts, out]
end

def per_sample(folder, action, function, depth)
  count = 2000
  script = ["#{HERE}/depths.rb", "repeat", depth.to_s, action, count.to_s]
  callgrind(folder, {}, [*BENCH, *script], toggle: function)[0].values.sum / count
end

def instructions
  unless system("valgrind", "--version", out: File::NULL, err: File::NULL)
    puts "instructions: valgrind is not installed"
    return
  end
  Dir.mktmpdir("rperf-top-bench.") do |folder|
    puts "instructions a sample, counted by callgrind"
    [1, 100].each do |depth|
      bare = per_sample(folder, "frames", "rb_profile_frames", depth)
      whole = per_sample(folder, "sample", "sampler_job", depth)
      puts format("  depth %3d: rb_profile_frames with lines %5d, a whole sample %5d, ratio %.2f", depth, bare, whole,
                  whole / bare.to_f)
      Results.keep("cost/instructions", whole / bare.to_f, at: "depth #{depth}")
    end
    program(folder)
  end
  puts
end

# The program is some fifty times slower under callgrind, so it meets fifty times as many ticks for its
# work: the difference to the parked extension is divided by the samples. Starting Ruby is in no figure.
def program(folder)
  script = "#{HERE}/../programs/cpu.rb"
  channel = { "RPERF_TOP_DIR" => folder, "RPERF_TOP_BUDGET" => "100", "RPERF_TOP_KEEP" => "1" }
  count = lambda do |hz, scale|
    env = channel.merge("RPERF_TOP_RECORD_HZ" => hz, "BENCH_SCALE" => scale)
    totals = callgrind(folder, env, ["-I", BUILD, "-r", "rperf_top", script])[0].sort
    totals.filter_map { |name, total| total if name =~ /-\d+\z/ }   # by thread, main first
  end
  start, parked, sampled = count.("0", "0"), count.("0", "0.1"), count.("1000", "0.1")
  segment = Dir["#{folder}/rperf-top.*"].grep_v(/\.ctl\z/).max_by { |path| File.mtime(path) }
  windows = JSON.parse(IO.popen(["#{BUILD}/tests/tools/channel_dump", segment], &:read))["windows"]
  samples, ticks = %w[samples ticks].map { |name| windows.sum { |window| window["counters"][name] } }
  seconds = median(Array.new(ROUNDS) { ruby(script)[/main=([\d.]+)/, 1].to_f })
  rate = (parked[0] - start[0]) / (0.1 * seconds)
  main, publisher = (sampled[0] - parked[0]) / samples.to_f, sampled.drop(1).max / ticks.to_f
  puts format("  cpu.rb runs %.0f M instructions a second; %d samples and %d ticks were met", rate / 1e6, samples, ticks)
  puts format("  its thread: %.0f instructions a sample = %.3f %% at 1000 Hz, %.4f %% at 100 Hz", main,
              1e5 * main / rate, 1e4 * main / rate)
  { "1000 Hz" => 1e5, "100 Hz" => 1e4 }.each { |at, scale| Results.keep("cost/thread", scale * main / rate, at: at) }
  Results.keep("cost/publisher", 1e5 * publisher / rate, at: "1000 Hz")
  puts format("  the publisher, outside the kernel: %.0f instructions a tick with all encoding = %.3f %% at 1000 Hz",
              publisher, 1e5 * publisher / rate)
end

build_sampler_bench
puts "cost: load average #{File.read("/proc/loadavg")[/\A\S+/]}; beside it: #{others.empty? ? "nothing" : others.join(", ")}"
PARTS.each { |part| send(part) }
