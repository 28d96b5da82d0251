# How right is what is said of requests and jobs? A puma of five threads, a cluster of two, and a Sidekiq with a real redis, with
# planted faults (faults.rb), some 200 requests a second; the truth is the time that the program takes around all of a
# request, or of a job with its middlewares.
#
#   ruby tests/bench/server/requests.rb BUILD --gems FOLDER [--setups 5,2x5,sidekiq] [--count N] [--rounds N]
#
# A line for each run: the largest error of p50, p99 and the longest among the routes (in brackets those of a millisecond
# or more, in %), the sum of all causes over the wall time, and the time of "waits behind" over what the program noted itself: from
# asking for the GVL or the lock to getting it, while the other had it.
require "optparse"
require_relative "../results"
require_relative "faults"
require_relative "queue_rig"
require_relative "rig"
require_relative "truth"

options = { setups: %w[5 2x5 sidekiq], count: 2000, rounds: 3 }
OptionParser.new do |parser|
  parser.on("--gems FOLDER") { |value| options[:gems] = value }
  parser.on("--setups LIST", Array) { |value| options[:setups] = value }
  %i[count rounds].each { |name| parser.on("--#{name} N", Integer) { |value| options[name] = value } }
end.parse!(ARGV)
BUILD = File.expand_path(ARGV.shift || "build")
OPTIONS = options.freeze
A_SECOND = 200
CONNECTIONS = 40 # each rests for so long that an answer's time hardly matters
SHORT = 0.001
FIGURES = %w[p50 p99 max].freeze

# Yields who reads what: pids, the folder of segments, the truth, and how many came a second.
def puma(setup)
  threads, workers = setup.split("x").reverse.map(&:to_i)
  rig = Rig.new(build: BUILD, gems: OPTIONS[:gems], threads: threads, workers: workers || 0, connections: CONNECTIONS,
                arguments: ["-I", BUILD], application: "FaultyApp", env: { "RPERF_TOP_SIZE" => "64" })
  asked = rig.ask(OPTIONS[:count], 1000.0 * CONNECTIONS / A_SECOND, Faults::MIX.map { |name| "/#{name}" })
  yield rig.serving, rig.folder, Truth.new(rig.told_by_all) { |name| "GET /#{name}" }, OPTIONS[:count] / asked["seconds"]
ensure
  rig&.stop
end

def sidekiq
  rig = QueueRig.new(build: BUILD, gems: "#{OPTIONS[:gems]}/frameworks", env: { "RPERF_TOP_SIZE" => "64" })
  from = Faults.now
  rig.push(OPTIONS[:count], A_SECOND)
  rate = OPTIONS[:count] / ((Faults.now - from) / 1e9)
  yield [rig.pid], rig.folder, Truth.new(rig.told(OPTIONS[:count])) { |name| "#{name.capitalize}Job" }, rate
ensure
  rig&.stop
end

def rows_of_all(pids, folder, truth)
  100.times do
    rows = Truth.rows(BUILD, folder, pids)
    return rows if truth.all?(rows, Faults::NAMES)
    sleep 0.1
  end
  raise "not all requests are in the windows"
end

# {"p50" => [largest error in %, of those that are not short, largest in ms], ...}
def errors(truth, rows)
  FIGURES.to_h do |key|
    pairs = Faults::NAMES.map do |name|
      times = truth.pieces(name).map(&:last)
      [rows[truth.label(name)]["latency"][key], key == "max" ? times.max : Truth.quantile(times, Truth::SHARES[key])]
    end
    [key, [pairs.filter_map { |told, real| 100 * (told / real - 1) if real >= SHORT }.max_by(&:abs),
           pairs.map { |told, real| 1000 * (told - real) }.max_by(&:abs)]]
  end
end

def causes(truth, rows)
  found = Faults::NAMES.sum { |name| rows[truth.label(name)]["latency"]["causes"].values.sum { |cause| cause["sum"] } }
  100 * (found / Faults::NAMES.sum { |name| truth.pieces(name).sum(&:last) } - 1)
end

def pair(truth, rows, kind)
  real = truth.overlap(kind)
  100 * (truth.behind(rows, kind)["time"] / real - 1) if real.positive?
end

def run(setup)
  read = lambda do |pids, folder, truth, rate|
    rows = rows_of_all(pids, folder, truth)
    quantiles = errors(truth, rows)
    { "rate" => rate, "causes" => causes(truth, rows), "gvl" => pair(truth, rows, :gvl), "lock" => pair(truth, rows, :lock),
      "away" => quantiles.values.map(&:last).max_by(&:abs) }.merge(quantiles.transform_values(&:first))
  end
  found = nil
  setup == "sidekiq" ? sidekiq { |*read_of| found = read.(*read_of) } : puma(setup) { |*read_of| found = read.(*read_of) }
  puts format("%-7s %.0f a second; p50 %+.2f %%, p99 %+.2f %%, max %+.2f %%, at most %+.3f ms; causes %+.3f %%; behind: GVL %+.2f %%, lock %+.2f %%",
              setup, *found.values_at("rate", "p50", "p99", "max", "away", "causes", "gvl", "lock").map(&:to_f))
  $stdout.flush
  found
end

puts "requests: #{RUBY_VERSION}, #{OPTIONS[:count]} of each run, load average #{File.read("/proc/loadavg")[/\A\S+/]}"
OPTIONS[:setups].each do |setup|
  found = Array.new(OPTIONS[:rounds]) { run(setup) }
  at = setup == "sidekiq" ? setup : "puma #{setup}"
  %w[p50 p99 max causes gvl lock away].each do |key|
    values = found.filter_map { |one| one[key] }
    Results.keep("requests/#{key}", Results.range(values), at: at) unless values.empty?
  end
end
