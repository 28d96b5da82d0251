# Starts, waits until a window was written or nothing more will come, ends.
def work = 500.times.sum { |i| i.to_s.size }

deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 0.13
sum = work
while Process.clock_gettime(Process::CLOCK_MONOTONIC) < deadline && (!defined?(RperfTop) || RperfTop.running?)
  sum = work
  sleep 0.004
end
thread = Thread.new { work }
puts sum, thread.value
