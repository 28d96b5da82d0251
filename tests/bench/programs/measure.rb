# Runs the block so many times (times BENCH_SCALE) after a warm-up and prints what it cost: wall and CPU
# seconds of the whole process.
def measure(times)
  times = (times * Float(ENV.fetch("BENCH_SCALE", "1"))).ceil
  2.times { yield }
  sleep(Float(ENV["BENCH_SETTLE"])) if ENV["BENCH_SETTLE"]
  clocks = [Process::CLOCK_MONOTONIC, Process::CLOCK_PROCESS_CPUTIME_ID]
  before = clocks.map { |clock| Process.clock_gettime(clock) }
  times.times { yield }
  after = clocks.map { |clock| Process.clock_gettime(clock) }
  puts "wall=#{after[0] - before[0]} cpu=#{after[1] - before[1]}"
  $stdout.flush
end
