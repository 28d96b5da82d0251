# What a drawn program consists of: works and waits of a given length, and the truth about each call, by the clocks of the thread
# that made it. Lengths of work are those of a quiet core; the truth is what the clocks say.
require "forwardable"
require "io/wait"
require "json"
require "zlib"

module Truth
  TEXT = ("ab" * 500_000).freeze
  LOCK, CONDITION_LOCK = Mutex.new, Mutex.new
  CONDITION = ConditionVariable.new
  QUEUE = Thread::Queue.new
  READER, WRITER = IO.pipe
  Odd = Class.new(StandardError)

  class << self
    attr_reader :over_ns

    def wall = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    def cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)

    def ruby(us)
      i, n = 0, us * @turns / 1000
      i += 1 while i < n
    end

    # One call into C without a safepoint, of 20 ms at the most; the rest of its length are further calls.
    def c(us)
      bytes = us * @bytes
      while bytes > 0
        TEXT.byteslice(0, [bytes, TEXT.bytesize].min).count("ab")
        bytes -= TEXT.bytesize
      end
    end

    def objects(us) = (us * @objects / 1000).times { |i| "object #{i}" }

    def recursion(us, depth = 20)
      return recursion(us, depth - 1) if depth > 0
      ruby(us)
    end

    def exceptions(us)
      ruby(us / 2)
      raise Odd
    rescue Odd
      ruby(us / 2)
    end

    def blocks(us) = [us / 2, us / 4, us / 4].each { |part| ruby(part) }
    def fiber(us) = ruby(us)

    def sleep(us) = Kernel.sleep(us / 1e6)
    def select(us) = IO.select([READER], nil, nil, us / 1e6)
    def pipe(us) = READER.wait_readable(us / 1e6)
    def queue(us) = QUEUE.pop(timeout: us / 1e6)
    def condition(us) = CONDITION_LOCK.synchronize { CONDITION.wait(CONDITION_LOCK, us / 1e6) }
    def mutex(us) = LOCK.synchronize { Kernel.sleep(us / 1e6) }

    # Computes without the GVL.
    def deflate(us) = Zlib.deflate(TEXT.byteslice(0, [us * @deflated / 1000, TEXT.bytesize].min))

    def child(us) = Process.wait(spawn("sleep", (us / 1e6).to_s))

    # The block makes the threads.
    def go(seconds)
      calibrate
      @over_ns = wall + (seconds * 1e9).to_i
      threads = yield
      rows = threads.flat_map { |thread| thread.value }
      puts JSON.generate(rows)
      window_over
    end

    def live(name, role)
      Thread.current.name = name
      threads_truth = Thread_.new(name)
      role.call(threads_truth)
      threads_truth.rows
    end

    private

    # How much of each is done in a microsecond (a millisecond), the best of some tries.
    def calibrate
      @turns = rate(200_000) { |n| i = 0; i += 1 while i < n }
      @bytes = rate(400_000) { |n| TEXT.byteslice(0, n).count("ab") } / 1000
      @objects = rate(20_000) { |n| n.times { |i| "object #{i}" } }
      @deflated = rate(50_000) { |n| Zlib.deflate(TEXT.byteslice(0, n)) }
    end

    # In a millisecond.
    def rate(amount)
      least = Array.new(5) { from = wall; yield amount; wall - from }.min
      [amount * 1_000_000 / least, 1].max
    end
  end

  # The truth of one thread.
  class Thread_
    def initialize(name)
      @name, @times = name, Hash.new { |times, key| times[key] = [0, 0, 0] }
      100.times { time("", self) }
      @cost = Array.new(50) { @times.clear; time("", self); @times[""][2] }.min
      @times.clear
      @wall, @cpu = Truth.wall, Truth.cpu
    end

    def step = nil
    def over? = Truth.wall > Truth.over_ns

    # Calls, wall time, CPU. Between the clocks of wall time there is nothing but the call where the VM would switch threads.
    def time(name, object)
      cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
      wall = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      object.step
      wall = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - wall
      cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond) - cpu
      row = @times[name]
      row[0] += 1
      row[1] += wall
      row[2] += cpu
    end

    def rows
      whole = { thread: @name, wall: Truth.wall - @wall, cpu: Truth.cpu - @cpu }
      [whole] + @times.map { |name, (calls, wall, cpu)| { thread: @name, step: name, calls: calls, wall: wall, cpu: [cpu - calls * @cost, 0].max } }
    end
  end
end
