# What tracing a method costs: its calls, and everything else.
#
#   ruby tests/bench/exact/exact.rb BUILD [--rounds N] [--c]
#
# One process, in which a viewer traces a method for a while, round after round. In each round, before, while and after
# it is traced: ns of one call of that method (empty, and what it costs beyond an untraced one), of another method of
# the same class, of a method in C, and of a program without either (tarai). Told are the medians of the rounds; of
# others the ratio to the same round's time before.
#
# --c: traces a method in C. What Ruby changes for that it changes once: ratios are to the time before the first round.
require "io/wait"
require "json"
require "optparse"
require "rbconfig"
require "tmpdir"
require_relative "../results"
require_relative "wait"

rounds = 5
in_c = false
OptionParser.new do |parser|
  parser.on("--rounds N", Integer) { |value| rounds = value }
  parser.on("--c") { in_c = true }
end.parse!(ARGV)
NAMES = { "other" => "another method", "c" => "one in C", "operators" => "operators", "tarai" => "tarai" }.freeze
METHOD, TRACED = in_c ? ["!Integer#gcd", "gcd"] : ["Exact#traced", "traced"]
BUILD = File.expand_path(ARGV.shift || "build")
DUMP = "#{BUILD}/tests/tools/channel_dump"

PROGRAM = <<~RUBY
  require "io/wait"
  require "json"
  class Exact
    def traced = nil
    def other = nil
  end
  def now = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
  def per_call(times)
    from = now
    yield times
    (now - from).fdiv(times)
  end
  def tarai(x, y, z) = x <= y ? y : tarai(tarai(x - 1, y, z), tarai(y - 1, z, x), tarai(z - 1, x, y))
  def least = 5.times.map { yield }.min
  exact, list = Exact.new, [1]
  loop do
    sleep 0.002 until $stdin.wait_readable(0)
    break unless $stdin.gets
    row = { # CPU time: others take the core away
      traced: least { per_call(200_000) { |n| i = 0; (exact.traced; i += 1) while i < n } },
      other: least { per_call(200_000) { |n| i = 0; (exact.other; i += 1) while i < n } },
      c: least { per_call(200_000) { |n| i = 0; (#{(["12.lcm(8)"] * 10).join(";")}; i += 10) while i < n } },
      gcd: least { per_call(200_000) { |n| i = 0; (#{(["12.gcd(8)"] * 10).join(";")}; i += 10) while i < n } },
      operators: least { per_call(200_000) { |n| i = 0; (list[0]; list[0]; i += 1) while i < n } },
      loop: least { per_call(200_000) { |n| i = 0; i += 1 while i < n } },
      tarai: least { per_call(1) { tarai(9, 5, 0) } },
    }
    puts row.to_json
    $stdout.flush
  end
RUBY

def states(channel)
  window = JSON.parse(IO.popen([DUMP, channel], &:read))["windows"].last
  window ? window["exact"].filter_map { |_, what, _, value| value if what == 1 } : []
end

def median(values) = values.sort[values.size / 2]

Dir.mktmpdir("rperf-top-exact.", "/dev/shm") do |folder|
  File.write("#{folder}/program.rb", PROGRAM)
  yjit = ENV["RUBY_YJIT_ENABLE"] == "1" ? "with YJIT" : "interpreter"
  io = IO.popen([{ "RPERF_TOP_DIR" => folder, "RPERF_TOP_TRACE_BUDGET" => "0" }, RbConfig.ruby, "-I", BUILD, "-rrperf_top", "#{folder}/program.rb"], "r+")
  channel = wait_for("the channel") { Dir["#{folder}/rperf-top.*"].grep_v(/ctl\z/).first }
  measure = -> { io.puts; io.flush; JSON.parse(io.gets) }
  measure.call
  results = rounds.times.map do
    watcher = IO.popen([DUMP, channel, "--watch", "200", "--until-eof"], "r+")
    before = measure.call
    viewer = IO.popen([DUMP, channel, "--watch", "200", "--until-eof", "--trace", METHOD], "r+")
    wait_for("tracing") { states(channel) == [2] }
    while_traced = measure.call
    viewer.close_write
    viewer.read
    wait_for("the end of tracing") { states(channel).empty? }
    after = measure.call
    watcher.close_write
    watcher.read
    [before, while_traced, after]
  end
  io.close_write
  puts "#{yjit}, #{rounds} rounds, medians"
  call = ->(row) { row[TRACED] - row["loop"] / (in_c ? 10 : 1) }
  before, while_traced, after = 3.times.map { |at| median(results.map { |row| call.(row[at]) }) }
  more = median(results.map { |row| call.(row[1]) - call.(row[0]) })
  kind = "#{in_c ? "C" : "Ruby"}, #{yjit}"
  Results.keep("exact/call", Results.median(results.map { |row| call.(row[1]) - call.(row[0]) }), at: kind)
  Results.keep("exact/afterwards", Results.median(results.map { |row| call.(row[2]) - call.(row[0]) }), at: kind)
  puts format("a call: %.1f ns before, %.1f ns traced, %.1f ns afterwards: %.1f ns more", before, while_traced, after, more)
  %w[other c operators tarai].each do |what|
    of_rounds = [1, 2].map { |at| results.map { |row| row[at][what] / (in_c ? results[0] : row)[0][what] } }
    ratios = of_rounds.map { |values| median(values) }
    Results.keep("exact/others", Results.median(of_rounds[0]), at: "#{NAMES.fetch(what)}, #{kind}")
    puts format("%-9s x%.3f while it is traced, x%.3f afterwards", what, *ratios)
  end
  next unless in_c
  calls = [0, 1, 2].map { |at| median((at.zero? ? results.take(1) : results).map { |row| row[at]["c"] - row[at]["loop"] / 10 }) }
  puts format("another call in C: %.1f ns before, %.1f ns meanwhile, %.1f ns afterwards", *calls)
end
