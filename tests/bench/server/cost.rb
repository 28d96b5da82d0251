# What a profiler costs a server: CPU of a real puma per request, with and without.
#
#   ruby tests/bench/server/cost.rb BUILD --gems FOLDER [--rounds N] [--kinds LIST] [--within] [--requests N]
#                                   [--think MS] [--threads N] [--seed N]
#
# Three routes in turn (CPU, JSON, short waits: app.rb), as many connections as threads, asked by another
# process (load.rb). A slice is the same number of requests for everybody; what it cost is the CPU clock of the
# server's process, read before and after, over that number. In every round all kinds have their turn, in random
# order. Each turn is a server of its own that was warmed up before: layouts of memory, which make a server
# faster or slower by more than a profiler does, meet all kinds alike, but it takes many rounds until they
# even out. With --within one server runs for four rounds and the profilers are switched on and off in it,
# which needs far fewer.
#
# Printed per kind: CPU per request; the median over the rounds of its ratio to the same round's "without",
# its standard error, the quartiles; what that is of a core ("A/B", CPU more per second of the slice); and what
# rperf-top itself said that it cost ("said", of a core, from the channel, and "shown", what the attached
# viewer's JSON had last), with said / (A/B).
require "optparse"
require_relative "rig"

KINDS = %w[without again recorder watched stackprof vernier rperf].freeze
ROUNDS_A_SERVER = 4
WARM_UP = 300

options = { rounds: 8, requests: 1200, think: 0, threads: 5, seed: Random.new_seed % 10_000 }
OptionParser.new do |parser|
  parser.on("--gems FOLDER") { |value| options[:gems] = value }
  parser.on("--kinds LIST", Array) { |value| options[:kinds] = value }
  parser.on("--within") { options[:within] = true }
  parser.on("--think MS", Float) { |value| options[:think] = value }
  %i[rounds requests threads seed].each { |name| parser.on("--#{name} N", Integer) { |value| options[name] = value } }
end.parse!(ARGV)
BUILD = File.expand_path(ARGV.shift || "build")
OPTIONS = options.freeze
LOAD = ["-I", BUILD, "-r", "rperf_top"].freeze

def gem?(name) = !Dir["#{OPTIONS[:gems]}/gems/#{name}-[0-9]*"].empty?

abort "server cost: puma is not in #{OPTIONS[:gems]}" unless OPTIONS[:gems] && gem?("puma")

def available
  wanted = OPTIONS[:kinds] ? ["without", *OPTIONS[:kinds]].uniq : KINDS
  wanted.select { |kind| !KINDS.drop(4).include?(kind) || gem?(kind) }
end

def start(arguments, env = {})
  Rig.new(build: BUILD, gems: OPTIONS[:gems], threads: OPTIONS[:threads], arguments: arguments, env: env)
end

# One slice: {cpu: ns per request, wall: ns per request}, and what was said of it.
def slice(rig, kind)
  shown = []
  measure = lambda do
    rig.ask(WARM_UP, OPTIONS[:think])
    before = rig.told
    seconds = rig.ask(OPTIONS[:requests], OPTIONS[:think])["seconds"]
    after = rig.told
    said = rig.said_cost(before["now"], after["now"]) if %w[recorder watched].include?(kind)
    { cpu: (after["cpu"] - before["cpu"]).fdiv(OPTIONS[:requests]), wall: seconds * 1e9 / OPTIONS[:requests], said: said }
  end
  result = kind == "watched" ? rig.watched(shown, &measure) : measure.call
  result.merge(shown: shown.last&.dig("sampler", "cost"))
end

# ---- a server for each turn -----------------------------------------------------------------------

def turn_of_its_own(kind)
  own = { "recorder" => LOAD, "watched" => LOAD }
  other = File.expand_path("../cost/with_#{kind}.rb", __dir__)
  arguments = own[kind] || (KINDS.drop(4).include?(kind) ? ["-r", other] : [])
  rig = start(arguments, { "STACKPROF" => "wall" })
  slice(rig, kind)
ensure
  rig&.stop
end

# ---- all kinds within one server ------------------------------------------------------------------

def turn_within(rig, kind)
  profiler = { "without" => "", "again" => "", "recorder" => "rperf_top", "watched" => "rperf_top" }.fetch(kind, kind)
  rig.switch(profiler)
  slice(rig, kind)
ensure
  rig.switch
end

def rounds(kinds, random)
  rig = nil
  Array.new(OPTIONS[:rounds]) do |round|
    if OPTIONS[:within] && (round % ROUNDS_A_SERVER).zero?
      rig&.stop
      others = kinds & KINDS.drop(4)
      rig = start([*LOAD, *others.flat_map { |name| ["-r", name] }], { "RPERF_TOP" => "0" })
      rig.ask(WARM_UP)
    end
    kinds.shuffle(random: random).to_h { |kind| [kind, OPTIONS[:within] ? turn_within(rig, kind) : turn_of_its_own(kind)] }
  end
ensure
  rig&.stop
end

# ---- the figures ----------------------------------------------------------------------------------

def quantile(values, share) = values.sort[((values.size - 1) * share).round]
def median(values) = quantile(values, 0.5)

# Of the median: what resampling gives, so that no shape need be assumed.
def error_of_median(values)
  random = Random.new(1)
  medians = Array.new(400) { median(Array.new(values.size) { values[random.rand(values.size)] }) }
  mean = medians.sum / medians.size
  Math.sqrt(medians.sum { |value| (value - mean)**2 } / medians.size)
end

def report(kinds, rounds)
  without = rounds.map { |round| round["without"] }
  base = median(without.map { |one| one[:cpu] })
  puts format("%-10s %8.1f us a request, %.0f requests a second, %.0f %% of a core", "without", base / 1e3,
              1e9 / median(without.map { |one| one[:wall] }), 100 * base / median(without.map { |one| one[:wall] }))
  (kinds - ["without"]).each do |kind|
    own = rounds.map { |round| round[kind] }
    ratios = rounds.map { |round| round[kind][:cpu] / round["without"][:cpu] }
    ratio, wall = median(ratios), median(own.map { |one| one[:wall] })
    more = (ratio - 1) * base / wall
    line = format("%-10s %8.1f us  ratio %.4f +- %.4f [%.4f %.4f]  A/B %5.2f %% of a core", kind,
                  median(own.map { |one| one[:cpu] }) / 1e3, ratio, error_of_median(ratios), quantile(ratios, 0.25),
                  quantile(ratios, 0.75), 100 * more)
    if (said = own.filter_map { |one| one[:said] }).any?
      line << format("  said %.2f %%, said / A/B %.2f", 100 * median(said), median(said) / more)
      shown = own.filter_map { |one| one[:shown] }
      line << format("  shown %.2f %%", 100 * median(shown)) if shown.any?
    end
    puts line
  end
end

kinds = available
puts format("server cost: %s, %d threads, %d rounds of %d requests, %s, seed %d, load average %s", RUBY_VERSION,
            OPTIONS[:threads], OPTIONS[:rounds], OPTIONS[:requests],
            OPTIONS[:within] ? "switched within one server" : "a server for each turn", OPTIONS[:seed],
            File.read("/proc/loadavg")[/\A\S+/])
puts "  not here: #{(KINDS - kinds).join(", ")}" unless OPTIONS[:kinds] || (KINDS - kinds).empty?
start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
report(kinds, rounds(kinds, Random.new(OPTIONS[:seed])))
puts format("  %.0f s", Process.clock_gettime(Process::CLOCK_MONOTONIC) - start)
