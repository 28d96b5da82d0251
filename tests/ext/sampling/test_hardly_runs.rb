# A thread that hardly runs waits long for its instants: for longer than the windows are, which told of its time as not sampled.
# All of it is its method's in the end, with its CPU. (When no more than twelve windows were
# remembered a third of it and more stayed not sampled.)
require_relative "../support"
require_relative "../../chance"

class HardlyRunsTest < Minitest::Test
  include Support
  include Chance

  # 0.2 ms in each window or two, 0.2 % of a core. Prints the CPU time of the method, by the thread's own clock.
  PROGRAM = <<~'RUBY'
    def cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
    def work(until_ns = cpu + 200_000) = (nil until cpu > until_ns)
    used = 0
    80.times do
      started = cpu
      work
      used += cpu - started
      sleep 0.1
    end
    puts used
  RUBY

  def test_its_time_comes_to_its_method
    dump, program = history(PROGRAM, env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" })
    found, used = dump.total(:cpu, on_stack: "Object#work"), Integer(program.out)
    running = dump.total(state: "running")
    assert_operator dump.unsampled(state: "running"), :<, 0.05 * running, "of #{running / 1000} us"
    assert_in_delta 1, found.fdiv(used), 0.25, "#{found / 1000} of #{used / 1000} us"
  end
end
