# Who is blamed for objects, and for the collector's CPU, beside what the programs know themselves.
#
#   ruby tests/bench/blame/blame.rb BUILD [SECONDS] [RUNS]
#
# makers: one method makes all objects in a third of the time, another one none, in turns of a millisecond. collector: a
# method asks for collections, between pauses.
require "csv"
require "rbconfig"
require "tmpdir"
require_relative "../results"

PROGRAMS = {
  "makers" => <<~'RUBY',
    class Maker; def make(n) = (while n > 0; s = "x" + "y"; n -= 1; end); end
    class Thinker; def think(n) = (while n > 0; n -= 1; end); end
    maker, thinker, before = Maker.new, Thinker.new, GC.stat(:total_allocated_objects)
    finish = now + SECONDS
    (maker.make(4000); thinker.think(40_000)) while now < finish
    truth GC.stat(:total_allocated_objects) - before
  RUBY
  "collector" => <<~'RUBY',
    class Asks; def collect = GC.start; end
    kept, asks, spent = Array.new(200_000) { |i| "s#{i}" * 2 }, Asks.new, 0.0
    finish = now + SECONDS
    while now < finish
      before = cpu
      asks.collect
      spent += cpu - before
      sleep 0.03
    end
    truth spent
  RUBY
}.freeze
HEAD = <<~'RUBY'
  SECONDS = Float(ARGV[0])
  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  def cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
  def truth(figure) = File.write(ARGV[1], figure.to_s)
RUBY

# Rows of the table of methods, and what the program says.
def run_one(build, name, seconds)
  Dir.mktmpdir("rperf-top-blame.") do |folder|
    File.write("#{folder}/program.rb", HEAD + PROGRAMS.fetch(name))
    environment = { "RPERF_TOP_DIR" => folder, "RPERF_TOP_LIB" => build, "TMPDIR" => folder }
    system(environment, "#{build}/rperf-top", "-o", "#{folder}/table.csv", "--", RbConfig.ruby, "--disable=gems",
           "#{folder}/program.rb", seconds, "#{folder}/truth", err: File::NULL) or abort "blame: #{name} failed"
    [CSV.read("#{folder}/table.csv", headers: true).map(&:to_h), Float(File.read("#{folder}/truth"))]
  end
end

def sum(rows, column) = rows.sum { |row| row[column].to_f }
def of(rows, *names) = rows.select { |row| names.include?(row["method"]) }

# Per cent of the objects that are said to be of each.
def makers(rows, made)
  maker = sum(of(rows, "Maker#make", "String#+"), "self_allocations")
  [100 * maker / made, 100 * sum(of(rows, "Thinker#think"), "self_allocations") / made]
end

def collector(rows, spent) = [100 * sum(of(rows, "GC.start", "Asks#collect"), "self_cpu") / spent]

build = File.realpath(ARGV.shift)
seconds, runs = ARGV.shift || "3", Integer(ARGV.shift || "3")
{ "makers" => { "maker" => "objects of who makes all of them, %", "thinker" => "of who makes none, %" },
  "collector" => { "collector" => "CPU of GC.start, % of what it took" } }.each do |name, words|
  found = Array.new(runs) { send(name, *run_one(build, name, seconds)) }
  words.zip(found.transpose) do |(key, word), figures|
    puts "#{word}: #{figures.map { |figure| "%.1f" % figure }.join("  ")}"
    Results.keep("blame/#{key}", figures)
  end
end
