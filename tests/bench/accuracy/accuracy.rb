# How right the numbers are: programs whose methods measure themselves, against what the channel says.
#
#   ruby tests/bench/accuracy/accuracy.rb BUILD [--seeds N] [--hz 1000,100] [--load none,busy] [--detail] [--gems FOLDER]
#                                               [KIND...]
#
# One run of the program gives both clocks. Its whole history is read from the kept segment; a method's time
# is that of all cells and late records with the method on their stack. The error of a method is
# |found - true| / true, the figure of a run the mean over its methods; printed is the mean over the seeds.
# CPU errors are over methods that used at least a millisecond of CPU; for the others the largest amount
# found too much or too little is shown. In call_ratio the truth is the share of the calls.
#
# With --load busy, as many busy processes as there are cores run beside it. With --gems, where the gem rperf is in that
# folder, each program is run with it, too: once per clock, for it has one at a time.
# It has no budget; ours is as usual, and mostly lowers a rate of 1000 Hz: RPERF_TOP_BUDGET=100 is the rate itself.
require "etc"
require "fileutils"
require "json"
require "open3"
require "optparse"
require "rbconfig"
require "tmpdir"
require_relative "../results"
require_relative "scenario"

# What the best Ruby profiler does on such programs, 1000 Hz, idle, one clock a run; and what we want.
GOALS = {
  "ruby_busy" => [0.59, 0.44], "c_busy" => [0.02, 0.02], "held_sleep" => [0.42, nil], "free_sleep" => [0.31, nil],
  "mixed" => [0.6, 0.6],
}.freeze
GOAL_AT_100_HZ = 4.0
LEAST_CPU_NS = 1_000_000

options = { seeds: 2, hz: [1000, 100], load: %w[none busy] }
OptionParser.new do |parser|
  parser.on("--seeds N", Integer) { |value| options[:seeds] = value }
  parser.on("--hz LIST", Array) { |value| options[:hz] = value.map { |hz| Integer(hz) } }
  parser.on("--load LIST", Array) { |value| options[:load] = value }
  parser.on("--detail") { options[:detail] = true }
  parser.on("--gems FOLDER") { |value| options[:gems] = value }
end.parse!(ARGV)
BUILD = File.expand_path(ARGV.shift || "build")
KINDS = ARGV.empty? ? Scenario::KINDS : ARGV
DUMP = "#{BUILD}/tests/tools/channel_dump"
GEMS = options[:gems]
RPERF = GEMS && !Dir["#{GEMS}/gems/rperf-[0-9]*"].empty?

def build_known_cost
  FileUtils.mkdir_p("#{BUILD}/bench/known_cost")
  Dir.chdir("#{BUILD}/bench/known_cost") do
    system(RbConfig.ruby, "#{__dir__}/extconf.rb", out: File::NULL, exception: true)
    system("make", out: File::NULL, exception: true)
    FileUtils.cp("known_cost.so", "..")
  end
end

# Busy processes while the block runs. They end with it, and by themselves after a while.
def with_load(load)
  busy = ["timeout", "600", "sh", "-c", "while :; do :; done"]
  pids = Array.new(load == "busy" ? Etc.nprocessors : 0) { spawn(*busy, pgroup: true) }
  yield
ensure
  pids.each { |pid| Process.kill(:TERM, -pid) }
  pids.each { |pid| Process.wait(pid) }
end

# What the program says of itself, and its channel.
def run_program(source, hz, folder)
  path = "#{folder}/program.rb"
  File.write(path, source)
  env = { "RPERF_TOP_RECORD_HZ" => hz.to_s, "RPERF_TOP_KEEP" => "1", "RPERF_TOP_DIR" => folder,
          "RPERF_TOP_SIZE" => "32" }
  out, status = Open3.capture2(env, RbConfig.ruby, "-I", BUILD, "-I", "#{BUILD}/bench", "-r", "rperf_top", path)
  raise "the program failed: #{status}" unless status.success?
  segment = Dir["#{folder}/rperf-top.*"].grep_v(/\.ctl\z/).first or raise "no segment was kept"
  dump, status = Open3.capture2(DUMP, segment)
  raise "channel_dump failed" unless status.success?
  [JSON.parse(out), JSON.parse(dump)]
ensure
  FileUtils.rm_f(Dir["#{folder}/*"])
end

# {"ruby_busy_7" => [wall ns, CPU ns]}
def found(channel, names)
  labels = channel["frames"].map { |frame| frame && frame["label"].to_s[/\w+\z/] }
  wanted = names.to_h { |name| [name, true] }
  on_stack = [nil]                     # of each node; parents come first
  channel["nodes"].each_with_index do |(parent, frame), id|
    own = labels[frame]
    inherited = id.zero? ? nil : on_stack[parent]
    on_stack[id] = wanted[own] ? own : inherited
  end
  totals = Hash.new { |hash, name| hash[name] = [0, 0] }
  channel["windows"].each do |window|
    (window["cells"] + window["late"].map { |row| row.drop(1) }).each do |node, _, _, _, wall, cpu|
      name = on_stack[node] or next
      totals[name][0] += wall
      totals[name][1] += cpu
    end
  end
  totals
end

def middle(values) = values.sort[values.size / 2]

def mean(values) = values.empty? ? nil : values.sum / values.size

# [[name, true, found], ...] per clock
def compare(scenario, truth, totals)
  calls = truth.values.sum.to_f if scenario.ratio?
  [0, 1].map do |clock|
    next truth.map { |name, row| [name, row[clock + 1], totals[name][clock]] } unless calls
    sum = truth.keys.sum { |name| totals[name][clock] }
    truth.map { |name, count| [name, sum * count / calls, totals[name][clock]] }
  end
end

# Mean errors of the gem rperf on the same program: wall, CPU.
def beside(kind, seed, hz, folder)
  path = "#{folder}/program.rb"
  File.write(path, Scenario.new(kind, seed).source)
  %w[wall cpu].each_with_index.map do |mode, clock|
    env = { "GEM_PATH" => GEMS, "GEM_HOME" => GEMS, "BESIDE_HZ" => hz.to_s, "BESIDE_MODE" => mode }
    out, status = Open3.capture2(env, RbConfig.ruby, "-I", "#{BUILD}/bench", "-r", "#{__dir__}/beside_rperf.rb", path)
    raise "the program failed beside rperf: #{status}" unless status.success?
    said = JSON.parse(out)
    rows = said["methods"].map do |name, row|
      [name, row[clock + 1], %w[Object# KnownCost.].sum { |owner| said["beside"][owner + name][0] }]
    end
    mean(rows.filter_map { |row| 100 * off(row) if clock.zero? || row[1] >= LEAST_CPU_NS })
  end
ensure
  FileUtils.rm_f(path)
end

def off((_, real, got)) = (got - real).abs.fdiv(real)

def measure(kind, seed, hz, folder, detail)
  scenario = Scenario.new(kind, seed)
  said, channel = run_program(scenario.source, hz, folder)
  truth = said["methods"]
  totals = found(channel, truth.keys)
  wall, cpu = compare(scenario, truth, totals)
  used, idle = cpu.partition { |_, real,| real >= LEAST_CPU_NS }
  print_methods(wall, cpu) if detail
  errors = [wall, used].map { |rows| rows.map { |row| 100 * off(row) } }
  bias = wall.sum { |_, real, got| got - real } / wall.sum { |_, real,| real }.to_f
  counters = channel["windows"].map { |window| window["counters"] }
  {
    wall: mean(errors[0]), wall_median: middle(errors[0]), wall_max: errors[0].max, bias: 100 * bias,
    cpu: mean(errors[1]), cpu_median: middle(errors[1]), cpu_max: errors[1].max,
    idle_ns: idle.map { |_, real, got| (got - real).abs }.max,
    worst: wall.max_by { |row| off(row) }, worst_cpu: used.max_by { |row| off(row) },
    between: said["between"] && 100.0 * said["between"] * truth.size / wall.sum { |_, real,| real },
    floor: scenario.ratio? ? 0 : floor(truth, hz), chance: chance(scenario, wall, counters),
    slowed: counters.count { |counter| counter["rate_hz"] < hz }, lost: channel["lost"] + channel["corrupt"],
    **%w[samples samples_dropped ticks_missed cost_ns].to_h do |name|
      [name.to_sym, counters.sum { |counter| counter[name] }]
    end,
  }
end

def print_methods(wall, cpu)
  wall.zip(cpu).each do |(name, real, got), (_, cpu_real, cpu_got)|
    puts format("    %-16s wall %9.3f ms %+8.3f   cpu %9.3f ms %+8.3f", name, real / 1e6, (got - real) / 1e6,
                cpu_real / 1e6, (cpu_got - cpu_real) / 1e6)
  end
end

# What sampling at this rate cannot know: where between two samples one method of Ruby code ended and the next
# began. Both ends of a method are uniform in a period, their difference is a third of it in the mean. C methods
# and sleeps end at a safepoint or an event, so they have no such error.
def floor(truth, hz)
  mean(truth.map { |name, (_, wall, _)| name.start_with?("ruby_busy") ? 100.0 / 3 * 1e9 / hz / wall : 0.0 })
end

# The error that chance alone gives so many samples, taken at random instants: of a method with share p of
# n samples the standard deviation is sqrt((1 - p) / pn), the mean of the absolute value 0.8 of that.
def chance(scenario, wall, counters)
  return unless scenario.ratio?
  samples, sum = counters.sum { |counter| counter["samples"] }.to_f, wall.sum { |_, real,| real }
  mean(wall.map { |_, real,| 80.0 * Math.sqrt((sum - real) / (real * samples)) })
end

def percent(value) = value ? format("%6.2f %%", value) : "       -"

def verdict(kind, hz, wall, cpu)
  goals = hz == 1000 ? GOALS[kind] : (GOALS[kind] && [GOAL_AT_100_HZ, GOAL_AT_100_HZ])
  return "" unless goals
  short = [[wall, goals[0]], [cpu, goals[1]]].any? { |value, goal| value && goal && value > goal }
  format("  goal %s %s", goals.map { |goal| goal || "-" }.join(" / "), short ? "MISSED" : "met")
end

# The mean over runs of a figure; nil when no run has it.
def over(runs, key) = mean(runs.filter_map { |run| run[key] })

def report(kind, hz, load, runs)
  puts format("%-11s %4d Hz %-5s wall %s (median %s, worst %s, sum %+.3f %%)   cpu %s (median %s, worst %s)%s", kind, hz,
              load, percent(over(runs, :wall)), percent(over(runs, :wall_median)),
              percent(runs.map { |run| run[:wall_max] }.max), over(runs, :bias), percent(over(runs, :cpu)),
              percent(over(runs, :cpu_median)), percent(runs.filter_map { |run| run[:cpu_max] }.max),
              load == "none" ? verdict(kind, hz, over(runs, :wall), over(runs, :cpu)) : "")
  puts "            #{notes(runs).join("; ")}"
  $stdout.flush
end

# What explains a figure.
def notes(runs)
  sum = ->(key) { runs.sum { |run| run[key] || 0 } }
  list = [format("%.1f us a sample", sum.(:cost_ns) / 1e3 / [sum.(:samples), 1].max)]
  list << format("sampling floor %.2f %%", over(runs, :floor)) if runs.all? { |run| run[:floor].positive? }
  list << format("between methods %.2f %%", over(runs, :between)) if runs.all? { |run| run[:between] }
  list << format("chance alone %.2f %%", over(runs, :chance)) if runs.all? { |run| run[:chance] }
  { worst: "wall", worst_cpu: "CPU" }.each do |key, clock|
    worst = runs.filter_map { |run| run[key] }.max_by { |row| off(row) } or next
    list << format("worst %s: %s %+.2f of %.1f ms", clock, worst[0], (worst[2] - worst[1]) / 1e6, worst[1] / 1e6)
  end
  idle = runs.filter_map { |run| run[:idle_ns] }.max
  list << format("CPU of the idle within %.3f ms", idle / 1e6) if idle
  { samples_dropped: "samples dropped", ticks_missed: "ticks late", slowed: "windows governed", lost: "windows lost" }
    .each { |key, text| list << "#{sum.(key)} #{text}" if sum.(key).positive? }
  list
end

# others: [wall, CPU] of the gem beside, each of all runs.
def keep(kind, hz, load, runs, others)
  %i[wall cpu].zip(%w[wall CPU]).each_with_index do |(key, clock), at|
    label = ["#{clock}, #{hz} Hz", ("busy" if load == "busy"), *ENV["RPERF_TOP_BUDGET"]&.then { |budget| "budget #{budget} %" }].compact.join(", ")
    beside = others ? { "rperf" => others[at] } : {}
    beside["chance"] = over(runs, :chance) if runs.all? { |run| run[:chance] }
    Results.keep("accuracy/#{kind}", runs.map { |run| run[key] }, at: label, beside: beside)
  end
end

build_known_cost
puts "mean relative error per method, #{options[:seeds]} programs of each kind; " \
     "load average #{File.read("/proc/loadavg")[/\A\S+/]}"
Dir.mktmpdir("rperf-top-bench.", File.writable?("/dev/shm") ? "/dev/shm" : nil) do |folder|
  options[:load].each do |load|
    with_load(load) do
      options[:hz].product(KINDS).each do |hz, kind|
        runs = Array.new(options[:seeds]) { |seed| measure(kind, seed + 1, hz, folder, options[:detail]) }
        report(kind, hz, load, runs)
        rows = Array.new(options[:seeds]) { |seed| beside(kind, seed + 1, hz, folder) }.transpose if RPERF && kind != "call_ratio"
        puts format("            rperf beside: wall %s, cpu %s", *rows.map { |values| percent(mean(values.compact)) }) if rows
        keep(kind, hz, load, runs, rows)
      end
    end
  end
end
