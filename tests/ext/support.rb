# What the tests of the extension share: running Ruby programs with and without it, waiting, reading channels.
#
# Every test has a folder of its own on a memory file system; its programs put their channels there
# (RPERF_TOP_DIR) and it goes away with the test. Programs die with the test program (PR_SET_PDEATHSIG), so
# nothing is left behind whatever happens. Nothing here sleeps for a fixed time: wait_for polls a condition.
require "minitest/autorun"
require_relative "../skips"
require "fileutils"
require "io/wait"
require "rbconfig"
require "tmpdir"
require_relative "dump"
require_relative "../truth/laws"

module Support
  include Laws

  BUILD = ENV["RTOP_BUILD"] || File.expand_path("../../build", __dir__)
  DEADLINE = 150
  DEATH_WITH_PARENT = %w[setpriv --pdeathsig KILL --].freeze
  CLEAN = { "RUBYOPT" => nil, "RUBYLIB" => nil, "BUNDLE_GEMFILE" => nil, "RUBY_MN_THREADS" => nil,
            "RPERF_TOP" => nil, "RPERF_TOP_RECORD_HZ" => nil, "RPERF_TOP_HZ" => nil, "RPERF_TOP_BUDGET" => nil,
            "RPERF_TOP_SIZE" => nil, "RPERF_TOP_KEEP" => nil, "RPERF_TOP_CPU_CLOCK" => nil, "RPERF_TOP_STORM" => nil }.freeze

  def self.now
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  # The value of the block as soon as it is true; raises when it is not within the deadline. Asked for every so often.
  def self.wait_for(what, seconds = DEADLINE, every: 0.005)
    deadline = now + seconds
    loop do
      value = yield
      return value if value
      raise "waited #{seconds} s in vain for #{what}" if now > deadline
      IO.select(nil, nil, nil, every)
    end
  end

  # A program that runs: pid, its output line by line, its input, its channel.
  class Program
    attr_reader :pid, :status

    def initialize(command, env, folder, name)
      @folder = folder
      @out_path = "#{folder}/#{name}.out"
      @err_path = "#{folder}/#{name}.err"
      reader, @input = IO.pipe
      @pid = Process.spawn(CLEAN.merge(env), *command, in: reader, out: @out_path, err: @err_path)
      reader.close
      @read = 0
    end

    def out = File.binread(@out_path).force_encoding("UTF-8")
    def err = File.binread(@err_path).force_encoding("UTF-8")

    # The next line of its output, without the newline.
    def line
      Support.wait_for("a line of output; so far #{out.inspect} and #{err.inspect}") do
        (text = out[@read..]).include?("\n") && (@read += text.index("\n") + 1) && text[/\A.*/] or
          (exited? && raise("ended (#{@status}) without a line: #{err}"))
      end
    end

    def puts(text = "")
      @input.puts(text)
      @input.flush
    end

    def exited?
      @status ||= Process.wait2(@pid, Process::WNOHANG)&.last
    end

    # Lets it end: closes its input, waits.
    def finish(seconds = DEADLINE)
      @input.close unless @input.closed?
      Support.wait_for("the end of #{@pid}: #{err[-2000..] || err}", seconds) { exited? }
      self
    end

    def kill(signal = :KILL)
      Process.kill(signal, @pid) unless @status
      finish
    end

    def channel(pid = @pid)
      Support.wait_for("the channel of #{pid}: #{err}") { Support.channels(@folder, pid).last }
    end

    def dump(*options)
      Dump.read(channel, *options)
    end

    # Reads until the block accepts what it read; three times a window, for reading takes a core.
    def dump_until(what, *options, seconds: DEADLINE)
      Support.wait_for(what, seconds, every: 0.03) { (dump = dump(*options)) && yield(dump) && dump }
    end

    # A line of /proc/PID/task/TID/status of its publisher.
    def publisher_status(key)
      task = Dir["/proc/#{@pid}/task/*"].find { |path| File.read("#{path}/comm").strip == "rperf-top" } or return
      File.read("#{task}/status")[/^#{key}:\s*(\d+)/, 1].to_i
    rescue Errno::ENOENT, Errno::ESRCH
      nil
    end
  end

  # Segments in the folder, oldest first.
  def self.channels(folder, pid = "*")
    Dir["#{folder}/rperf-top.#{Process.uid}.#{pid}.*"].grep_v(/\.ctl\z/).sort_by { |path| File.stat(path).ctime }
  rescue Errno::ENOENT
    []
  end

  def setup
    skip "no #{Dump::TOOL}: run make tools" unless File.executable?(Dump::TOOL)
    parent = File.stat("/dev/shm").directory? && File.writable?("/dev/shm") ? "/dev/shm" : nil
    @folder = Dir.mktmpdir("rperf-top-test.", parent)
    @programs = []
    folder = @folder
    at_exit { FileUtils.rm_rf(folder) } # the test program may be told to end in the middle
  end

  def teardown
    @programs&.each { |program| program.exited? or program.kill }
    FileUtils.rm_rf(@folder) if @folder
  end

  def channels(pid = "*") = Support.channels(@folder, pid)
  def wait_for(...) = Support.wait_for(...)

  # Starts `code` (a program's text). with: false runs it without the extension.
  def start(code, env: {}, options: [], arguments: [], with: true, wrapper: [], pdeath: true, gems: false)
    name = "program#{@programs.size}"
    path = "#{@folder}/#{name}.rb"
    File.write(path, code)
    load = with ? ["-I", BUILD, "-rrperf_top"] : []
    load << "-r#{__dir__}/window_over.rb" if code.match?(/window_over|Ractor\.new/)
    quick = "--disable=gems" unless gems || env["GEM_HOME"] # they are three quarters of a start
    command = [*wrapper, RbConfig.ruby, *quick, *load, *options, path, *arguments]
    # Of the program alone: what stands before it may be of another C library.
    preload = env["LD_PRELOAD"]
    command = ["env", "LD_PRELOAD=#{preload}", *command] if preload
    command = [*DEATH_WITH_PARENT, *command] if pdeath && self.class.setpriv?
    program = Program.new(command, { "RPERF_TOP_DIR" => @folder, **env.except("LD_PRELOAD") }, @folder, name)
    @programs << program
    program
  end

  # What YJIT of Ruby 3.3 panics with beside Ractors, with and without the extension, in two runs of a hundred.
  YJIT_PANIC = "should only see live objects"

  # Runs to the end. A program that ended in the panic of that YJIT says nothing about us: it is run again.
  def finished(code, **options)
    program = start(code, **options).finish
    2.times do
      break unless RUBY_VERSION.start_with?("3.3.") && program.err.include?(YJIT_PANIC)
      program = start(code, **options).finish
    end
    program
  end

  # Runs to the end and expects success.
  def run_program(code, **options)
    program = finished(code, **options)
    assert program.status.success?, "#{program.status}\n#{program.out}\n#{program.err}"
    program
  end

  # The last that a program does: it says when that was.
  TELL = "\nFile.write(ENV['RPERF_TOP_DIR'] + '/told', Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond))\n"

  # Runs to the end with the segment kept; the whole history, which knows when the program told that it was over.
  def history(code, env: {}, **options)
    program = run_program(code + TELL, env: { "RPERF_TOP_KEEP" => "1", "RPERF_TOP_SIZE" => "32", **env }, **options)
    assert_empty program.err
    dump = Dump.read(program.channel)
    dump.told_ns = File.read("#{@folder}/told").to_i
    [dump, program]
  end

  # The same program with and without the extension: same output, same end.
  def assert_undisturbed(code, **options)
    plain = finished(code, with: false, **options)
    profiled = finished(code, **options)
    assert_equal plain.out, profiled.out
    assert_equal(*[plain, profiled].map { |program| without_names(program.err) })
    assert_equal [plain.status.exitstatus, plain.status.termsig],
                 [profiled.status.exitstatus, profiled.status.termsig]
    profiled
  end

  # The program's own name and addresses differ from run to run.
  def without_names(text) = text.gsub(/program\d+/, "program").gsub(/0x\h+/, "0x").gsub(/native:\S+/, "")

  def self.included(test_class)
    test_class.define_singleton_method(:setpriv?) do
      @setpriv = system(*DEATH_WITH_PARENT, "true", err: File::NULL) || false if @setpriv.nil?
      @setpriv
    end
  end

  # Relative and absolute tolerance at once.
  def assert_near(expected, actual, relative: 0.0, absolute: 0, message: nil)
    assert_in_delta expected, actual, [expected.abs * relative, absolute].max, message
  end
end
