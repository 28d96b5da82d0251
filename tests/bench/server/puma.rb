# A real puma under load: are its three routes shown with the time that they took, and does it answer as fast?
#
#   ruby tests/bench/server/puma.rb BUILD --gems FOLDER [--setups 5,32,2x5] [--requests N] [--rounds N] [--think MS]
#
# A setup is the number of threads, or workers x threads. Shares: with the recorder alone and watched (a viewer, -b
# -J, on all processes), how much of the time of the three routes (app.rb) each took, by the channels and (in
# brackets) by its own clocks; "sum" is how far the time of all three is off; "chance" is the standard deviation that so
# many instants leave of a share of CPU, and of the sum of CPU. Latencies: p50 and p99 in ms of all requests without,
# recorded and watched, in random order, the medians over the rounds; of five connections each rests for some --think ms
# between two requests, of more in proportion longer, for a server that is not overrun (some 40 % of a core a process): where it
# is, a few per cent of CPU are a third of the latency, and the same server without anything differs by as much.
require "optparse"
require_relative "../results"
require_relative "rig"
require_relative "shares"

options = { setups: %w[5 32 2x5], requests: 12_000, rounds: 3, think: 8 }
OptionParser.new do |parser|
  parser.on("--gems FOLDER") { |value| options[:gems] = value }
  parser.on("--setups LIST", Array) { |value| options[:setups] = value }
  %i[requests rounds think].each { |name| parser.on("--#{name} N", Integer) { |value| options[name] = value } }
end.parse!(ARGV)
BUILD = File.expand_path(ARGV.shift || "build")
OPTIONS = options.freeze
abort "puma: the gem is not in #{OPTIONS[:gems]}" if Dir["#{OPTIONS[:gems]}/gems/puma-[0-9]*"].empty?

def rig(setup, with: true)
  threads, workers = setup.split("x").reverse.map(&:to_i)
  rig = Rig.new(build: BUILD, gems: OPTIONS[:gems], threads: threads, workers: workers || 0, connections: threads * [workers || 1, 1].max,
                arguments: with ? ["-I", BUILD, "-r", "rperf_top"] : [],
                env: { "RPERF_TOP_SIZE" => "64" })
  yield rig
ensure
  rig&.stop
end

def asked(rig, kind, count, think)
  kind == "watched" ? rig.watched([]) { rig.ask(count, think) } : rig.ask(count, think)
end

def shares(setup, kind)
  rows, met, part = rig(setup) do |rig|
    asked(rig, kind, OPTIONS[:requests], 0)
    Shares.of(rig.read)
  end
  text = %w[wall CPU].each_with_index.map do |name, clock|
    parts = Shares::ROUTES.map { |route| format("%s %.2f (%.2f)", route, *Shares.share(rows, route, clock).reverse.map { |share| 100 * share }) }
    all = rows.values.sum { |row| row[clock + 2] }.fdiv(rows.values.sum { |row| row[clock] })
    format("%s %% %s, sum %+.2f %%", name, parts.join(", "), 100 * (all - 1))
  end
  chances = [Shares.chance(met), Shares.chance_of_sum(met, part)].map { |chance| 100 * chance }
  puts format("%-5s %-9s %s  [%d instants, chance %.2f, of the sum %.2f]", setup, kind, text.join("  "), met, *chances)
  %w[wall cpu].each_with_index do |name, clock|
    off = Shares::ROUTES.map { |route| Shares.share(rows, route, clock).inject(:-).abs }.max
    Results.keep("puma/#{name}", 100 * off, at: "#{setup}, #{kind}", beside: clock == 1 ? { "chance" => chances[0] } : {})
  end
  $stdout.flush
end

def quantile(values, share) = values.sort[((values.size - 1) * share).round]

def think(setup) = setup[/\d+\z/].to_f / 5 * OPTIONS[:think]

def latencies(setup, random)
  rounds = Array.new(OPTIONS[:rounds]) do
    %w[without recorder watched].shuffle(random: random).to_h do |kind|
      [kind, rig(setup, with: kind != "without") do |rig|
        rig.ask(600, think(setup))
        asked(rig, kind, OPTIONS[:requests] / 4, think(setup))["latencies"].values.flatten
      end]
    end
  end
  text = %w[without recorder watched].map do |kind|
    of_rounds = [0.5, 0.99].map { |share| rounds.map { |round| quantile(round[kind], share) } }
    %w[p50 p99].zip(of_rounds) { |name, values| Results.keep("puma/#{name}", Results.median(values), at: "#{setup}, #{kind}") }
    figures = of_rounds.map { |values| quantile(values, 0.5) }
    format("%s p50 %.2f p99 %.2f", kind, *figures)
  end
  puts format("%-5s latency, ms: %s  (%d rounds)", setup, text.join("  "), OPTIONS[:rounds])
  $stdout.flush
end

puts "puma: #{RUBY_VERSION}, threads or workers x threads, load average #{File.read("/proc/loadavg")[/\A\S+/]}"
random = Random.new(1)
OPTIONS[:setups].each do |setup|
  %w[recorder watched].each { |kind| shares(setup, kind) }
  latencies(setup, random) if OPTIONS[:rounds].positive?
end
