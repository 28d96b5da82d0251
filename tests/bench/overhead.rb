# What the extension costs the application: CPU and wall time of four programs without it, parked, recording
# at 100 Hz and watched at 1000 Hz; the storm also under hooks that only read the clock.
#
#   ruby tests/bench/overhead.rb BUILD [ROUNDS] [PROGRAM...]
#
# Every configuration runs once per round, in turn and in changing order, so that a slow moment of the
# machine meets all of them. Printed: the median over the rounds of the ratio to the same round's run
# without the extension, the quartiles, and the ratio of the least over all rounds, which a machine shared
# with others disturbs less. The row "again" is a second run without it: the noise.
require "fileutils"
require "rbconfig"
require_relative "results"

BUILD = File.expand_path(ARGV.shift || "build")
ROUNDS = Integer(ARGV.shift || 7)
HERE = __dir__
DUMP = "#{BUILD}/tests/tools/channel_dump"
LOAD = ["-I", BUILD, "-r", "rperf_top"]
CONFIGURATIONS = {
  "none" => [{}, []],
  "again" => [{}, []],
  "parked" => [{ "RPERF_TOP_RECORD_HZ" => "0" }, LOAD],
  "100 Hz" => [{ "RPERF_TOP_RECORD_HZ" => "100" }, LOAD],
  "1000 Hz" => [{ "RPERF_TOP_RECORD_HZ" => "100", "BENCH_SETTLE" => "0.5" }, LOAD],
  "clock" => [{}, ["-I", "#{BUILD}/bench", "-r", "clock_hooks"]],
}.freeze
PROGRAMS = {
  "cpu" => {}, "gc" => {}, "deep" => {}, "storm" => {}, "storm, 100 frames" => { "STORM_DEPTH" => "100" },
}.freeze

def build_clock_hooks
  FileUtils.mkdir_p("#{BUILD}/bench/clock_hooks")
  Dir.chdir("#{BUILD}/bench/clock_hooks") do
    system(RbConfig.ruby, "#{HERE}/clock_hooks/extconf.rb", out: File::NULL, exception: true)
    system("make", out: File::NULL, exception: true)
    FileUtils.cp("clock_hooks.so", "..")
  end
end

def run_once(name, extra, configuration)
  environment, arguments = CONFIGURATIONS.fetch(configuration)
  script = "#{HERE}/programs/#{name[/\w+/]}.rb"
  reader, writer = IO.pipe
  pid = spawn(environment.merge(extra), RbConfig.ruby, *arguments, script, out: writer)
  writer.close
  watcher = spawn(DUMP, pid.to_s, "--watch", "1000", "--seconds", "600", out: File::NULL, err: File::NULL) if configuration == "1000 Hz"
  line = reader.gets
  Process.wait(pid)
  if watcher
    Process.kill(:TERM, watcher) rescue nil
    Process.wait(watcher)
  end
  line.to_s.scan(/(\w+)=([\d.]+)/).to_h { |key, value| [key, Float(value)] }
end

def quartiles(values)
  sorted = values.sort
  [0.25, 0.5, 0.75].map { |share| sorted[((sorted.size - 1) * share).round] }
end

# A storm is compared with hooks that only read the clock, which is the least that can be had there.
def keep(name, configuration, rounds)
  base = name.start_with?("storm") ? "clock" : "none"
  ratios = rounds.map { |round| round[configuration]["cpu"] / round[base]["cpu"] }
  Results.keep("overhead/#{name.sub(/, (\d+) frames/, '-\1')}", Results.median(ratios), at: configuration)
end

def report(name, rounds)
  puts "#{name}: #{format("%.2f", quartiles(rounds.map { |round| round["none"]["cpu"] })[1])} s of CPU a run"
  (rounds.first.keys - ["none"]).each do |configuration|
    columns = %w[cpu wall].map do |clock|
      low, middle, high = quartiles(rounds.map { |round| round[configuration][clock] / round["none"][clock] })
      least = rounds.map { |round| round[configuration][clock] }.min / rounds.map { |round| round["none"][clock] }.min
      format("%s %.4f [%.4f %.4f] least %.4f", clock, middle, low, high, least)
    end
    versus = ""
    if name.start_with?("storm") && configuration.end_with?("Hz")
      versus = format("   cpu / clock hooks %.3f", quartiles(rounds.map { |round| round[configuration]["cpu"] / round["clock"]["cpu"] })[1])
    end
    puts format("  %-8s %s%s", configuration, columns.join("   "), versus)
    keep(name, configuration, rounds) unless configuration == "clock"
  end
  $stdout.flush
end

build_clock_hooks
wanted = ARGV.empty? ? PROGRAMS.keys : PROGRAMS.keys.select { |name| ARGV.include?(name) || ARGV.include?(name[/\w+/]) }
wanted.each do |name|
  configurations = CONFIGURATIONS.keys
  configurations -= ["clock"] unless name.start_with?("storm")
  rounds = Array.new(ROUNDS) do |round|
    configurations.rotate(round).to_h { |configuration| [configuration, run_once(name, PROGRAMS[name], configuration)] }
                  .slice(*configurations)
  end
  report(name, rounds)
end
