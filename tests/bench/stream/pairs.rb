# What watching a server from another host costs that server's host: --stream beside the screen run there (80x24), in
# turn, on the shop's puma under load. CPU time of the viewer process alone, in ms a second, and bytes a second that
# leave it.
#
#   pairs.rb [PAIRS [SECONDS]]
require_relative "../../e2e/shop"
require "io/console"
require "pty"
require "socket"
require_relative "../results"

PAIRS = (ARGV[0] || 3).to_i
SECONDS = (ARGV[1] || 10).to_f
WARM = 4
abort "the gem puma is not here" unless ShopServer.gems


# ns, from the scheduler: ticks are too coarse for some ms.
def run_ms(pid) = Dir["/proc/#{pid}/task/*/schedstat"].sum { |path| File.read(path).split.first.to_i } / 1e6

# Bytes that come out of it, from here on.
class Counted
  attr_reader :count

  def initialize(io)
    @count = 0
    @thread = Thread.new do
      loop { @count += io.readpartial(1 << 16).bytesize }
    rescue EOFError, Errno::EIO
      nil
    end
  end

  def join = @thread.join
end

def measure(pid, io)
  counted = Counted.new(io)
  sleep WARM
  history, before, start = counted.count, run_ms(pid), Process.clock_gettime(Process::CLOCK_MONOTONIC)
  sleep SECONDS
  seconds = Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
  result = { bytes: (counted.count - history) / seconds, cpu: (run_ms(pid) - before) / seconds, first: history }
  Process.kill(:TERM, pid)
  Process.wait(pid)
  counted.join
  result
end

def stream(env, pid, *more)
  out, away = IO.pipe
  there = spawn(env, E2E::VIEWER, "--stream", *more, "-p", pid.to_s, out: away)
  away.close
  measure(there, out)
ensure
  out&.close
end

def screen(env, pid, *more)
  master, slave = PTY.open
  master.winsize = [24, 80]
  env = env.merge("TERM" => "xterm-256color", "LC_ALL" => "C.UTF-8", "RPERF_TOP_CONFIG" => "none")
  there = spawn(env, "setsid", "-c", E2E::VIEWER, *more, "-p", pid.to_s, in: slave, out: slave, err: slave)
  slave.close
  measure(there, master)
ensure
  master&.close
end

shop, all = ShopServer.new, []
begin
  shop.asking("/", "/", "/order?0.03", "/order?0.03") do
    puts format("%-6s %28s %28s   ratio of CPU", "pair", "--stream", "screen at 80x24")
    (1..PAIRS).each do |pair|
      turns = pair.odd? ? %i[stream screen] : %i[screen stream]
      got = turns.to_h { |turn| [turn, send(turn, shop.env, shop.pid)] }
      all << got
      text = got.values_at(:stream, :screen).map { |one| format("%7.0f B/s %6.2f ms/s", one[:bytes], one[:cpu]) }
      puts format("%-6d %28s %28s   %.2f   (first %d s: %d bytes of stream; load %s)", pair, *text,
                  got[:stream][:cpu] / got[:screen][:cpu], WARM, got[:stream][:first], File.read("/proc/loadavg")[/\S+/])
    end
  end
ensure
  shop.stop
end
%i[stream screen].each do |side|
  Results.keep("stream/cpu", all.map { |got| got[side][:cpu] }, at: side.to_s)
  Results.keep("stream/bytes", all.map { |got| got[side][:bytes] / 1e3 }, at: side.to_s)
end
$stdout.flush
exit!(0) # there are no tests to run
