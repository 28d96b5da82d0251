# Running time of short stretches: programs whose threads have little to do, live for one request, or are of many kinds.
# An instant meets few of their stretches. Which it meets must say nothing about where the time of the others goes, and
# none may stay not sampled because nobody came by within a second.
#
# Seen when each was mended, of quiet and of busy machines, before and after: not sampled 57 % and under 1 % (little to do),
# 32 to 43 and 1 to 3 % (many kinds); work that was shown as such 25 to 35 and 74 to 86 % (one request), 2 to 8 and 77 to
# 80 % (one stretch).
require_relative "support"

class StretchesTest < Minitest::Test
  include Support

  START = <<~RUBY
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    def cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)

    def spin(count)
      i = 0
      i += 1 while i < count
    end

    began = cpu
    spin(200_000)
    MICROSECOND = 200_000 / ((cpu - began) * 1e6)
    def work(microseconds) = spin((microseconds * MICROSECOND).to_i)
    $stdout.sync = true
    puts "ready"
    $stdin.gets
    FINISH = now + 4
  RUBY

  def run_stretches(source)
    program = start(START + source, env: { "RPERF_TOP_RECORD_HZ" => "100", "RPERF_TOP_KEEP" => "1", "RPERF_TOP_SIZE" => "64" })
    assert_equal "ready", program.line
    program.channel
    program.puts
    program.finish
    assert_empty program.err
    dump = Dump.read(program.channel)
    yield dump, dump.total(state: "running")
  end

  def not_sampled(dump)
    dump.cells.sum { |cell| cell.state == "running" && dump.stack(cell.node).last.to_s.start_with?("(not sampled") ? cell.wall : 0 }
  end

  def test_threads_that_have_little_to_do_are_sampled
    run_stretches(<<~RUBY) do |dump, running|
      5.times { |i| eval "def rest\#{i} = sleep(0.02)\ndef part\#{i} = (rest\#{i}; work(400))" }
      Array.new(2) { Thread.new { (part0; part1; part2; part3; part4) while now < FINISH } }.each(&:join)
    RUBY
      assert_operator not_sampled(dump), :<=, 0.2 * running
      assert_operator dump.total(:cpu, state: "running"), :>, 0
    end
  end

  def test_threads_of_more_kinds_than_there_are_pools_are_sampled
    run_stretches(<<~RUBY) do |dump, running|
      100.times { |i| eval "def kind\#{i} = Thread.new { (sleep(0.02); work(100)) while now < FINISH }", binding, "kind\#{i}.rb" }
      Array.new(100) { |i| send("kind\#{i}") }.each(&:join)
    RUBY
      assert_operator not_sampled(dump), :<=, 0.15 * running
    end
  end

  # A thread's kind is found out where it is met first, and some budget is left for a stack where it waits or not.
  def test_threads_of_one_request_show_their_work
    run_stretches(<<~RUBY) { |dump, running| assert_operator dump.total(state: "running", on_stack: "Object#work"), :>=, 0.55 * running }
      lock, sum = Mutex.new, 0
      request = -> { work(200); sleep(0.001); work(100); lock.synchronize { sum += 1 } }
      while now < FINISH
        Array.new(10) { Thread.new(&request) }.each(&:join)
        sleep(0.005)
      end
    RUBY
  end

  def test_threads_of_one_stretch_show_their_work
    run_stretches(<<~RUBY) { |dump, running| assert_operator dump.total(state: "running", on_stack: "Object#work"), :>=, 0.4 * running }
      while now < FINISH
        Array.new(10) { Thread.new { work(300) } }.each(&:join)
        sleep(0.02)
      end
    RUBY
  end
end
