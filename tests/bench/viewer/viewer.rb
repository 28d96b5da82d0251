# What looking costs: CPU of the viewer, bytes that it writes to the terminal, time to its first screen.
#
#   ruby tests/bench/viewer/viewer.rb BUILD [--seconds N] [--methods N] [--threads N] [--views NAME,...] [--cpu] [--bytes] [--demo] [--start]
#
# CPU: a made-up process of many methods and threads (tests/tools/many_methods), every view, 1 and 10
# refreshes a second, at 80x24; user and system time of the viewer over the time it was watched, after the
# first two seconds. Three loads: what a sampler finds at 1000 Hz in a window of a second; the same in a window of a
# minute, in which all methods stand in the table; and every method in every second, ten times what is found. Bytes: the small web server of tests/e2e/programs/fake_process.c, whose figures sway, and the process
# of many methods, in which every row is another one in every refresh; every view at 80x24 and
# 160x50, ten refreshes a second; what the terminal gets per refresh. Demo: the program of `make demo` at 80x24 and the usual
# rate, bytes per second. Start: from exec
# to the first byte of the table, the median of eleven.
require "io/console"
require "io/wait"
require "optparse"
require "pty"
require_relative "../results"

options = { seconds: 6.0, methods: 10_000, threads: 64, parts: [] }
OptionParser.new do |parser|
  parser.on("--seconds N", Float) { |value| options[:seconds] = value }
  parser.on("--methods N", Integer) { |value| options[:methods] = value }
  parser.on("--threads N", Integer) { |value| options[:threads] = value }
  parser.on("--views LIST", Array) { |value| options[:views] = value }
  %w[cpu bytes demo start].each { |part| parser.on("--#{part}") { options[:parts] << part } }
end.parse!(ARGV)
BUILD = File.expand_path(ARGV.shift || "build")
SECONDS = options[:seconds]
PARTS = options[:parts].empty? ? %w[cpu bytes demo start] : options[:parts]
VIEWER = "#{BUILD}/rperf-top"
VIEWS = { "methods" => "1", "tree" => "2", "threads" => "3", "icicle" => "4", "source" => "5", "skyline" => "6",
          "groups" => "8" }.select { |name, _| options.fetch(:views, [name]).include?(name) }.freeze

PROGRAMS = { "fake_process" => ["#{BUILD}/tests/fake_process"],
             "many_methods" => ["#{BUILD}/tests/tools/many_methods"] }.freeze

def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

# Seconds of CPU that a process has used so far; nanoseconds where the kernel counts them.
def cpu_seconds(pid)
  Dir["/proc/#{pid}/task/*/schedstat"].sum { |file| File.read(file).to_i } / 1e9
end

# A process that has a channel.
def start(*command)
  reader, writer = IO.pipe
  pid = Process.spawn(*command, out: writer)
  writer.close
  reader.gets.to_s.start_with?("ready ") or abort "viewer bench: #{command.first} did not start"
  pid
end

def stop(pid)
  Process.kill("TERM", pid)
  Process.wait(pid)
end

def watched(*command)
  pid = start(*command)
  yield pid
ensure
  stop(pid) if pid
end

# The viewer on a terminal of its own.
class Screen
  attr_reader :pid, :bytes

  def initialize(pid, rows, columns, *arguments)
    env = { "TERM" => "xterm-256color", "LANG" => "C.UTF-8", "LC_ALL" => "C.UTF-8", "NO_COLOR" => nil }
    master, slave = PTY.open
    slave.winsize = [rows, columns]
    @started = now
    @pid = Process.spawn(env, VIEWER, "-p", pid.to_s, *arguments, in: slave, out: slave, err: slave)
    slave.close
    @terminal = master
    @bytes = 0
    @seen = +""
  end

  def press(keys) = @terminal.write(keys)

  # Takes what comes for so long, or until the pattern stands in it. The time of its coming, or nil.
  def read(seconds, pattern = nil)
    deadline = now + seconds
    while (left = deadline - now) > 0
      next unless @terminal.wait_readable(left)
      text = @terminal.read_nonblock(1 << 16, exception: false)
      break unless text.is_a?(String)
      @bytes += text.bytesize
      next unless pattern
      @seen << text.b
      return now - @started if @seen.match?(pattern)
    end
    nil
  rescue Errno::EIO
    nil
  end

  def close
    Process.kill("TERM", @pid)
    read(0.2)
    Process.wait(@pid)
    @terminal.close
  end
end

def row(*cells) = puts("| #{cells.join(" | ")} |")

LOADS = { "1000 Hz, window of 1 s" => ["100", "1", "second"], "1000 Hz, window of 60 s" => ["100", "60", "minute"],
          "every method every second, window of 1 s" => ["0", "1", "every"] }.freeze

# Per cent of a core and milliseconds per refresh.
def cost_of_looking(pid, name, delay, frame, load)
  screen = Screen.new(pid, 24, 80, "-d", delay.to_s, "-F", frame)
  screen.press(VIEWS[name])
  screen.read(2)
  before, from = cpu_seconds(screen.pid), now
  screen.read(SECONDS)
  share = (cpu_seconds(screen.pid) - before) / (now - from)
  screen.close
  Results.keep("viewer/#{load}-#{(1 / delay).round}", share * 100, at: name)
  [format("%.2f", share * 100), format("%.2f", share * delay * 1000)]
end

def measure_cpu(options)
  sizes = [options[:methods].to_s, options[:threads].to_s]
  LOADS.each do |load, (leaves, frame, key)|
    puts "", "CPU of the viewer, #{sizes[0]} methods, #{sizes[1]} threads, #{load}, 80x24, load average " \
             "#{File.read("/proc/loadavg")[/\S+/]}", ""
    row("view", "1 Hz: % of a core", "ms per refresh", "10 Hz: % of a core", "ms per refresh")
    row(*["---"] * 5)
    watched("#{BUILD}/tests/tools/many_methods", *sizes, "0", leaves) do |pid|
      VIEWS.each_key { |name| row(name, *[1.0, 0.1].flat_map { |delay| cost_of_looking(pid, name, delay, frame, key) }) }
    end
  end
end

def measure_bytes
  puts "", "Bytes per refresh, 10 Hz", ""
  row("view", *PROGRAMS.keys.flat_map { |name| ["#{name}, 80x24", "160x50"] })
  row(*["---"] * 5)
  pids = PROGRAMS.values.map { |command| start(*command) }
  VIEWS.each do |name, key|
    row(name, *pids.zip(%w[calm wild]).product([[24, 80], [50, 160]]).map do |(pid, kind), size|
      bytes = bytes_per_refresh(pid, key, *size)
      Results.keep("viewer/bytes-#{kind}", bytes, at: "#{name}, #{size.reverse.join("x")}")
      format("%d", bytes)
    end)
  end
ensure
  pids&.each { |pid| stop(pid) }
end

def bytes_per_refresh(pid, key, rows, columns)
  screen = Screen.new(pid, rows, columns, "-d", "0.1")
  screen.press(key)
  screen.read(2)
  before, from = screen.bytes, now
  screen.read(SECONDS)
  rate = (screen.bytes - before) / (now - from)
  screen.close
  rate / 10
end

# The program of `make demo`, with a channel.
def demo
  pid = Process.spawn(RbConfig.ruby, "-I", BUILD, "-r", "rperf_top", "#{__dir__}/../../e2e/programs/demo.rb",
                      out: File::NULL)
  deadline = now + 30
  sleep 0.05 until `#{VIEWER} -l`.match?(/^ *#{pid} /) || now > deadline
  yield pid
ensure
  Process.kill("KILL", pid)
  Process.wait(pid)
end

def measure_demo
  puts "", "Bytes per second on the demo, 80x24, the usual rate", ""
  row("view", "bytes/s")
  row(*["---"] * 2)
  demo do |pid|
    VIEWS.merge("time" => "7").each do |name, key|
      screen = Screen.new(pid, 24, 80)
      screen.press(key)
      screen.read(3)
      before, from = screen.bytes, now
      screen.read([SECONDS, 4].max)
      rate = (screen.bytes - before) / (now - from)
      row(name, format("%d", rate))
      Results.keep("viewer/demo", rate, at: name)
      screen.close
    end
  end
end

def measure_start
  puts "", "From exec to the first full screen", ""
  PROGRAMS.each do |name, command|
    watched(*command) do |pid|
      times = Array.new(11) do
        screen = Screen.new(pid, 24, 80)
        time = screen.read(5, name == "fake_process" ? /Filler#method_/ : /Service\d/) or abort "no screen"
        screen.close
        time
      end.sort
      puts format("%-14s median %.0f ms, worst %.0f ms", name, times[5] * 1000, times.last * 1000)
      Results.keep("viewer/start", Results.range(times.map { |time| time * 1000 }).merge(Results.median(times.map { |time| time * 1000 }).slice(:now)), at: name)
    end
  end
end

measure_cpu(options) if PARTS.include?("cpu")
measure_bytes if PARTS.include?("bytes")
measure_demo if PARTS.include?("demo")
measure_start if PARTS.include?("start")
