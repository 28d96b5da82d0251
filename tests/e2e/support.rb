# Helpers of the end-to-end tests: the built viewer on real Ruby programs.
require "etc"
require "fileutils"
require "json"
require "minitest/autorun"
require_relative "../skips"
require "open3"
require "rbconfig"
require "tempfile"
require "tmpdir"

module E2E
  ROOT = File.expand_path("../..", __dir__)
  BUILD = ENV["RTOP_BUILD"] || "#{ROOT}/build"
  VIEWER = "#{BUILD}/rperf-top"
  PROGRAMS = "#{ROOT}/tests/e2e/programs"
  DEADLINE = 150
  QUICK = "--disable=gems" # of programs that use none: RubyGems are three quarters of a start

  Result = Struct.new(:out, :err, :status) do
    def objects = out.lines.map { |line| JSON.parse(line) }
  end

  module_function

  # Where the viewer puts what commands print: it goes away with the tests.
  def logs
    @@logs ||= Dir.mktmpdir("rperf-top-e2e").tap { |dir| Minitest.after_run { FileUtils.rm_rf(dir) } }
  end

  def viewer(*arguments, env: {}, **options)
    out, err, status = Open3.capture3({ "TMPDIR" => logs }.merge(env), VIEWER, *arguments, stdin_data: "", **options)
    Result.new(out, err, status)
  end

  # The refreshes of `rperf-top -b -J -n count -- ruby program...`
  def watch(count, *program, options: [], env: {})
    viewer("-b", "-J", "-n", count.to_s, *options, "--", RbConfig.ruby, *QUICK, *program, env: env)
  end

  # The segments of a process in the directories of its user.
  def channels(pid, runtime = ENV["XDG_RUNTIME_DIR"])
    places = ["/dev/shm/rperf-top-#{Process.uid}*", "#{runtime || "/run/user/#{Process.uid}"}/rperf-top"]
    Dir[*places.map { |place| "#{place}/rperf-top.#{Process.uid}.#{pid}.????????????????" }]
  end

  # Starts a Ruby program with the extension; yields its pid once its channel is there; ends it.
  def running(*program, env: {}, signal: :KILL, **options)
    pid = spawn({ "RUBYLIB" => BUILD, "RUBYOPT" => "-rrperf_top" }.merge(env), RbConfig.ruby, *QUICK, *program,
                **{ out: File::NULL }, **options)
    wait_until("a channel of #{pid}") { channels(pid, *env["XDG_RUNTIME_DIR"]).any? }
    yield pid
  ensure
    begin
      Process.kill(signal, pid)
      Process.wait(pid)
    rescue SystemCallError
      nil
    end
    channels(pid).each { |path| [path, "#{path}.ctl"].each { |name| File.unlink(name) rescue nil } }
  end

  # Yields the object of a source file of the viewer, compiled as without a library.
  def made_without(library, source)
    Dir.mktmpdir do |folder|
      object = "#{folder}/obj/#{source}.o"
      out, status = Open3.capture2e({ "MAKEFLAGS" => nil, "MAKELEVEL" => nil, "BUILD" => nil }, "make", "-s", "-C", ROOT, "BUILD=#{folder}", library, "WERROR=1", object)
      assert status.success?, out
      yield object
    end
  end

  # Asked for every so often.
  def wait_until(what, seconds: DEADLINE, every: 0.02)
    finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
    until (result = yield)
      raise "gave up waiting for #{what}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > finish
      sleep every
    end
    result
  end

  def method_named(object, name)
    object["methods"].find { |row| row["name"] == name }
  end

  # Folder with the code of a gem that tests may use (.setup/gems), or nil.
  def gem_folder(name)
    dir = `#{ROOT}/.setup/gems -p #{RbConfig.ruby}`.lines.first.to_s.chomp
    Dir["#{dir}/gems/#{name}-[0-9]*/lib"].first
  end

  # What Ruby must be told for RperfTop::Reader: where fiddle is, if it brings none (from 4.0 on). nil: there is none.
  def for_fiddle
    return [] if system(RbConfig.ruby, "-W0", "-rfiddle", "-e", "", err: File::NULL)
    folder = gem_folder("fiddle") and ["-I", folder]
  end
end
