# For programs of tests: a fiber scheduler that knows the truth. At each wait it notes how long it was, and how many fibers
# waited in which method.
require_relative "window_over"
Warning[:experimental] = false # Ruby 4.0 makes an IO::Buffer where it reads under a scheduler, and warns

class Loop
  TRUTH = Hash.new(0.0)
  WAITING = Hash.new(0)

  def initialize
    @timers, @readers, @ready = {}, {}, []
    @lock, (@wake, @waker) = Mutex.new, IO.pipe
  end

  def self.now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def self.counted(kind)
    WAITING[kind] += 1
    yield
  ensure
    WAITING[kind] -= 1
  end

  def fiber(&block) = Fiber.new(blocking: false, &block).tap(&:transfer)
  def kernel_sleep(seconds = nil) = block(:sleep, seconds)

  def block(blocker, timeout = nil)
    @timers[Fiber.current] = timeout ? Loop.now + timeout : Float::INFINITY
    @root.transfer
  ensure
    @timers.delete(Fiber.current)
  end

  def unblock(blocker, fiber)
    @lock.synchronize { @ready << fiber }
    @waker.write_nonblock("x", exception: false)
  end

  # What Ruby 4.0 asks of a scheduler: a fiber that waits for an IO gets the error when that is closed.
  Interrupted = Struct.new(:fiber, :error) do
    def alive? = fiber.alive?
    def transfer = fiber.raise(error)
  end
  def fiber_interrupt(fiber, error) = unblock(nil, Interrupted.new(fiber, error))

  def io_wait(io, events, timeout = nil)
    @readers[io] = Fiber.current
    @root.transfer
    events
  ensure
    @readers.delete(io)
  end

  attr_writer :abandoned
  def close = (run unless @abandoned)
  def enter = @root = Fiber.current
  def idle? = @timers.empty? && @readers.empty? && @ready.empty?

  def run
    run_once until idle?
  end

  def run_once
    timeout = @ready.any? ? 0 : [(@timers.values.min || Float::INFINITY) - Loop.now, 0].max
    waiting, from = WAITING.dup, Loop.now
    readable, = IO.select([@wake, *@readers.keys], nil, nil, timeout.finite? ? timeout : nil)
    took, all = Loop.now - from, waiting.values.sum
    waiting.each { |kind, count| TRUTH[kind] += took * count / all } if all > 0
    @wake.read_nonblock(100, exception: false) if readable&.include?(@wake)
    ready = @lock.synchronize { @ready.shift(@ready.size) }
    ready += readable.filter_map { |io| @readers[io] } if readable
    ready += @timers.filter_map { |fiber, at| fiber if at <= Loop.now }
    ready.uniq.each { |fiber| fiber.transfer if fiber.alive? }
  end
end

# Runs the block, which schedules fibers, and the loop until all have ended. First fibers come and go until the
# profiler has seen one.
def under_scheduler
  scheduler = Loop.new
  scheduler.enter
  Fiber.set_scheduler(scheduler)
  Fiber.schedule { 30.times { sleep 0.01 } }
  scheduler.run
  yield scheduler
  scheduler.run
  Fiber.set_scheduler(nil)
end

def later(seconds) = (stop = Loop.now + seconds; -> { Loop.now >= stop })
def wait_a = Loop.counted(:wait_a) { sleep 0.02 }
def wait_b = Loop.counted(:wait_b) { sleep 0.06 }
def wait_pipe(io) = Loop.counted(:wait_pipe) { io.readpartial(1) }
def wait_queue(queue) = Loop.counted(:wait_queue) { queue.pop }
def wait_long(seconds) = Loop.counted(:wait_long) { sleep seconds }
def tell = (window_over; Loop::TRUTH.each { |kind, seconds| puts "#{kind} #{(seconds * 1e9).round}" })
