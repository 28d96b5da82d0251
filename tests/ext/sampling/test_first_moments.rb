# The first 50 ms of a program: what runs while the segment is made has its time, and keeps it.
# Runs alone: where others have the cores no instant may come in that time.
require_relative "../support"
require_relative "../../chance"

class FirstMomentsTest < Minitest::Test
  include Support
  include Chance

  # One call in C without a safepoint, and Ruby code behind it. Prints the CPU time of both, by the thread's own clock.
  PROGRAM = <<~'RUBY'
    def cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
    def first = 7**3_000_000
    def second(until_ns = cpu + 60_000_000) = (nil until cpu > until_ns)
    started = cpu
    first
    between = cpu
    second
    puts between - started, cpu - between
  RUBY
  RUNS = 16
  WITHIN_MS = 25 # what lies between two instants at 100 Hz is told by the later one

  # How far off both are, at most.
  def off_ms
    dump, program = history(PROGRAM)
    program.out.split.zip(%w[first second]).map { |truth, name|
      (dump.total(:cpu, on_stack: "Object##{name}") - Integer(truth)).abs / 1e6
    }.max
  end

  # Where the publisher gets no core in these milliseconds nothing was looked at: none of 40 runs was off so, beside two busy
  # processes one. A fault in one of four is found in four of five runs of this test.
  def test_a_call_in_c_is_not_given_to_what_follows
    off = Array.new(RUNS) { off_ms }
    assert_operator off.count { |ms| ms > WITHIN_MS }, :<=, 2, off.inspect
  end
end
