# What cannot be had, what fails at load, and how a program ends when the file system does not answer: the program goes
# on as it would, with one line at the most. tests/ext/failures/preload.c makes things go wrong.
# Waits nearly all of the time
require_relative "support"

class FailuresTest < Minitest::Test
  include Support

  FOLDER = Dir.mktmpdir("rperf-top-preload.")
  Minitest.after_run { FileUtils.rm_rf(FOLDER) }

  # The library that makes things go wrong, made once.
  def self.library
    @library ||= begin
      path = "#{FOLDER}/preload.so"
      headers = RbConfig::CONFIG.values_at("rubyarchhdrdir", "rubyhdrdir").flat_map { |folder| ["-isystem", folder] }
      made = system(*(ENV["CC"] || "cc").split, "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Wno-unused-parameter",
                    *headers, "-o", path, "#{__dir__}/failures/preload.c", "-ldl", err: "#{FOLDER}/errors")
      made ? path : raise(File.read("#{FOLDER}/errors"))
    end
  end

  def wrong(what, **more)
    skip "this Ruby looks for its own functions in itself first" unless RbConfig::CONFIG["ENABLE_SHARED"] == "yes"
    { "PRELOAD" => what, "LD_PRELOAD" => FailuresTest.library, **more.transform_keys(&:to_s) }
  end

  def assert_one_line(pattern, program)
    assert program.status.success?, "#{program.status} #{program.err}"
    assert_match(/\Arperf_top: [^\n]*\n\z/, program.err)
    assert_match(pattern, program.err)
  end

  { "thread" => /native thread.*; this process is not profiled$/,
    "memory" => /memory.*; this process is not profiled$/ }.each do |what, pattern|
    define_method("test_#{what}_cannot_be_had") do
      program = start("200.times { |i| i.to_s }\nsleep 0.05\np RperfTop.running?", env: wrong(what)).finish
      assert_one_line(pattern, program)
      assert_equal "false\n", program.out
      assert_empty channels
    end
  end

  # Without a key of rb_gc_stat all else is as it was, whenever the profiler is started.
  def test_a_key_that_is_not_known
    { "1" => "p RperfTop.running?", "0" => "p RperfTop.start" }.each do |at_load, code|
      program = start(code, env: wrong("gc_key", RPERF_TOP: at_load)).finish
      assert_predicate program.status, :success?
      assert_empty program.err
      assert_equal "true\n", program.out
    end
  end

  # The clock of one that stays blocked and uses nothing is read at distances that double: of so many windows, in a few. The
  # bound has room for what starts, and for looks at all threads when CPU was used by nobody who is known.
  def test_clocks_of_sleeping_threads_are_read_seldom
    log = "#{FOLDER}/clocks"
    program = run_program(<<~'RUBY', env: wrong("clocks", PRELOAD_LOG: log, RPERF_TOP_KEEP: "1"))
      threads = Array.new(100) { Thread.new { sleep } }
      sleep 4
      threads.each(&:wakeup).each(&:join)
    RUBY
    windows = Dump.read(program.channel).windows.size
    reads = File.read(log).to_i
    assert_operator reads, :>=, 100
    assert_operator reads, :<=, 100 * 20, "in #{windows} windows"
  end

  def test_start_says_why_it_cannot
    code = "begin; RperfTop.start; rescue RuntimeError => e; puts e.message; end; p RperfTop.running?"
    program = start(code, env: wrong("thread", RPERF_TOP: "0")).finish
    assert_match(/\Arperf_top: no native thread can be made: .*\nfalse\n\z/, program.out)
    assert_empty program.err
  end

  # Whatever is raised while it loads: here by a method that is asked when a method is made.
  %w[Exception NoMemoryError NotImplementedError].each do |name|
    define_method("test_#{name.downcase}_at_load") do
      File.write("#{@folder}/first.rb", <<~RUBY)
        $raise = true
        class Module
          prepend(Module.new { def const_added(name) = $raise && name == :VERSION && to_s == "RperfTop" ? ($raise = false; raise #{name}, "at load") : super })
        end
      RUBY
      program = start("puts :end", options: ["-I", BUILD, "-r#{@folder}/first.rb", "-rrperf_top"], with: false).finish
      assert_equal "end\n", program.out
      assert_one_line(/at load.*; the program runs without it$/, program)
    end
  end

  def test_a_living_ractor_at_load
    program = start(<<~'RUBY', with: false, options: ["-W0", "-I", BUILD]).finish
      ractor = Ractor.new { Ractor.receive }
      begin
        require "rperf_top"
        puts :loaded
      rescue LoadError => error
        puts error.message
      end
      ractor.send(1)
      ractor.value
    RUBY
    assert program.status.success?, program.err
    assert_match(/\Arperf_top cannot be used: .*Ractor/i, program.out)
    assert_empty program.err
  end

  # Where the VM looks different from what is known of it, threads are known by what the kernel calls them.
  def test_names_where_the_layout_is_not_known
    program = start(<<~'RUBY', env: wrong("layout", RPERF_TOP_RECORD_HZ: "1000", RPERF_TOP_BUDGET: "100"))
      $stdout.sync = true
      Thread.new { Thread.current.name = "worker"; loop { 50.times { |i| i.to_s } } }
      puts :ready
      gets
    RUBY
    program.line
    program.dump_until("its name") { |dump| dump.thread("worker") }
    program.finish
    assert_empty program.err
  end

  # Somebody takes the segment away as often as it is made: one line, in the end.
  def test_segments_that_are_lost_again_and_again
    program = start("$stdout.sync = true\nputs :ready\nsleep 0.01 while RperfTop.running?\nputs :end")
    program.line
    wait_for("the profiler to give up") do
      channels(program.pid).each { |path| File.unlink(path) rescue nil }
      program.exited?
    end
    assert_one_line(/its segment is removed or truncated again and again; this process is not profiled$/, program)
  end

  SLOW = "$stdout.sync = true\nsleep 0.01 until Dir[ENV['RPERF_TOP_DIR'] + '/rperf-top.*'].any?\n" \
         "def ms = (Process.clock_gettime(Process::CLOCK_MONOTONIC) * 1000).round\n"

  # Writing takes for ever: the end of the program does not.
  def test_end_on_a_slow_file_system
    program = start("#{SLOW}at_exit { puts ms }\nThread.new { loop { sleep 0.1 } }\nputs ms", env: wrong("writes", PRELOAD_SECONDS: "600"))
    from = program.line.to_i
    program.finish(30)
    assert program.status.success?, program.status.to_s
    assert_empty program.err
    assert_operator (Process.clock_gettime(Process::CLOCK_MONOTONIC) * 1000).round - from, :<, 15_000
  end

  # Other threads run on while one waits for it, and it does not start twice.
  def test_stop_on_a_slow_file_system
    program = start(<<~RUBY, env: wrong("writes", PRELOAD_SECONDS: "600"))
      #{SLOW}
      count = 0
      Thread.new { loop { count += 1; sleep 0.001 } }
      sleep 0.01 until count > 0
      before = count
      RperfTop.stop
      puts count - before > 20, RperfTop.running?
      begin
        RperfTop.start
      rescue RuntimeError => error
        puts error.message
      end
    RUBY
    program.finish(60)
    assert_equal "true\nfalse\nrperf_top: the session before is still being written\n", program.out
    assert program.status.success?, program.status.to_s
  end

  WORK = "def work(seconds) = (i = 0; t = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds\n" \
         "i += 1 until Process.clock_gettime(Process::CLOCK_MONOTONIC) > t)\n"

  # It ends while its segment is still being made: what it did is in it all the same.
  def test_a_program_that_is_quicker_than_its_segment
    found = Array.new(3) do
      dump = start("#{WORK}work 0.05\n", env: wrong("writes", PRELOAD_SECONDS: "0.015", RPERF_TOP_KEEP: "1")).finish.dump
      assert_operator dump.total(:wall, state: "running"), :>, 50_000_000
      dump.total(:wall, state: "running", on_stack: "Object#work") / 1e6
    end
    assert_operator found.sort[1], :>, 40, found.inspect # a tick is late where others have the cores
  end

  # Ticks do not wait for that: what runs first gets its share.
  def test_what_runs_while_the_table_of_descriptors_grows
    code = "#{WORK}def first = work(0.1)\ndef second = work(0.1)\nfirst\nsecond\n"
    env = wrong("table", PRELOAD_SECONDS: "0.12", RPERF_TOP_KEEP: "1", RPERF_TOP_RECORD_HZ: "1000")
    found = Array.new(3) { start(code, env: env).finish.dump.total(:wall, on_stack: "Object#first") / 1e6 }
    assert_in_delta 100, found.sort[1], 40, found.inspect # a tick is late where others have the cores
  end

  # Not `puts` in the trap: the signal may come in the midst of the other one, which has the lock of $stdout.
  def test_a_signal_ends_the_wait_for_a_slow_file_system
    code = "#{SLOW}trap(:TERM) { $stdout.syswrite(%(trapped\n)); exit!(7) }\nputs :ready\n10.times { RperfTop.stop; RperfTop.start rescue 0 } while true"
    program = start(code, env: wrong("writes", PRELOAD_SECONDS: "600"))
    program.line
    Process.kill(:TERM, program.pid)
    program.finish(20)
    assert_equal [7, "ready\ntrapped\n"], [program.status.exitstatus, program.out], program.err
  end

  # The default of a signal, while the program is ending.
  def test_a_signal_at_the_end_on_a_slow_file_system
    code = "#{SLOW}at_exit { Process.kill(:TERM, Process.pid) if ARGV.empty? }\n"
    program = start(code, env: wrong("writes", PRELOAD_SECONDS: "600"))
    program.finish(30)
    assert_equal Signal.list["TERM"], program.status.termsig, program.status.to_s
  end

  # What starts when the program has said its last words would never be stopped: it does not start.
  { at_exit_from_before: "at_exit { p RperfTop.start }\nrequire 'rperf_top'",
    finalizer: "require 'rperf_top'\nKEPT = Object.new\nObjectSpace.define_finalizer(KEPT, proc { p RperfTop.start })",
    ensure: "require 'rperf_top'\nThread.new { begin; $in = true; sleep; ensure; p RperfTop.start; end }\nThread.pass until $in" }.each do |what, code|
    define_method("test_start_after_the_end_#{what}") do
      program = run_program("$stdout.sync = true\n#{code}\n", with: false, options: ["-I", BUILD])
      assert_equal "false\n", program.out
      assert_empty program.err
      assert_empty channels
    end
  end

  def test_start_at_exit
    program = run_program("at_exit { RperfTop.start; p RperfTop.running?; 20_000.times { |i| i.to_s } }", env: { "RPERF_TOP" => "0" })
    assert_equal "true\n", program.out
    assert_empty channels
  end

  # A segment that is being made when a fork comes is not the child's.
  def test_forked_children_have_no_descriptors_of_the_parent
    program = run_program(<<~'RUBY', env: wrong("opens"))
      found = []
      mine = ->(fd) { File.readlink(fd) rescue "" }
      8.times do
        RperfTop.start
        3.times do
          reader, writer = IO.pipe
          pid = fork do
            RperfTop.stop # what it knows of is given back
            own = Dir["/proc/self/fd/*"].map(&mine).grep(/#{ENV["RPERF_TOP_DIR"]}|statm/).grep_v(/program\d/)
            writer.puts own.inspect
            exit!(0)
          end
          writer.close
          found << reader.read
          Process.wait(pid)
          sleep rand * 0.02
        end
        RperfTop.stop
      end
      puts found.tally.inspect
    RUBY
    assert_equal({ "[]\n" => 24 }.inspect, program.out.strip)
  end

  # The child of a parked process is profiled like any other, with the hook that it came with.
  def test_children_of_a_parked_parent_add_no_hooks
    log = "#{@folder}/hooks"
    program = start(<<~'RUBY', env: wrong("hooks", PRELOAD_LOG: log, RPERF_TOP_RECORD_HZ: "0"))
      $stdout.sync = true
      puts :ready
      gets
      pid = fork do
        puts Process.pid
        Thread.new { loop { 100.times { |i| i.to_s }; sleep 0.001 } }
        gets
      end
      Process.wait(pid)
    RUBY
    program.line
    program.puts
    child = program.line.to_i
    dump = Dump.read(program.channel(child), "--watch", "1000", "--until-windows", "5")
    assert_operator dump.threads.size, :>=, 2
    assert_includes dump.labels, "Integer#to_s"
    program.puts
    program.finish
    refute File.exist?(log), "a child added hooks"
  end

  # Whoever got the GVL back between the end of a window and the look at it has not held it since it went to sleep.
  def test_a_publisher_that_comes_late
    program = start("#{WORK}8.times { sleep 0.55; work 0.06 }", env: wrong("wakes", RPERF_TOP_KEEP: "1")).finish
    assert program.status.success?, program.err
    rows = program.dump.windows.flat_map { |window| window["threads"] }.select { |row| row["state"] == "running" }
    assert_operator rows.size, :>=, 4
    ages = rows.map { |row| [row["state_age_ns"], row["stack_age_ns"]].reject(&:zero?).min }
    assert_operator ages.compact.max, :<, 450_000_000, ages.inspect
  end
end
