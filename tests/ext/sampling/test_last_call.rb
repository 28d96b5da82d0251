# What waits for the first instant of the next stretch has none when the program ends: 5 ms of it here, of the last sixteen
# stretches. What runs last is not given all of that.
# Runs beside one other: late instants are what it measures.
require_relative "../support"
require_relative "../../chance"

class LastCallTest < Minitest::Test
  include Support
  include Chance

  # Prints the CPU time of the last call, by the thread's own clock.
  PROGRAM = <<~'RUBY'
    def cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
    def work(until_ns = cpu + 15_000_000) = (nil until cpu > until_ns)
    def last(until_ns = cpu + 20_000_000) = (nil until cpu > until_ns)
    14.times do
      work
      sleep 0.025
    end
    started = cpu
    last
    puts cpu - started
  RUBY
  RUNS = 10
  WITHIN_NS = 2_000_000 # it has 0.5 ms too much in the mean, and all that waits is 4.9

  def surplus_ns
    dump, program = history(PROGRAM, env: { "RPERF_TOP_RECORD_HZ" => "500", "RPERF_TOP_BUDGET" => "100" })
    dump.total(:cpu, on_stack: "Object#last") - Integer(program.out)
  end

  def test_the_last_call_has_its_own_time
    surplus = Array.new(RUNS) { surplus_ns }
    assert_in_delta 0, surplus.sum / RUNS, WITHIN_NS, surplus.inspect
  end
end
