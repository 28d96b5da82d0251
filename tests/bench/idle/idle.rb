# What threads cost that sleep for ever: CPU of the publisher, in per cent of a core.
#
#   ruby tests/bench/idle/idle.rb BUILD [SECONDS] [THREADS...]
require "rbconfig"
require "tmpdir"
require_relative "../results"

PROGRAM = <<~'RUBY'
  count, seconds = Integer(ARGV[0]), Float(ARGV[1])
  threads = Array.new(count) { Thread.new { sleep } }
  sleep 0.1 until threads.all? { |thread| thread.status == "sleep" }
  sleep 2
  publisher = Dir["/proc/self/task/*"].find { |task| File.read("#{task}/comm").strip == "rperf-top" }
  used = -> { File.read("#{publisher}/schedstat").to_i }
  now = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
  before, start = used.call, now.call
  sleep seconds
  puts (used.call - before) / (now.call - start) / 1e7
RUBY

build = File.realpath(ARGV.shift)
seconds = ARGV.shift || "5"
counts = ARGV.empty? ? %w[10 1000 5000] : ARGV
Dir.mktmpdir("rperf-top-idle.") do |folder|
  counts.each do |count|
    out = IO.popen([{ "RPERF_TOP_DIR" => folder }, RbConfig.ruby, "-I", build, "-rrperf_top", "-e", PROGRAM, count, seconds], &:read)
    abort unless $?.success?
    puts format("%s threads: %.2f %% of a core", count, Float(out))
    $stdout.flush
    Results.keep("idle/publisher", Float(out), at: "#{count} threads")
  end
end
