# What a profiler costs a server: CPU of a real puma per request, with and without.
#
#   ruby tests/bench/server/cost.rb BUILD --gems FOLDER [--rounds N] [--kinds LIST] [--within] [--requests N]
#                                   [--think MS] [--threads N] [--pin] [--budget PERCENT] [--seed N] [--warm-up N]
#                                   [--file FILE]
#
# Three routes in turn (CPU, JSON, short waits: app.rb), as many connections as threads, asked by another
# process (load.rb). A slice is the same number of requests for everybody; what it cost is the CPU clock of the
# server's process, read before and after, over that number. In every round all kinds have their turn, in random
# order. Each turn is a server of its own that was warmed up before: layouts of memory, which make a server
# faster or slower by more than a profiler does, meet all kinds alike, but it takes many rounds until they
# even out. With --within one server runs for four rounds and the profilers are switched on and off in it,
# which needs far fewer.
#
# Before a slice a profiler is on for --warm-up requests (300), and without one there are as many, so that garbage was
# collected as long ago. For ten seconds after its start the recorder spends what it has saved up
# for stacks: what it costs in the long run is seen with 12000.
#
# Kinds: again (without once more: the noise), recorder, watched (a viewer, -b -J, at its usual rate), watched@N (at N
# stacks a second: what ten times the rate costs can be told from noise far sooner; --budget 100 keeps the governor
# from lowering it), stackprof, vernier, rperf (wall, 1000 Hz). --pin gives the server the first core and all
# else the others: less noise, but the profilers' own threads are then on the core of the application. --file
# keeps the rounds there, and the figures are of all that it holds: a long sitting in pieces.
#
# Printed per kind: CPU per request; the median over the rounds of its ratio to the same round's "without",
# its standard error, the quartiles; the same of figures divided by the speed of the machine at that time
# ("steady", app.rb: reference); what the latter is of a core ("A/B", CPU more per second of the slice); and what
# rperf-top itself said that it cost, of a core ("said", from the channel, and "shown", what the attached
# viewer's JSON had last, if it had any during the slice), with said / (A/B).
require "optparse"
require_relative "../results"
require_relative "rig"

OTHERS = %w[stackprof vernier rperf].freeze
KINDS = ["without", "again", "recorder", "watched", *OTHERS].freeze
KEPT = %w[again recorder watched].freeze   # among the results
ROUNDS_A_SERVER = 4

options = { warm_up: 300, rounds: 8, requests: 1200, think: 0, threads: 5, seed: Random.new_seed % 10_000 }
OptionParser.new do |parser|
  parser.on("--gems FOLDER") { |value| options[:gems] = value }
  parser.on("--kinds LIST", Array) { |value| options[:kinds] = value }
  parser.on("--within") { options[:within] = true }
  parser.on("--pin") { |value| options[:pin] = value }
  parser.on("--file FILE") { |value| options[:file] = value }
  parser.on("--budget PERCENT") { |value| options[:budget] = value }
  parser.on("--warm-up N", Integer) { |value| options[:warm_up] = value }
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
  wanted.select { |kind| !OTHERS.include?(kind) || gem?(kind) }
end

def ours?(kind) = kind.match?(/\A(recorder|watched)/)

def start(arguments, env = {})
  env = env.merge("RPERF_TOP_BUDGET" => OPTIONS[:budget])
  Rig.new(build: BUILD, gems: OPTIONS[:gems], threads: OPTIONS[:threads], arguments: arguments, env: env, pin: OPTIONS[:pin])
end

# One slice: {cpu: ns per request, wall: ns per request, reference: ns}, and what was said of it.
def slice(rig, kind)
  shown, early = [], 0
  measure = lambda do |*|
    rig.ask(OPTIONS[:warm_up], OPTIONS[:think])
    early = shown.size
    before = rig.told
    seconds = rig.ask(OPTIONS[:requests], OPTIONS[:think])["seconds"]
    after = rig.told
    said = rig.said_cost(before["now"], after["now"]) if ours?(kind)
    { cpu: (after["cpu"] - before["cpu"]).fdiv(OPTIONS[:requests]), wall: seconds * 1e9 / OPTIONS[:requests],
      reference: after["reference"], said: said }
  end
  rate = kind[/@(\d+)/, 1]
  result = kind.start_with?("watched") ? rig.watched(shown, *(rate && ["--hz", rate]), &measure) : measure.call
  result.merge(shown: shown.drop(early).last&.dig("sampler", "cost"))
end

# ---- a server for each turn -----------------------------------------------------------------------

def turn_of_its_own(kind)
  other = File.expand_path("../cost/with_#{kind}.rb", __dir__)
  arguments = if ours?(kind) then LOAD
              else OTHERS.include?(kind) ? ["-r", other] : []
              end
  rig = start(arguments, { "STACKPROF" => "wall" })
  slice(rig, kind)
ensure
  rig&.stop
end

# ---- all kinds within one server ------------------------------------------------------------------

def turn_within(rig, kind)
  profiler = kind if OTHERS.include?(kind)
  profiler = "rperf_top" if ours?(kind)
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
      others = kinds & OTHERS
      rig = start([*LOAD, *others.flat_map { |name| ["-r", name] }], { "RPERF_TOP" => "0" })
      rig.ask(OPTIONS[:warm_up])
    end
    kinds.shuffle(random: random).to_h { |kind| [kind, OPTIONS[:within] ? turn_within(rig, kind) : turn_of_its_own(kind)] }
  end
ensure
  rig&.stop
end

# ---- the figures ----------------------------------------------------------------------------------

def quantile(values, share) = values.sort[((values.size - 1) * share).round]
def median(values) = quantile(values, 0.5)

def ratios(rounds, kind)
  rounds.map { |round| yield(round[kind]) / yield(round["without"]) }
end

def spread(values) = format("%.4f +- %.4f [%.4f %.4f]", median(values), Results.median(values)[:error] || 0, *[0.25, 0.75].map { |share| quantile(values, share) })

def steady(rounds, kind) = ratios(rounds, kind) { |one| one[:cpu] / one[:reference] }

# With the others beside the recorder; `more`: what a kind takes of a core.
def keep(kind, kinds, rounds, more)
  beside = kind == "recorder" ? (OTHERS & kinds).to_h { |name| [name, Results.median(steady(rounds, name))] } : {}
  Results.keep("server/#{kind}", Results.median(steady(rounds, kind)), beside: beside)
  said = rounds.filter_map { |round| round[kind][:said] }
  Results.keep("server/said", 100 * median(said), at: kind, of: 100 * more) unless said.empty?
end

def report(kinds, rounds)
  of = ->(kind, key) { median(rounds.map { |round| round[kind][key] }) }
  base = of.("without", :cpu)
  puts format("%-14s %6.1f us a request, %.0f requests a second, %.0f %% of a core", "without", base / 1e3,
              1e9 / of.("without", :wall), 100 * base / of.("without", :wall))
  (kinds - ["without"]).each do |kind|
    raw = ratios(rounds, kind) { |one| one[:cpu] }
    more = (median(steady(rounds, kind)) - 1) * base / of.(kind, :wall)
    puts format("%-14s %6.1f us  ratio %s  steady %s  A/B %5.2f %% of a core%s", kind, of.(kind, :cpu) / 1e3, spread(raw),
                spread(steady(rounds, kind)), 100 * more, ours?(kind) ? said(rounds.map { |round| round[kind] }, more) : "")
    keep(kind, kinds, rounds, more) if KEPT.include?(kind)
  end
end

def said(slices, more)
  said, shown = %i[said shown].map { |key| slices.filter_map { |one| one[key] } }
  text = said.empty? ? "" : format("  said %.2f %%, said / A/B %.2f", 100 * median(said), median(said) / more)
  shown.empty? ? text : text + format("  shown %.2f %%", 100 * median(shown))
end

kinds = available
puts format("server cost: %s, %d threads, %d rounds of %d requests, %s%s, seed %d, load average %s", RUBY_VERSION,
            OPTIONS[:threads], OPTIONS[:rounds], OPTIONS[:requests],
            OPTIONS[:within] ? "switched within one server" : "a server for each turn", OPTIONS[:pin] ? ", on one core" : "", OPTIONS[:seed],
            File.read("/proc/loadavg")[/\A\S+/])
puts "  not here: #{(KINDS - kinds).join(", ")}" unless OPTIONS[:kinds] || (KINDS - kinds).empty?
start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
done = rounds(kinds, Random.new(OPTIONS[:seed]))
if (file = OPTIONS[:file])
  File.open(file, "a") { |io| done.each { |round| io.puts(JSON.generate(round)) } }
  done = File.readlines(file).map { |line| JSON.parse(line).transform_values { |one| one.transform_keys(&:to_sym) } }
  kinds &= done.map(&:keys).inject(:&)
  puts "  #{done.size} rounds in #{file}"
end
report(kinds, done)
puts format("  %.0f s", Process.clock_gettime(Process::CLOCK_MONOTONIC) - start)
