# Nothing is recorded until it starts: RPERF_TOP_RECORD_HZ=0.
def work(n) = n.times.sum { |i| i.to_s.size }

puts work(1000)
sleep 0.05
child = fork { puts work(2000) }
Process.wait(child)
puts $?.success?, work(1000)
