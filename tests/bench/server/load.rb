# Asks a server, in a process of its own that does little: one thread, connections that stay open.
#
#   load.rb SOCKET CONNECTIONS PROCESSES
#
# Every process of the server gets as many connections as the others, whichever of them is quick to accept.
#
# Each line of its input is a task, "COUNT [THINK [ROUTE...]]": so many requests in all, the routes in turn, a connection
# rests for THINK milliseconds in the mean (none without it) after an answer; or a path, which each process is asked for
# once. Each is answered by a line of JSON: the seconds it took and the latencies in ms, or a list of what came.
require "json"
require "socket"

ROUTES = %w[/cpu /json /wait].freeze

class Connection
  attr_reader :io, :due

  def initialize(path)
    @io = UNIXSocket.new(path)
    @text = +""
    @due = 0
  end

  def ask(path)
    @route = path
    @asked = now
    @io.write("GET #{path} HTTP/1.1\r\nHost: bench\r\n\r\n")
  end

  # The body once all of it is there.
  def take
    @text << @io.readpartial(65_536)
    head = @text.index("\r\n\r\n") or return
    length = Integer(@text[/^content-length: *(\d+)/i, 1])
    return if @text.bytesize < head + 4 + length
    raise "#{@route}: #{@text.lines.first}" unless @text.start_with?("HTTP/1.1 200")
    body = @text.byteslice(head + 4, length)
    @text.clear
    body
  end

  def latency = now - @asked
  attr_reader :route

  def rest_until(time) = @due = time

  private

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end

def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

def once(connection, path)
  connection.ask(path)
  body = nil
  body = connection.take until body
  body
end

# Latencies by route.
def ask_all(connections, count, think, routes, random)
  asked = 0
  latencies = routes.to_h { |route| [route, []] }
  busy, resting = [], connections.dup
  until asked == count && busy.empty?
    if asked < count
      ready, resting = resting.partition { |connection| connection.due <= now }
      ready.each do |connection|
        next resting << connection if asked == count
        connection.ask(routes[asked % routes.size])
        asked += 1
        busy << connection
      end
    end
    wait = asked < count && resting.any? ? [resting.map(&:due).min - now, 0.0001].max : nil
    readable, = IO.select(busy.map(&:io), nil, nil, wait)
    (readable || []).each do |io|
      connection = busy.find { |one| one.io == io }
      next unless connection.take
      latencies[connection.route] << connection.latency
      busy.delete(connection)
      connection.rest_until(think.zero? ? 0 : now - think * Math.log(1 - random.rand))
      resting << connection
    end
  end
  latencies
end

# The surplus of a process stays open meanwhile, so that it is the others that have room.
def connect(path, count, processes)
  taken, surplus = Hash.new { |all, pid| all[pid] = [] }, []
  finish = now + 30
  until taken.values.sum(&:size) == count
    raise "only #{taken.keys.size} of #{processes} processes accept" if now > finish
    connection = Connection.new(path)
    own = taken[JSON.parse(once(connection, "/told"))["pid"]]
    (own.size < count / processes ? own : surplus) << connection
    surplus.shift.io.close if surplus.size > 20
  end
  surplus.each { |connection| connection.io.close }
  taken.values
end

$stdout.sync = true
path, *numbers = ARGV
processes = connect(path, *numbers.map { |text| Integer(text) })
connections = processes.flatten
random = Random.new(1)
while (task = $stdin.gets&.chomp)
  if task.start_with?("/")
    puts JSON.generate(processes.map { |own| once(own.first, task) })
  else
    requests, think, *routes = task.split
    start = now
    latencies = ask_all(connections, Integer(requests), think.to_f / 1000, routes.empty? ? ROUTES : routes, random)
    puts JSON.generate("seconds" => now - start,
                       "latencies" => latencies.transform_values { |list| list.map { |value| (value * 1000).round(3) } })
  end
end
