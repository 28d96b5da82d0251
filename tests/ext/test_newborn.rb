# Runs alone: it brings along two processes that keep the cores busy.
# Programs that make threads: from when the native thread of one starts until somebody else gets the GVL, triggers go to it,
# and the thread that runs is not asked for its stack (ext/sampling/newborn.h).
require_relative "support"
require_relative "../chance"

class NewbornTest < Minitest::Test
  include Support
  include Chance

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

  # Where only a release answers an instant all of them show the call that waits, here Thread#initialize: it had 500 to 900 ms
  # of the 3 s, of 60 to 90 that it takes, and 77 instants met the two methods. Now these are 310, one for each 10 ms and those
  # in between, and it has 120 to 160 ms.
  def test_work_while_threads_are_made
    dump, program = history(PROGRAM, env: { "RPERF_TOP_BUDGET" => "100", "RPERF_TOP_RECORD_HZ" => "1000" })
    making, length = program.out.lines.map { |line| Integer(line) }
    met = %w[left right].sum { |name| dump.total(:samples, state: "running", on_stack: "Object##{name}") }
    assert_operator met, :>, length / 20_000_000, "instants in #{length / 1_000_000} ms"
    shown = dump.total(:wall, state: "running", on_stack: "Thread#initialize")
    assert_operator shown, :<, making + length / 8
  end

  # Each round is a thread of its own: work, a wait, and the end. The work is measured by both clocks around it.
  ROUNDS = <<~'RUBY'
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    def cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
    def piece = 100.times { |i| i + 1 }
    def work(count) = count.times { piece }
    count = 100
    count = (count * 1.2).ceil while Array.new(5) { start = cpu; work(count); cpu - start }.min < 600_000
    finish = now + 8_000_000_000
    totals = Array.new(8) do
      Thread.new do
        wall = used = 0
        until now > finish
          Thread.new do
            begin_cpu, begin_ns = cpu, now
            work(count)
            wall += now - begin_ns
            used += cpu - begin_cpu
            sleep(0.01)
          end.join
        end
        [wall, used]
      end
    end
    puts totals.map(&:value).transpose.map(&:sum)
  RUBY

  # Beside two busy processes native threads start late, while others run, and the timer's thread is let in where a system
  # call ends. Where a release answers for instants whose trigger went astray, and late ones tell of what runs by then, the
  # wall time of the work is 8 to 18 % too little (four runs of 5 s); now -3.2 to +2.7. Cores are taken where system calls end,
  # too, as the one that reads the CPU clock: where CPU goes by wall time the work lacks 8 to 20 % of it (four runs of 4 s);
  # now -1.8 to -4.6 (thirteen runs of 8 s), and -0.4 to -1.9 before the publisher divided time by points (three): what reads the CPU
  # clock at both ends is met more often than it runs. Beside six busy processes -7.5 was seen once: where one run is
  # off by more than 7 %, two more follow, and their mean is judged.
  def test_threads_of_one_round_beside_two_busy_processes
    pids = Array.new(2) { spawn("timeout", "120", "sh", "-c", "while :; do :; done", pgroup: true) }
    tries = []
    until tries.size == 3 || (tries.size == 1 && tries.last.all? { |off| off.abs <= 0.07 })
      dump, program = history(ROUNDS, env: { "RPERF_TOP_BUDGET" => "100", "RPERF_TOP_RECORD_HZ" => "1000" })
      found = [:wall, :cpu].map { |clock| dump.total(clock, state: "running", on_stack: "Object#work") }
      tries << found.zip(program.out.split).map { |one, truth| one.fdiv(Integer(truth)) - 1 }
    end
    tries.transpose.each { |offs| assert_in_delta 0, offs.sum / offs.size, 0.07, tries.inspect }
  ensure
    pids&.each { |pid| Process.kill(:TERM, -pid) }
    pids&.each { |pid| Process.wait(pid) }
  end
end
