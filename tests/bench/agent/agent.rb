# What the agent (--metrics) takes of a core with many Ruby processes that work a little all the time, or rest.
#
#   agent.rb BUILD [--processes 100] [--seconds 20] [--rest]
#
# The processes run with the extension as they would anywhere (100 Hz). Measured is the CPU time of the viewer in
# /proc/PID/stat, from when it serves all of them, in stretches of `seconds`: first while nobody asks, then with a
# scrape every 15 s. What it takes when it saves (see rperf-top-metrics(5)) is said, too.
require "etc"
require "fileutils"
require "net/http"
require "optparse"
require "tmpdir"
require_relative "../results"

options = { processes: 100, seconds: 20, stretches: 4 }
OptionParser.new do |parser|
  parser.on("--processes N", Integer) { |n| options[:processes] = n }
  parser.on("--seconds N", Integer) { |n| options[:seconds] = n }
  parser.on("--stretches N", Integer) { |n| options[:stretches] = n }
  parser.on("--rest") { options[:rest] = true }
end.parse!
build = File.expand_path(ARGV.fetch(0))
folder = Dir.mktmpdir("rperf-top-agent.", "/dev/shm")
env = { "RPERF_TOP_DIR" => folder, "RUBYLIB" => build, "RUBYOPT" => "-rrperf_top", "RPERF_TOP_SIZE" => "4" }

# Twenty methods, a few frames deep, for half a millisecond ten times a second; two threads.
WORK = <<~'RUBY'
  20.times { |i| eval("def step#{i}(n) = n == 0 ? 1 : (n.to_s + #{i}.to_s).size + step#{(i + 1) % 20}(n - 1)") }
  def round(seed) = (seed..seed + 40).sum { |i| send("step#{i % 20}", 8) }
  Thread.new { loop { sleep 0.1; round(rand(20)) } }
  loop { sleep 0.1; round(rand(20)) }
RUBY
REST = "sleep"

# User and system time.
def cpu_ticks(pid) = File.read("/proc/#{pid}/stat").split(") ").last.split.values_at(11, 12).map(&:to_i)
def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

pids, found = [], Hash.new { |all, at| all[at] = [] }
begin
  options[:processes].times { pids << spawn(env, RbConfig.ruby, "-e", options[:rest] ? REST : WORK, in: File::NULL, out: File::NULL) }
  sleep 0.05 until Dir["#{folder}/rperf-top.*.????????????????"].size >= options[:processes]
  said = "#{folder}/said"
  agent = spawn(env.slice("RPERF_TOP_DIR"), "#{build}/rperf-top", "--metrics", "0", "-p", "all", in: File::NULL, out: File::NULL, err: said)
  pids << agent
  sleep 0.05 until File.exist?(said) && (uri = File.read(said)[%r{http://\S+}])
  page = -> { Net::HTTP.get(URI(uri)) }
  sleep 0.2 until page.call.scan(/^rperf_top_process_up\{[^}]*\} 1$/).size >= options[:processes]
  sleep 3
  hz = Etc.sysconf(Etc::SC_CLK_TCK)
  options[:stretches].times do |stretch|
    from, ticks, scrape = now, cpu_ticks(agent), now + 5
    while now < from + options[:seconds]
      sleep 0.1
      next if stretch.even? || now < scrape
      page.call
      scrape += 15
    end
    user, system = cpu_ticks(agent).zip(ticks).map { |after, before| (after - before) * 100 / hz.to_f / (now - from) }
    saves = page.call[/^rperf_top_agent_saves (\S+)/, 1]
    puts format("%d processes that %s, %d s, %s: %.2f %% of a core (%.2f user, %.2f system)%s", options[:processes], options[:rest] ? "rest" : "work",
                options[:seconds], stretch.even? ? "not scraped" : "scraped", user + system, user, system, saves.to_f > 0 ? " (it saves)" : "")
    $stdout.flush
    found["#{options[:processes]}#{" at rest" if options[:rest]}, #{stretch.even? ? "not scraped" : "scraped"}#{", saving" if saves.to_f > 0}"] << user + system
  end
  found.each { |at, figures| Results.keep("agent/work", figures, at: at) }
ensure
  pids.each { |pid| Process.kill(:KILL, pid) rescue nil }
  pids.each { |pid| Process.wait(pid) rescue nil }
  FileUtils.rm_rf(folder)
end
