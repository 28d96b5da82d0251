# A shop on puma with seven problems that can be called up, one a route.  shop.rb SOCKET
#
# Between them `GET /` serves a page with little work, and `GET /order?0.03` one with a query that takes so long. The names are those that one would want to read on the screen.
require "puma"
require "puma/cli"
require "socket"

SOCKET = ARGV.fetch(0)

# A database in a process of its own: answers every line after a millisecond, or after the seconds that it ends with.
module Database
  def self.serve(socket)
    while (line = socket.gets)
      sleep(Float(line[/AFTER (.*)/, 1] || 0.001))
      socket.puts(line)
    end
  end

  def self.connect
    ours, theirs = UNIXSocket.pair
    fork do
      $0 = "database"
      ours.close
      serve(theirs)
      exit!
    end
    theirs.close
    ours
  end
end

class LineItem
  POOL = Queue.new(Array.new(5) { Database.connect })
  def self.connection = Thread.current[:database] ||= POOL.shift

  def self.for_order(order)
    connection.puts("SELECT * FROM line_items WHERE order_id = #{order}")
    connection.gets
  end
end

class Order
  def find(seconds)
    LineItem.connection.puts("SELECT * FROM orders AFTER #{seconds}")
    LineItem.connection.gets
    (1..2000).sum { |number| number % 7 }
  end
end

class Orders
  def index = Array.new(300) { |order| LineItem.for_order(order) }.size
end

class NightlyExport
  def row(number) = (1..200).sum { |column| (number * column) % 97 }

  def run(seconds)
    finish = Shop.now + seconds
    number = 0
    row(number += 1) while Shop.now < finish
    number
  end
end

class Catalogue
  def slice = Array.new(4000) { |item| "item #{item}" }.last(10)

  def pages(seconds)
    finish = Shop.now + seconds
    slice while Shop.now < finish
  end
end

class Inventory
  LOCK = Mutex.new
  def reserve(seconds) = LOCK.synchronize { sleep(seconds) }
  def count = LOCK.synchronize { 42 }
end

class Report
  def build(seconds) = sleep(seconds)
end

class CsvImport
  # Backtracks; the back reference forbids the memo that would save it.
  def valid?(line) = line.match?(/^(?:(a+)+)\1$/)
end

class Payments
  # Its queue is full: whoever connects waits.
  def self.silent_host
    server = Socket.new(:INET, :STREAM)
    server.bind(Addrinfo.tcp("127.0.0.1", 0))
    server.listen(0)
    port = server.local_address.ip_port
    waiting = Array.new(3) do
      Socket.new(:INET, :STREAM).tap { |socket| socket.connect_nonblock(Addrinfo.tcp("127.0.0.1", port), exception: false) }
    end
    [server, port, waiting]
  end

  HOST = silent_host

  def charge(seconds)
    Socket.tcp("127.0.0.1", HOST[1], connect_timeout: seconds, &:close)
  rescue Errno::ETIMEDOUT, IO::TimeoutError
    nil
  end
end

class Shop
  def self.now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def page = (1..2000).sum { |number| number % 7 }

  def call(env)
    seconds = Float(env["QUERY_STRING"][/\d+(\.\d+)?/] || 0)
    case env["PATH_INFO"]
    when "/orders" then Orders.new.index
    when "/order" then Order.new.find(seconds)
    when "/export" then Thread.new { NightlyExport.new.run(seconds) }.tap { |thread| thread.name = "nightly export" }
    when "/catalogue" then Catalogue.new.pages(seconds)
    when "/reserve" then Inventory.new.reserve(seconds)
    when "/count" then Inventory.new.count
    when "/report" then Report.new.build(seconds)
    when "/import" then CsvImport.new.valid?("#{"a" * seconds.to_i}!")
    when "/pay" then Payments.new.charge(seconds)
    else page
    end
    [200, { "content-type" => "text/plain" }, ["ok"]]
  end
end

File.write("#{SOCKET}.rb", <<~RUBY)
  bind "unix://#{SOCKET}"
  threads 5, 5
  app Shop.new
RUBY
Puma::CLI.new(["--quiet", "--config", "#{SOCKET}.rb"]).run
