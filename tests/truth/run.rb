# Runs a drawn program with the extension, and reads what its channel told in the end.
require "fileutils"
require "json"
require "open3"
require "rbconfig"
require "tmpdir"
require_relative "program"
require_relative "../ext/dump"

module Truth
  class Run
    BUILD = ENV["RTOP_BUILD"] || File.expand_path("../../build", __dir__)
    WINDOW_OVER = File.expand_path("../ext/window_over.rb", __dir__)
    TELL = "\nFile.write(ENV['RPERF_TOP_DIR'] + '/told', Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond))\n"
    DEADLINE = 150

    attr_reader :program, :dump, :truth, :error

    def initialize(program, seconds)
      @program, @seconds = program, seconds
      in_folder { |folder| go(folder) }
    end

    private

    def in_folder
      Dir.mktmpdir("rperf-top-test.", File.writable?("/dev/shm") ? "/dev/shm" : nil) { |folder| yield folder }
    end

    def go(folder)
      File.write("#{folder}/program.rb", program.text(@seconds) + TELL)
      out, err, status = beside_neighbours { run(folder) }
      @error = "#{status}: #{err}" unless status.success? && err.empty?
      return if @error
      @truth = JSON.parse(out, symbolize_names: true)
      @dump = Dump.read(Dir["#{folder}/rperf-top.*"].grep_v(/\.ctl\z/).first)
      @dump.told_ns = File.read("#{folder}/told").to_i
    end

    def run(folder)
      env = { "RUBYOPT" => nil, "RUBYLIB" => nil, "BUNDLE_GEMFILE" => nil, "RPERF_TOP_DIR" => folder, "RPERF_TOP_KEEP" => "1",
              "RPERF_TOP_SIZE" => "32", "RPERF_TOP_RECORD_HZ" => program.spec["hz"].to_s, "RPERF_TOP_BUDGET" => "100" }
      Open3.capture3(env, "timeout", "-s", "KILL", DEADLINE.to_s, RbConfig.ruby, "--disable=gems", "-I", BUILD,
                     "-rrperf_top", "-r", WINDOW_OVER, "#{folder}/program.rb")
    end

    # They want cores for as long as the program runs.
    def beside_neighbours
      pids = Array.new(program.spec["neighbours"]) do
        spawn("timeout", "-s", "KILL", DEADLINE.to_s, "sh", "-c", "while :; do :; done", pgroup: true)
      end
      yield
    ensure
      pids.each { |pid| Process.kill(:KILL, -pid) }
      pids.each { |pid| Process.wait(pid) }
    end
  end
end
