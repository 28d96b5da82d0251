# Sidekiq with a real redis and the jobs of jobs.rb, and who pushes them, each in a process of its own.
require "fileutils"
require "json"
require "rbconfig"
require "tmpdir"
require_relative "redis"

class QueueRig
  DEADLINE = 60

  attr_reader :pid, :folder

  # gems: the folder of the frameworks (.setup/gems); threads: of Sidekiq.
  def initialize(build:, gems:, threads: 5, env: {})
    @folder = Dir.mktmpdir("rperf-top-bench.", File.writable?("/dev/shm") ? "/dev/shm" : nil)
    @env = { "RPERF_TOP_DIR" => @folder, "GEM_PATH" => gems, "GEM_HOME" => gems, "RUBYOPT" => nil, "RUBYLIB" => build,
             "REDIS_URL" => "unix://#{@folder}/redis" }
    @redis = RedisServer.spawn(@folder)
    wait_for("redis") { File.socket?("#{@folder}/redis") }
    @pid = spawn(@env.merge(env), RbConfig.ruby, "-rrperf_top", "#{gems}/bin/sidekiq", "-r", "#{__dir__}/jobs.rb", "-c", threads.to_s,
                 pgroup: true, out: "#{@folder}/out", err: %i[child out])
    wait_for("sidekiq") { Dir["#{@folder}/rperf-top.*.#{@pid}.*"].any? }
  end

  # So many jobs, so many a second.
  def push(count, a_second) = run("push(#{count}, #{a_second})")

  # What the program says of all its jobs, `count` of Faults' so far, once they have ended.
  def told(count)
    path = "#{@folder}/told"
    FileUtils.rm_f(path)
    run("ToldJob.perform_async(#{count}, #{path.dump})")
    wait_for("the log of #{count} jobs") { File.exist?(path) }
    [JSON.parse(File.read(path))]
  end

  def stop
    [@pid, @redis].compact.each { |pid| Process.kill(:KILL, -pid) && Process.wait(pid) }
  ensure
    FileUtils.rm_rf(@folder)
  end

  private

  def run(code)
    system(@env.merge("RPERF_TOP" => "0"), RbConfig.ruby, "-r", "#{__dir__}/jobs.rb", "-e", code, out: "#{@folder}/push", err: %i[child out]) or
      raise "#{code}: #{File.read("#{@folder}/push")}"
  end

  def wait_for(what)
    finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + DEADLINE
    until yield
      raise "sidekiq ended: #{File.read("#{@folder}/out")}" if @pid && Process.wait(@pid, Process::WNOHANG)
      raise "waited in vain for #{what}: #{File.read("#{@folder}/redis.out")}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > finish
      sleep 0.01
    end
  end
end
