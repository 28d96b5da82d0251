# Threads as servers have them, whose methods measure themselves: what mixtures.rb and tests/ext/sampling/test_mixtures.rb run.
#
#   mixture.rb KIND THREADS SECONDS
#
#   web    ten waits of 1.5 ms (Server#request), then 60 ms of rest (Server#idle)
#   burst  50 us of work (Work#step), then a rest so long that all threads together work 30 % of the time
#   lock   one lock for all: waiting for it (Bank#enter), 0.4 ms of waiting with it (Bank#hold), 20 ms elsewhere
#   mixed  work and waits, short and long: Page#compute, #query, #render, #idle
#   uneven  600 us of work (Uneven#long), 1 ms of waiting, 50 us of work (Uneven#short), 10 ms of waiting
#   jobs   the same, each round in a thread of its own
#   twins  as jobs, with as much work after the wait as before it
#   chatty  0.1 ms of work (Talk#compute), then twenty waits of 1 ms at ten places, with next to nothing between them
#   storm  twenty waits of some 70 us (Storm#short), then one of 2 ms (Storm#long)
#   first  2 to 4 ms of waiting, 0.3 ms of work (First#short), then 5 to 7 ms of C code without a safepoint (First#long)
#   ahead  4 to 12 ms of waiting, 0.2 ms of work (Ahead#short), then 1.5 to 2.5 ms of other work (Ahead#long)
#   after  2 to 4 ms of waiting, 5 to 7 ms of work (After#long), then 0.3 ms of other work (After#short)
#   between  8 to 10 ms of such C code (Between#long) and 0.3 ms of work (Between#short) in turn, without waits
#
# Prints "ready", waits for a line of input, runs and prints what every method really took, as JSON: {"methods":
# {"Server#request": [calls, wall ns, CPU ns], ...}}. Where only waiting counts CPU is
# not measured, and 0. Each thread adds up its own.
require "json"

def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
def cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)

class Truth
  attr_reader :rows

  def initialize = @rows = Hash.new { |rows, name| rows[name] = [0, 0, 0] }

  def of_wait(name)
    start = now
    result = yield
    add(name, now - start, 0)
    result
  end

  # Less what measuring nothing takes, of which short work would be a noticeable part. That is measured in the place of
  # the work, one time in eight: after a wait the code for measuring has left the caches.
  def of_work(name)
    nothing = rand(8).zero?
    start, used = now, cpu
    yield unless nothing
    used = cpu - used
    add(nothing ? "#{name} nothing" : name, now - start, used)
  end

  # Of all threads: {name => [calls, wall ns, CPU ns]}.
  def self.sum(truths)
    sums = Hash.new { |rows, name| rows[name] = [0, 0, 0] }
    truths.each { |truth| truth.rows.each { |name, row| sums[name] = sums[name].zip(row).map(&:sum) } }
    sums.keys.grep(/ nothing\z/).each do |name|
      calls, _, used = sums.delete(name)
      work = sums[name.delete_suffix(" nothing")]
      work[2] -= work[0] * used / calls
    end
    sums
  end

  private

  def add(name, wall, used)
    row = @rows[name]
    row[0] += 1
    row[1] += wall
    row[2] += used
  end
end

SPIN_PIECE = 100

def spin_piece
  sum = i = 0
  while i < SPIN_PIECE
    sum += i
    i += 1
  end
  sum
end

# In small calls: after an interrupt (a sample, a thread's turn) YJIT leaves the rest of a call to the interpreter, and a
# loop of one call would take many times as long as when it was measured.
def spin(count)
  i = 0
  while i < count
    spin_piece
    i += SPIN_PIECE
  end
end

# Loops of `spin` that take so many ns on this machine.
def loops(nanoseconds)
  best = Array.new(20) { start = cpu; spin(20_000); cpu - start }.min
  (20_000.0 * nanoseconds / best).ceil
end

class Server
  def query = sleep(0.0015)
  def request = 10.times { query }
  def idle = sleep(0.06)

  def round(truth)
    truth.of_wait("Server#request") { request }
    truth.of_wait("Server#idle") { idle }
  end
end

class Work
  BURST_NS = 50_000
  LOOPS = loops(BURST_NS)

  def initialize(threads) = @period = threads * BURST_NS / 0.3 / 1e9

  def step = spin(LOOPS)
  def rest = sleep(@period * (0.5 + rand))

  # The rest is long here: the code for measuring is called once before.
  def round(truth)
    cpu
    now
    truth.of_work("Work#step") { step }
    truth.of_wait("Work#rest") { rest }
  end
end

class Bank
  LOCK = Mutex.new

  def enter = LOCK.lock
  def hold = sleep(0.0004)
  def away = sleep(0.02)

  def round(truth)
    truth.of_wait("Bank#enter") { enter }
    truth.of_wait("Bank#hold") { hold }
    LOCK.unlock
    truth.of_wait("Bank#away") { away }
  end
end

class Page
  LOOPS = loops(300_000)

  def compute = spin(LOOPS)
  def render = spin(LOOPS / 3)
  def query = sleep(0.001)
  def idle = sleep(0.04)

  def round(truth)
    truth.of_work("Page#compute") { compute }
    5.times { truth.of_wait("Page#query") { query } }
    truth.of_work("Page#render") { render }
    truth.of_wait("Page#idle") { idle }
  end
end

class Uneven
  LOOPS = loops(600_000)

  def initialize(part = 12) = @short = LOOPS / part

  def long = spin(LOOPS)
  def short = spin(@short)
  def query = sleep(0.001)
  def idle = sleep(0.01)

  def round(truth)
    truth.of_work("Uneven#long") { long }
    query
    truth.of_work("Uneven#short") { short }
    idle
  end
end

class Jobs < Uneven
  def round(truth) = Thread.new { super(truth) }.join
end

class Talk
  def compute = spin(Page::LOOPS / 3)
  def query = sleep(0.001)

  def talk
    query
    query
    query
    query
    query
    query
    query
    query
    query
    query
  end

  def round(truth)
    truth.of_work("Talk#compute") { compute }
    2.times { talk }
  end
end

# Short work in one stretch with long work, in the order of WORK, after a rest. Each class has methods of its own, so that they
# are found by its name.
class Stretch
  MILLISECOND = loops(1_000_000)

  def short = spin(Page::LOOPS)

  def round(truth)
    sleep(rand(self.class::REST)) if self.class::REST
    self.class::WORK.each { |name| truth.of_work("#{self.class}##{name}") { public_send(name) } }
  end
end

class Ahead < Stretch
  REST = 0.004..0.012
  WORK = %i[short long].freeze

  def short = spin(MILLISECOND / 5)
  def long = spin((MILLISECOND * rand(1.5..2.5)).ceil)
end

class After < Stretch
  REST = 0.002..0.004
  WORK = %i[long short].freeze

  def short = super
  def long = spin((MILLISECOND * rand(5.0..7.0)).ceil)
end

class Between < Stretch
  REST = nil
  WORK = %i[long short].freeze
  TEXT_BYTES = 50_000_000

  def initialize
    @text = "x" * TEXT_BYTES
    @millisecond = TEXT_BYTES / Array.new(5) { start = cpu; @text.sum; cpu - start }.min.fdiv(1e6)
  end

  # A part at the end of a string is not copied.
  def in_c(milliseconds) = @text.byteslice(-(@millisecond * milliseconds).ceil..).sum

  def short = super
  def long = in_c(rand(8.0..10.0))
end

class First < Between
  REST = 0.002..0.004
  WORK = %i[short long].freeze

  def short = super
  def long = in_c(rand(5.0..7.0))
end

class Storm
  def short = 20.times { sleep(0.00001) }
  def long = sleep(0.002)

  def round(truth)
    truth.of_wait("Storm#short") { short }
    truth.of_wait("Storm#long") { long }
  end
end

KINDS = { "web" => -> { Server.new }, "burst" => -> { Work.new(THREADS) }, "lock" => -> { Bank.new },
          "mixed" => -> { Page.new }, "uneven" => -> { Uneven.new }, "jobs" => -> { Jobs.new },
          "twins" => -> { Jobs.new(1) }, "chatty" => -> { Talk.new }, "storm" => -> { Storm.new },
          "first" => -> { First.new }, "ahead" => -> { Ahead.new }, "after" => -> { After.new },
          "between" => -> { Between.new } }.freeze
THREADS = Integer(ARGV[1])
make = KINDS.fetch(ARGV[0])
nanoseconds = (Float(ARGV[2]) * 1e9).to_i

$stdout.sync = true
puts "ready"
$stdin.gets
Beside.start if defined?(Beside)
finish = now + nanoseconds
threads = Array.new(THREADS) do
  Thread.new do
    truth, work = Truth.new, make.call
    sleep(rand * 0.06)
    work.round(truth) while now < finish
    truth
  end
end
sums = Truth.sum(threads.map(&:value))
puts JSON.generate("methods" => sums, "beside" => defined?(Beside) ? Beside.found(sums.keys) : nil)
