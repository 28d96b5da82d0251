# A life with a bit of everything: threads, methods made on the way, collections, labels, marks, a child, a snapshot, an
# end and a new start of the profiler. The same lines come out whether it is profiled or not.
def work(n) = n.times.sum { |i| i.to_s.size }
def labelled(...) = defined?(RperfTop) ? RperfTop.label(...) : yield

# What the API says of a failure is an exception; the program goes on.
def ask
  yield if defined?(RperfTop)
rescue SystemCallError, RuntimeError
  nil
end

queue = Queue.new
threads = 4.times.map do |i|
  Thread.new do
    Thread.current.name = "worker #{i}"
    30.times do |turn|
      work(100)
      queue << turn
      sleep 0.002
    end
    i
  end
end
threads << Thread.new { 120.times.sum { queue.pop } }
8.times do |i|
  eval("def made#{i}(n) = n.times.map { |x| x.to_s * 3 }.size")
  labelled(job: i, kind: "even") { puts send("made#{i}", 100) }
  ask { RperfTop.mark("mark #{i}") }
  labelled(job: nil) { sleep 0.005 }
  GC.start if i.even?
end
puts threads.map(&:value).inspect
ask { RperfTop.snapshot("#{ENV.fetch("FAULT_FOLDER")}/snapshot") }
child = fork do
  deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 0.12
  (work(100); sleep 0.003) until Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
  puts work(1000)
end
Process.wait(child)
puts $?.success?
ask { RperfTop.stop }
ask { RperfTop.start(hz: 500, exclude: ["made"]) }
puts Thread.new { work(5000) }.value
puts `echo shell`
