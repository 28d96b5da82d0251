# Runs the block so many times (times BENCH_SCALE) after a warm-up and prints what it cost: wall and CPU
# seconds of the whole process, CPU of the thread that ran it, peak memory in bytes. With BENCH_READY it says "ready"
# before, and waits for a line, so that somebody can begin to look.
def measure(times, warm_up: 2)
  times = (times * Float(ENV.fetch("BENCH_SCALE", "1"))).ceil
  warm_up.times { yield }
  sleep(Float(ENV["BENCH_SETTLE"])) if ENV["BENCH_SETTLE"]
  wait_for_line if ENV["BENCH_READY"]
  clocks = [Process::CLOCK_MONOTONIC, Process::CLOCK_PROCESS_CPUTIME_ID, Process::CLOCK_THREAD_CPUTIME_ID]
  before = clocks.map { |clock| Process.clock_gettime(clock) }
  times.times { yield }
  after = clocks.map { |clock| Process.clock_gettime(clock) }
  wall, cpu, main = after.zip(before).map { |now, start| now - start }
  peak = File.read("/proc/self/status")[/VmHWM:\s*(\d+)/, 1].to_i * 1024
  puts "wall=#{wall} cpu=#{cpu} main=#{main} peak=#{peak}"
  $stdout.flush
end

# In short sleeps: what a viewer asks for is looked at in jobs, which a thread that waits for long does not run.
def wait_for_line
  require "io/wait"
  puts "ready"
  $stdout.flush
  sleep 0.002 until $stdin.wait_readable(0)
  $stdin.gets
end
