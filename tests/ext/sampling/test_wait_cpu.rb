# What waits take of a core: the kernel works for some, and others only rest.
require_relative "../support"

class WaitCpuTest < Minitest::Test
  include Support

  # So many threads in which a read of a megabyte of zeros (CPU in the kernel, without the GVL) and four rests follow one
  # another: together too many waits to ask the CPU clock at each. Prints the CPU of both, by the threads' own clocks.
  PROGRAM = <<~'RUBY'
    module Kind
      ZEROS = File.open("/dev/zero")
      def self.reads(buffer) = ZEROS.sysread(1 << 20, buffer)
      def self.rests = sleep(0.0003)
    end
    def cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    threads = Array.new(Integer(ARGV[0])) do
      Thread.new do
        buffer, reads, rests = String.new(capacity: 1 << 20), 0, 0
        deadline = now + 1
        until now > deadline
          from = cpu
          Kind.reads(buffer)
          middle = cpu
          4.times { Kind.rests }
          reads += middle - from
          rests += cpu - middle
        end
        [reads, rests]
      end
    end
    puts threads.map(&:value).transpose.map(&:sum).join(" ")
  RUBY

  # Of both together reads take some 0.4 to 0.6; a rule that gives each wait the same, or all that is not known to the one
  # in which a window ends, has them at 0.12 to 0.2.
  [1, 5].each do |threads|
    define_method("test_cpu_of_waits_in_#{threads}_threads") do
      dump, program = history(PROGRAM, arguments: [threads.to_s], env: { "RPERF_TOP_BUDGET" => "10" })
      reads, rests = program.out.split.map { |text| Integer(text) }
      found = %w[reads rests].map { |name| dump.total(:cpu, state: "blocked", on_stack: "Kind.#{name}") }
      assert_in_delta reads.fdiv(reads + rests), found[0].fdiv(found.sum), 0.1
      assert_operator found.sum, :>, 0.6 * (reads + rests)
      assert_operator found.sum, :<, 1.1 * (reads + rests)
    end
  end
end
