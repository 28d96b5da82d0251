# Three threads wait for a Mutex that a fourth one has, now in one method, now in another, and now not. What they waited,
# and behind which method, is measured by the program itself, and written as JSON.
#   bank.rb SECONDS FILE [SEED]
require "json"
require "monitor"

class Bank
  Lock = Mutex.new
  Held = Hash.new { |all, method| all[method] = [] }
  Waited = []
  DICE = Random.new((ARGV[2] || 1).to_i)

  def self.now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def report = Lock.synchronize { measured("Bank#hold") { hold(0.02 + DICE.rand(0.06)) } }
  def refill = Lock.synchronize { measured("Bank#fill") { fill(0.002 + DICE.rand(0.01)) } }
  def check = Lock.synchronize { measured("Bank#count") { count(0.005 + DICE.rand(0.02)) } }
  def hold(seconds) = sleep(seconds)
  def fill(seconds) = sleep(seconds)
  def rest(seconds) = sleep(seconds) # without the lock

  def count(seconds)
    till = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
    Thread.pass while Process.clock_gettime(Process::CLOCK_MONOTONIC) < till # the others come, and find that it is taken
  end

  def measured(method)
    from = Bank.now
    yield
    Held[method] << [from, Bank.now]
  end

  def enter
    from = Bank.now
    Lock.synchronize { Waited << [from, Bank.now] }
  end
end

finish = Bank.now + ARGV[0].to_f
worker = Thread.new do
  Thread.current.name = "worker"
  bank = Bank.new
  while Bank.now < finish
    case Bank::DICE.rand(3)
    when 0 then bank.report
    when 1 then bank.refill
    else bank.check
    end
    bank.rest(0.001 + Bank::DICE.rand(0.03))
  end
end
waiters = Array.new(3) do |i|
  Thread.new do
    Thread.current.name = "waiter-#{i}"
    bank, dice = Bank.new, Random.new(i)
    while Bank.now < finish
      bank.enter
      sleep dice.rand(0.01)
    end
  end
end
[worker, *waiters].each(&:join)

behind = Bank::Held.transform_values do |spans|
  Bank::Waited.sum { |from, to| spans.sum { |begun, ended| [[to, ended].min - [from, begun].max, 0].max } }
end
File.write(ARGV[1], JSON.generate(wait: Bank::Waited.sum { |from, to| to - from }, behind: behind))
