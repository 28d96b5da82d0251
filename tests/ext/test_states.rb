# What a thread is doing and where, while it does it.
require_relative "support"

class StatesTest < Minitest::Test
  include Support

  # The program says "ready" when its threads are where they should be and stays until its input closes. A
  # ticking main thread would hide what is known of a process in which nothing runs: it waits in gets.
  def watch(code, enough: ->(dump) { dump.windows.size >= 3 })
    program = start("$stdout.sync = true\n#{code}\nputs \"ready\"\ngets\nexit!(0)")
    program.line
    dump = program.dump_until("a window after the threads stopped", "--until-windows", "3", &enough)
    yield dump, dump.windows.last
    program.finish
  end

  STOPPED = "Thread.pass until Thread.list.all? { |t| t == Thread.current || t.stop? }"

  # "the one" has been in its state for a whole window.
  STOOD = lambda do |dump|
    thread, window = dump.thread("the one"), dump.windows.last
    found = thread && window && window["threads"].find { |row| row["serial"] == thread.serial }
    found && found["state_age_ns"] > [100_000_000, window["end_ns"] - window["start_ns"]].max
  end

  def row(dump, window, name)
    thread = dump.thread(name) or flunk "no thread #{name} in #{dump.threads.values.map(&:name)}"
    window["threads"].find { |row| row["serial"] == thread.serial }
  end

  def assert_blocked(expected, code)
    named = "t = Thread.new { Thread.current.name = 'the one'; #{code} }\n#{STOPPED}"
    watch(named, enough: STOOD) do |dump, window|
      row = row(dump, window, "the one")
      stack = dump.stack(row["node"])
      assert_equal "blocked", row["state"]
      assert_equal expected, stack.first(expected.size)
      refute row["provisional"]
      assert_operator row["state_age_ns"], :>, 100_000_000
      cells = window["cells"].select { |cell| cell.thread == row["serial"] }
      assert_equal [["blocked", row["node"]]], cells.map { |cell| [cell.state, cell.node] }
    end
  end

  def test_sleep = assert_blocked(["Kernel#sleep", "block in <main>"], "sleep")
  def test_timed_sleep = assert_blocked(["Kernel#sleep", "Object#doze"], "def doze = sleep(60)\n doze")
  def test_pipe = assert_blocked(["IO#readpartial", "block in <main>"], "IO.pipe.first.readpartial(1)")
  def test_select = assert_blocked(["IO.select"], "IO.select([IO.pipe.first])")
  def test_queue = assert_blocked(["Thread::Queue#pop", "block in <main>"], "Queue.new.pop")
  def test_sized_queue = assert_blocked(["Thread::SizedQueue#push"], "q = SizedQueue.new(1); 2.times { q.push(1) }")
  # Before Ruby 4.0 it calls Mutex#sleep.
  def test_condition
    inside = RubyVM::InstructionSequence.of(ConditionVariable.instance_method(:wait)) ? [] : ["Thread::Mutex#sleep"]
    assert_blocked([*inside, "Thread::ConditionVariable#wait", "block (2 levels) in <main>"],
                   "m = Mutex.new; c = ConditionVariable.new; m.synchronize { c.wait(m) }")
  end

  def test_stop = assert_blocked(["Thread.stop"], "Thread.stop")

  def test_mutex
    assert_blocked(["Thread::Mutex#lock"], "m = Mutex.new; Thread.new { m.lock; sleep }; Thread.pass until m.locked?; m.lock")
  end

  def test_join
    assert_blocked(["Thread#join", "block in <main>"], "Thread.new { Thread.current.name = 'other'; sleep }.join")
  end

  def test_process_wait
    assert_blocked(["Process.wait"], "Process.wait(spawn('sleep 20', pgroup: true).tap { |pid| at_exit { Process.kill(:KILL, pid) } })")
  end

  def test_a_fiber_is_shown_by_its_own_frames
    assert_blocked(["Thread::Queue#pop"], "Fiber.new { Queue.new.pop }.resume")
  end

  def test_main_thread_waiting_for_input
    watch("def wait_here = nil") do |dump, window|
      row = row(dump, window, "main")
      assert_equal ["blocked", "ARGF.class#gets", "Kernel#gets"], [row["state"], *dump.stack(row["node"]).first(2)]
    end
  end

  # A thread that was busy with short waits and then stays: its stack is found all the same.
  def test_a_hang_after_a_storm_of_waits
    watch("t = Thread.new { Thread.current.name = 'the one'; 20_000.times { sleep 0 }; Queue.new.pop }\n" \
          "busy = Thread.new { Thread.current.name = 'busy'; loop { sleep 0.001 } }\n" \
          "sleep 0.01 until t.stop? && t.backtrace.first.include?('pop')", enough: STOOD) do |dump, window|
      row = row(dump, window, "the one")
      assert_equal ["blocked", "Thread::Queue#pop"], [row["state"], dump.leaf(row["node"])]
    end
  end

  def test_four_computing_threads_share_one_lock
    dump, program = history(<<~'RUBY')
      start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      def spin(n) = n.times { |i| i * i }
      threads = 4.times.map do |i|
        Thread.new do
          Thread.current.name = "spin #{i}"
          spin(1000) while Process.clock_gettime(Process::CLOCK_MONOTONIC) - start < 2.5
          Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
        end
      end
      puts threads.sum(&:value)
    RUBY
    spinners = dump.threads.values.select { |thread| thread.name.start_with?("spin") }.map(&:serial)
    assert_equal 4, spinners.size
    sums = dump.by_state
    running = spinners.sum { |serial| sums[[serial, "running"]] }
    waiting = spinners.sum { |serial| sums[[serial, "waiting"]] }
    seconds = spinners.sum { |serial| dump.lifetime(dump.threads[serial]) } / 4.0
    # While one has it the others wait. From one to the next it goes as fast as the kernel gives them a core.
    assert_in_delta 4.0, (running + waiting) / seconds, 0.1
    assert_operator running / seconds, :<=, 1.01
    assert_operator running, :>=, 0.95 * program.out.to_f * 1e9
    blame = spinners.sum { |serial| dump.total(:blame, thread: serial) }
    assert_in_delta 3.0, blame.fdiv(running), 0.15
    assert_equal "blocked", dump.windows[5]["threads"].find { |row| row["serial"] == dump.main.serial }["state"]
    spinners.each { |serial| assert_operator dump.total(thread: serial, on_stack: "Object#spin"), :>, 0 }
  end

  # CPU that is burnt without the GVL is blocked time with CPU.
  def test_cpu_off_the_lock
    dump, = history(<<~'RUBY')
      require "zlib"
      data = Random.new(1).bytes(30_000_000)
      now = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
      start = now.call
      Zlib::Deflate.deflate(data, 9) while now.call - start < 1
    RUBY
    cpu = dump.total(:cpu, state: "blocked", on_stack: "Zlib::Deflate.deflate")
    assert_operator cpu, :>, 0.5 * dump.total(:cpu)
  rescue Minitest::Assertion
    skip "this Ruby has no zlib" if @programs.last.err.include?("cannot load such file -- zlib")
    raise
  end

  # It sleeps for long, uses CPU, and sleeps again, all in one call: when its clock is looked at seldom, all of it is told.
  def test_cpu_of_one_call_that_first_sleeps
    dump, program = history(<<~'RUBY')
      def copy(input, output) = IO.copy_stream(input, output)
      cpu = -> { Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond) }
      input = IO.popen(["sh", "-c", "sleep 2; head -c 3000000000 /dev/zero; sleep 1"])
      copier = Thread.new do
        before = cpu.call
        File.open("/dev/null", "w") { |null| copy(input, null) }
        puts cpu.call - before
      end
      copier.join
    RUBY
    used = program.out.to_i
    found = dump.total(:cpu, state: "blocked", on_stack: "Object#copy")
    assert_operator found, :>=, 0.6 * used
    assert_operator found, :<=, 1.1 * used
  end
end
