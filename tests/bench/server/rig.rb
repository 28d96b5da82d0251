# A server, its load and a viewer, each in a process of its own, for the benchmarks of servers.
require "etc"
require "fileutils"
require "json"
require "open3"
require "rbconfig"
require "socket"
require "tmpdir"

class Rig
  DEADLINE = 30

  attr_reader :pid, :folder

  # arguments: of Ruby, before the script; env: beside the gems' folder; pin: on the first core, all else on the others;
  # application: what serve.rb serves.
  def initialize(build:, gems:, threads: 5, workers: 0, connections: threads, arguments: [], env: {}, pin: false, application: "ServerApp")
    @build = build
    @folder = Dir.mktmpdir("rperf-top-bench.", File.writable?("/dev/shm") ? "/dev/shm" : nil)
    @env = { "RPERF_TOP_DIR" => @folder, "GEM_PATH" => gems, "GEM_HOME" => gems, "RUBYOPT" => nil, "RUBYLIB" => nil }
    socket = "#{@folder}/socket"
    @beside = pin ? ["taskset", "-c", "1-#{Etc.nprocessors - 1}"] : []
    @pid = spawn(@env.merge(env), *(pin ? ["taskset", "-c", "0"] : []), RbConfig.ruby, *arguments, "#{__dir__}/serve.rb", socket, threads.to_s,
                 workers.to_s, application, pgroup: true, out: "#{@folder}/out", err: "#{@folder}/err")
    wait_for("the server") { answers?(socket) && ready?(threads, workers) }
    @load = IO.popen([@env, *@beside, RbConfig.ruby, "#{__dir__}/load.rb", socket, connections.to_s, [workers, 1].max.to_s], "r+")
  end

  # {"seconds", "latencies"} of so many requests.
  def ask(count, think_ms = 0, routes = []) = JSON.parse(command([count, think_ms, *routes].join(" ")))

  # What the routes measured so far (app.rb), of each process.
  def told_by_all = JSON.parse(command("/told")).map { |text| JSON.parse(text) }

  def told = told_by_all.first

  def switch(name = "") = command("/switch?#{name}")

  # Pids of the processes that answer: the server, or its workers.
  def serving
    workers = File.read("/proc/#{@pid}/task/#{@pid}/children").split.map(&:to_i)
    workers.empty? ? [@pid] : workers
  end

  # Seconds of CPU of all of them, nanoseconds as the kernel counts them, threads that ended left out.
  def cpu_seconds(pids = serving)
    pids.sum { |pid| Dir["/proc/#{pid}/task/*/schedstat"].sum { |file| File.read(file).to_i } } / 1e9
  end

  # A viewer that has printed its first object, until the block ends, which is given its pid. Its objects are added to
  # `objects`.
  def watched(objects, *options, pids: serving)
    pids.each { |pid| wait_for("a channel of #{pid}") { Dir["#{@folder}/rperf-top.#{Process.uid}.#{pid}.*"].any? } }
    reader = IO.popen([@env, *@beside, "#{@build}/rperf-top", "-b", "-J", "-p", pids.join(","), *options, err: "#{@folder}/viewer"])
    line = reader.gets or raise "the viewer ended at once: #{File.read("#{@folder}/viewer")}"
    objects << JSON.parse(line)
    thread = Thread.new { reader.each_line { |text| objects << JSON.parse(text) } }
    yield reader.pid
  ensure
    Process.kill(:TERM, reader.pid) if reader
    thread&.join
    reader&.close
  end

  # What the channel says that profiling cost between two instants (monotonic ns), as a share of the windows that lie
  # between: what the viewer shows for them. nil when there is none.
  def said_cost(from, to, pid: serving.first)
    windows = dump(pid)["windows"].select { |window| window["start_ns"] >= from && window["end_ns"] <= to }
    length = windows.sum { |window| window["end_ns"] - window["start_ns"] }
    windows.sum { |window| window["counters"]["whole_cost_ns"] }.fdiv(length) unless windows.empty?
  end

  # [[what its routes measured, its channel as channel_dump prints it], ...] of each process, once the channel tells
  # all that there was until now. The server is at rest then.
  def read
    told_by_all.map do |told|
      channel = nil
      wait_for("the windows of #{told["pid"]}") { (channel = dump(told["pid"]))["windows"].last["end_ns"] >= told["now"] }
      [told, channel]
    end
  end

  def stop
    @load&.close
    Process.kill(:KILL, -@pid)
    Process.wait(@pid)
  ensure
    FileUtils.rm_rf(@folder)
  end

  private

  def dump(target)
    out, status = Open3.capture2(@env, "#{@build}/tests/tools/channel_dump", target.to_s)
    raise "channel_dump failed" unless status.success?
    JSON.parse(out)
  end

  def command(text)
    @load.puts(text)
    @load.gets&.chomp or raise "the load ended: #{File.read("#{@folder}/err")}"
  end

  def answers?(socket)
    raise "the server ended: #{File.read("#{@folder}/err")}#{File.read("#{@folder}/out")}" if Process.wait(@pid, Process::WNOHANG)
    UNIXSocket.new(socket).close || true
  rescue Errno::ENOENT, Errno::ECONNREFUSED
    false
  end

  # All workers are there with all their threads, so that each gets some of the connections.
  def ready?(threads, workers)
    pids = serving
    pids.size == [workers, 1].max && pids.all? { |pid| Dir["/proc/#{pid}/task/*"].size > threads }
  end

  def wait_for(what)
    finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + DEADLINE
    until yield
      raise "waited in vain for #{what}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > finish
      sleep 0.01
    end
  end
end
