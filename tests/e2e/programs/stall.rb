# A pool of threads that wait for work; one piece of work sleeps, then another computes.
class Handler
  def slow(seconds) = sleep(seconds)

  def call(seconds) = slow(seconds)
end

queue = Thread::Queue.new
Array.new(3) do
  Thread.new do
    handler = Handler.new
    while (seconds = queue.pop)
      handler.call(seconds)
    end
  end
end
8.times do
  queue << 0.01
  sleep 0.3
end
RperfTop.mark("slow") if defined?(RperfTop)
queue << 2
8.times do
  queue << 0.01
  sleep 0.4
end
