# Runs beside one other. A program that makes threads: from when the native thread of one starts until somebody else gets the
# GVL, triggers go to that, and the thread that runs is not asked for its stack (ext/sampling/newborn.h).
require_relative "support"

class NewbornTest < Minitest::Test
  include Support

  # Two methods take turns, and a thread is made every 5 ms. Prints what making threads and the two took.
  PROGRAM = <<~'RUBY'
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    def left = 100.times { |i| i + 1 }
    def right = 100.times { |i| i - 1 }
    making = 0
    start = now
    until now > start + 3_000_000_000
      begin_ns = now
      Thread.new { }
      making += now - begin_ns
      deadline = now + 5_000_000
      (left; right) until now > deadline
    end
    puts making, now - start
  RUBY

  # Where only a release answers an instant all of them show the call that waits, here Thread#initialize: it had 26 % of the
  # time in a run, of 1 % that it takes, and 105 instants of 4,000 were answered. Now there are 450, one for each 10 ms and
  # those in between, and it has 4 %.
  def test_work_while_threads_are_made
    dump, program = history(PROGRAM, env: { "RPERF_TOP_BUDGET" => "100", "RPERF_TOP_RECORD_HZ" => "1000" })
    making, length = program.out.lines.map { |line| Integer(line) }
    met = %w[left right].sum { |name| dump.total(:samples, state: "running", on_stack: "Object##{name}") }
    assert_operator met, :>, length / 20_000_000, "instants in #{length / 1_000_000} ms"
    shown = dump.total(:wall, state: "running", on_stack: "Thread#initialize")
    assert_operator shown, :<, making + length / 8
  end
end
