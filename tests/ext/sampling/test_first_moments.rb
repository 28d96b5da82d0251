# The first 50 ms of a program: what runs while the segment is made has its time, and keeps it.
require_relative "../support"

class FirstMomentsTest < Minitest::Test
  include Support

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
  RUNS = 4
  WITHIN_MS = 25 # what lies between two instants at 100 Hz is told by the later one; where cores are taken they are further apart

  def test_a_call_in_c_is_not_given_to_what_follows
    RUNS.times do
      dump, program = history(PROGRAM)
      program.out.split.zip(%w[first second]) do |truth, name|
        assert_in_delta Integer(truth) / 1e6, dump.total(:cpu, on_stack: "Object##{name}") / 1e6, WITHIN_MS, name
      end
    end
  end
end
