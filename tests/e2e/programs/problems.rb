# An application with planted problems, one for each path or job.  puma: problems.rb SOCKET [WORKERS]; sidekiq: -r problems.rb
#
# Those that are not in the shop. Culprits have names that nothing else has.
require "socket"

# One connection, which a report has for most of the time.
class Dashboard
  def self.pool
    @pool ||= begin
      require "connection_pool"
      ConnectionPool.new(size: 1, timeout: 300) { Object.new }
    end
  end

  def show = self.class.pool.with { render }
  def render = sleep(0.6)
end

class Transfer
  HERE, THERE = Mutex.new, Mutex.new
  def there = HERE.synchronize { sleep(0.3) && THERE.synchronize { 1 } }
  def back = THERE.synchronize { sleep(0.3) && HERE.synchronize { 1 } }
end

# Nobody ever signals it.
class Inbox
  LOCK, NEWS = Mutex.new, ConditionVariable.new
  def await = LOCK.synchronize { NEWS.wait(LOCK) }
end

# A call in C that lets go of the GVL, as one to a name server does.
class Resolver
  def self.usleep
    @usleep ||= begin
      require "fiddle"
      Fiddle::Function.new(Fiddle.dlopen(nil)["usleep"], [Fiddle::TYPE_INT], Fiddle::TYPE_INT, need_gvl: false)
    end
  end

  def lookup(seconds) = self.class.usleep.call((seconds * 1e6).to_i)
end

# One worker for all, slower than what comes.
class Newsletter
  QUEUE = SizedQueue.new(3)
  def self.sender = @sender ||= Thread.new { loop { QUEUE.pop && new.send_one } }
  def send_one = sleep(0.5)
  def enqueue = self.class.sender && QUEUE << 1
end

class Signup
  QUEUE = Queue.new
  def self.mailer = @mailer ||= Thread.new { loop { new.welcome(QUEUE.pop) } }
  def welcome(answer) = sleep(0.3) && answer << 1

  def create
    self.class.mailer
    answer = Queue.new
    QUEUE << answer
    answer.pop
  end
end

# A file that takes long to load, and is loaded again and again.
class Plugin
  FILE = "#{ARGV[0] || Dir.pwd}.plugin.rb"
  def start
    File.write(FILE, "sleep 2\n$LOADED_FEATURES.delete(__FILE__)\n") unless File.exist?(FILE)
    require FILE
  end
end

class Legacy
  def wait_for_it(seconds) = sleep(seconds)
end

# Takes the GVL for half a second, in C.
class Digits
  def count(bits) = (3**bits).to_s.size
end

class Cleanup
  def tidy = GC.start
end

class Import
  class Bad < StandardError; end
  def parse(field) = raise(Bad, "field #{field}")

  def rows
    2000.times do |field|
      parse(field)
    rescue Bad
      nil
    end
  end
end

class Tax
  def table = Array.new(2000) { |number| (number * 7919) % 1013 }.sort
  def rate(number) = table[number]
end

class Cart
  def total = 200.times.sum { |item| Tax.new.rate(item) }
end

class Tracker
  def visit = Thread.new { poll }
  def poll = sleep
end

class Search
  def score(number) = (1..200).sum { |column| (number * column) % 97 }

  def run(seconds)
    finish = Problems.now + seconds
    number = 0
    score(number += 1) while Problems.now < finish
  end
end

module Problems
  def self.now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  def self.page = (1..2000).sum { |number| number % 7 }

  class << self
    attr_accessor :bad
  end

  # The last worker of several is the bad one.
  def self.call(name, seconds)
    case name
    when "dashboard" then Dashboard.new.show
    when "there" then Transfer.new.there
    when "back" then Transfer.new.back
    when "inbox" then Inbox.new.await
    when "lookup" then Resolver.new.lookup(seconds)
    when "enqueue" then Newsletter.new.enqueue
    when "signup" then Signup.new.create
    when "plugin" then Plugin.new.start
    when "legacy" then Legacy.new.wait_for_it(seconds)
    when "digits" then Digits.new.count(700_000)
    when "cleanup" then Cleanup.new.tidy
    when "import" then Import.new.rows
    when "cart" then Cart.new.total
    when "visit" then Tracker.new.visit
    when "search" then bad == false ? page : Search.new.run(seconds)
    else page
    end
  end
end

class Site
  def call(env)
    Problems.call(env["PATH_INFO"].delete("/"), Float(env["QUERY_STRING"][/\d+(\.\d+)?/] || 0))
    [200, { "content-type" => "text/plain" }, ["ok"]]
  end
end

if $PROGRAM_NAME == __FILE__
  require "puma"
  require "puma/cli"
  socket, workers = ARGV
  File.write("#{socket}.rb", <<~RUBY)
    bind "unix://#{socket}"
    threads 5, 5
    #{"workers #{workers}\nbefore_worker_boot { |index| Problems.bad = index == #{workers.to_i - 1} }" if workers}
    app Site.new
  RUBY
  Puma::CLI.new(["--quiet", "--config", "#{socket}.rb"]).run
else
  require "sidekiq"

  class ProblemJob
    include Sidekiq::Job
    def perform(name, seconds) = Problems.call(name, seconds)
  end
end
