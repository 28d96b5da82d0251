# A little shop on a socket of this machine, with its customers: something of everything to look at.
# Four server threads answer requests, two clients send them, one thread prices the catalogue, one
# writes reports, one throws a cache away now and then.
#   demo.rb [SECONDS]
require "json"
require "socket"
require "zlib"

FINISH = Process.clock_gettime(Process::CLOCK_MONOTONIC) + (ARGV[0] || Float::INFINITY).to_f

def open?
  Process.clock_gettime(Process::CLOCK_MONOTONIC) < FINISH
end

# The goods, behind one lock that everybody wants.
class Catalogue
  def initialize(size)
    @lock = Mutex.new
    @goods = Array.new(size) do |i|
      { "id" => i, "name" => "thing #{i}", "price" => 100 + i % 77, "tags" => %w[a b c] }
    end
  end

  def find(id)
    @lock.synchronize { @goods[id % @goods.size].dup }
  end

  def search(word)
    pattern = /#{Regexp.escape(word)}\b/
    @goods.select { |thing| pattern.match?(thing["name"]) }
  end

  def price_again
    @lock.synchronize { @goods.each { |thing| thing["price"] = discount(thing) } }
  end

  def slice(from, count)
    @lock.synchronize { @goods.rotate(from).first(count) }
  end

  private

  def discount(thing)
    (1..20).inject(thing["price"]) { |price, round| (price * 31 + round) % 997 } + 1
  end
end

# One request a line, one JSON document a line back.
class Server
  def initialize(catalogue)
    @catalogue = catalogue
    @socket = TCPServer.new("127.0.0.1", 0)
    @waiting = Thread::Queue.new
  end

  def port = @socket.addr[1]

  def start
    spawn("accept") { loop { @waiting << @socket.accept } }
    4.times { |i| spawn("worker #{i + 1}") { while (client = @waiting.pop) do serve(client) end } }
  end

  private

  def spawn(name, &work)
    Thread.new { Thread.current.name = name; work.call }
  end

  def serve(client)
    while (line = client.gets)
      client.puts(JSON.generate(answer(*line.split)))
    end
  rescue SystemCallError, IOError
    nil
  ensure
    client.close
  end

  def answer(verb, argument)
    case verb
    when "get" then @catalogue.find(argument.to_i)
    when "search" then @catalogue.search(argument)
    else pack(argument.to_i)
    end
  end

  def pack(from)
    { "packed" => [Zlib::Deflate.deflate(JSON.generate(@catalogue.slice(from, 500)))].pack("m0") }
  end
end

def shop(port, random)
  TCPSocket.open("127.0.0.1", port) do |server|
    30.times do
      server.puts("#{%w[get search page].sample(random: random)} #{random.rand(5000)}")
      JSON.parse(server.gets)
      sleep 0.002
    end
  end
end

def write_report(catalogue)
  lines = catalogue.slice(0, 2000).sort_by { |thing| [thing["price"], thing["name"]] }
  lines.map { |thing| format("%-20s %8.2f", thing["name"], thing["price"] / 100.0) }.join("\n")
end

def fill_cache(cache)
  20_000.times { |i| cache[i] = "entry #{i}" }
  cache.clear if cache.size >= 20_000
end

catalogue = Catalogue.new(5000)
server = Server.new(catalogue)
server.start
cache = {}
work = {
  "client 1" => -> { shop(server.port, Random.new(1)) },
  "client 2" => -> { shop(server.port, Random.new(2)) },
  "prices" => -> { catalogue.price_again; sleep 0.1 },
  "reports" => -> { write_report(catalogue); sleep 0.05 },
  "cache" => -> { fill_cache(cache); sleep 0.2 },
}
work.map do |name, step|
  Thread.new do
    Thread.current.name = name
    step.call while open?
  end
end.each(&:join)
