# What threads cost that sleep for ever: CPU of the publisher, in per cent of a core.
#
#   ruby tests/bench/idle/idle.rb BUILD [SECONDS] [THREADS...]
require "rbconfig"
require "tmpdir"
require_relative "../results"

PROGRAM = <<~'RUBY'
  $stdout.sync = true
  threads = Array.new(Integer(ARGV[0])) { Thread.new { sleep } }
  sleep 0.1 until threads.all? { |thread| thread.status == "sleep" }
  puts :asleep
  sleep
RUBY

# Read from here, since a program that reads them itself does not sleep.
def publisher_cpu_ns(pid)
  task = Dir["/proc/#{pid}/task/*"].find { |path| File.read("#{path}/comm").strip == "rperf-top" }
  File.read("#{task}/schedstat").to_i
end

def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

# In per cent of a core, once it has slept for some seconds.
def measured(pid, seconds)
  sleep 5
  before, start = publisher_cpu_ns(pid), now
  sleep seconds
  (publisher_cpu_ns(pid) - before) / (now - start) / 1e7
end

build = File.realpath(ARGV.shift)
seconds = ARGV.shift || "5"
counts = ARGV.empty? ? %w[10 1000 5000] : ARGV
Dir.mktmpdir("rperf-top-idle.") do |folder|
  counts.each do |count|
    IO.popen([{ "RPERF_TOP_DIR" => folder }, RbConfig.ruby, "-I", build, "-rrperf_top", "-e", PROGRAM, count]) do |program|
      program.gets or abort
      used = measured(program.pid, Float(seconds))
      Process.kill(:KILL, program.pid)
      puts format("%s threads: %.3f %% of a core", count, used)
      Results.keep("idle/publisher", used, at: "#{count} threads")
    end
    $stdout.flush
  end
end
