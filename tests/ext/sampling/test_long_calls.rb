# Runs beside one other: where all cores are busy ticks that come late do not meet the shortest of what runs.
# Long calls of C code beside many short waits, as when a server sorts or serializes between its reads of files. Instants
# that pass while C code runs are looked at where it ends: what lies before the first of them is short all the same.
# Taken for half of all that lay before, 34 % of the sorting went to the waits' methods. In a storm of events (4,000 waits
# within 30 ms) CPU that belongs to running code went to waits: 8 % of plain code's.
require_relative "../support"
require_relative "../../chance"

class LongCallsTest < Minitest::Test
  include Support
  include Chance

  # Runs of 4 s of a core at 1000 Hz differ by less than 0.02. Where others want the core the publisher gets one late, and
  # up to 0.23 of what begins a long stretch is missed: the bound grows as the share of a core that was had falls, to thrice.
  WITHIN = 0.1

  PROGRAM = <<~'RUBY'
    require "json"
    def cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)

    def plain
      value = 0
      200_000.times { |i| value = (value * 3 + i) & 0xffff }
    end

    def sorting = VALUES.sort
    def waiting = Integer(ARGV[0]).times { File.exist?("/nonexistent") }

    VALUES = Array.new(60_000) { rand }
    used = Hash.new(0)
    stop = cpu + 4_000_000_000
    began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    while cpu < stop
      %i[waiting sorting plain].each do |name|
        before = cpu
        send(name)
        used[name] += cpu - before
      end
    end
    had = 4 / (Process.clock_gettime(Process::CLOCK_MONOTONIC) - began)
    puts JSON.generate(used.merge(had: had))
  RUBY

  def assert_right(waits, rate: 1000, within: WITHIN)
    env = { "RPERF_TOP_RECORD_HZ" => rate.to_s, "RPERF_TOP_KEEP" => "1", "RPERF_TOP_SIZE" => "32", "RPERF_TOP_BUDGET" => "100" }
    program = start(PROGRAM, arguments: [waits.to_s], env: env)
    truth = JSON.parse(program.line)
    program.finish
    dump = Dump.read(program.channel)
    within /= truth.fetch("had").clamp(0.33, 1)
    %w[sorting plain].each do |name|
      found = dump.total(:cpu, state: "running", on_stack: "Object##{name}")
      assert_in_delta 1, found.fdiv(truth.fetch(name)), within, name
    end
  end

  def test_beside_some_waits = assert_right(300)

  def test_beside_a_storm_of_waits = assert_right(4000)

  # What is behind the last instant of a C call is that call's, but it belongs to no less than what is before the first:
  # who is given both has a quarter too much, and plain code lacks a third. Runs differ by 0.04.
  def test_beside_plain_code_only = assert_right(1, rate: 100, within: 0.2)
end
