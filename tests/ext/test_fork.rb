# Forked children have channels of their own; parents notice nothing.
require_relative "support"

class ForkTest < Minitest::Test
  include Support

  KEEP = { "RPERF_TOP_KEEP" => "1" }.freeze
  SPIN = "def spin(s) = (t = Process.clock_gettime(Process::CLOCK_MONOTONIC); " \
         "nil while Process.clock_gettime(Process::CLOCK_MONOTONIC) - t < s)\n"

  def labels_of(pid) = Dump.read(channels(pid).last).labels

  def test_child_has_its_own_channel
    program = run_program(SPIN + <<~'RUBY', env: KEEP)
      def in_parent = spin(0.3)
      def in_child
        told = [Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)]
        spin(0.01) until Dir["#{ENV["RPERF_TOP_DIR"]}/rperf-top.*.#{Process.pid}.????????????????"].any?
        spin(0.3)
        File.write("#{ENV["RPERF_TOP_DIR"]}/told", told.push(Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)).join(" "))
      end
      in_parent
      pid = fork { in_child }
      in_parent
      Process.wait(pid)
      abort unless $?.success?
      puts pid
    RUBY
    child = program.out.to_i
    assert_equal [1, 1], [channels(program.pid).size, channels(child).size]
    parent_dump, child_dump = Dump.read(channels(program.pid)[0]), Dump.read(channels(child)[0])
    assert_equal [program.pid, child], [parent_dump, child_dump].map { |dump| dump["geometry"]["pid"] }
    assert_equal %w[ended ended], [parent_dump.state, child_dump.state]
    assert_includes parent_dump.labels, "Object#in_parent"
    assert_equal 0, parent_dump.total(on_stack: "Object#in_child")
    from, to = File.read("#{@folder}/told").split.map(&:to_i)
    assert_near to - [from, child_dump.start_ns].max, child_dump.total(on_stack: "Object#in_child") + child_dump.unsampled, absolute: 30_000_000
    assert_equal 0, child_dump.total(on_stack: "Object#in_parent")
    assert_equal [child, true], [child_dump.main.native_id, child_dump.threads.size == 1]
    child_dump.told_ns = to
    assert_whole_life child_dump, child_dump.main, absolute: 30_000_000
    # No gap in the parent.
    parent_dump.windows.each_cons(2) { |a, b| assert_equal a["end_ns"], b["start_ns"] }
  end

  def test_nested_and_threads_after
    program = run_program(SPIN + <<~'RUBY', env: KEEP)
      $stdout.sync = true
      Process.wait(fork do
        Thread.new { spin(0.05) }.join
        Process.wait(fork { Thread.new { Thread.current.name = "grandchild's"; spin(0.4) }.join; puts Process.pid })
        puts Process.pid
      end)
    RUBY
    grandchild, child = program.out.split.map(&:to_i)
    assert_equal [1, 1, 1], [program.pid, child, grandchild].map { |pid| channels(pid).size }
    dump = Dump.read(channels(grandchild)[0])
    assert_operator dump.total(thread: dump.thread("grandchild's").serial, on_stack: "Object#spin"), :>, 200_000_000
  end

  def test_fork_under_load_from_several_threads
    program = run_program(<<~'RUBY')
      stop = false
      reader, writer = IO.pipe
      load = [
        Thread.new { i = 0; i += 1 until stop },
        Thread.new { Array.new(100) { |i| i.to_s } until stop },
        Thread.new { (writer.write("x"); reader.readbyte) until stop },
        Thread.new { Thread.new { 1 }.join until stop },
      ]
      results = 4.times.map do |i|
        Thread.new do
          8.times.map do |j|
            pid = fork { x = 0; 50_000.times { x += 1 }; Thread.new { sleep 0.001 }.join; exit!((i * 8 + j) % 200) }
            Process.wait2(pid)[1].exitstatus
          end
        end
      end.flat_map(&:value)
      stop = true
      load.each(&:join)
      p results
    RUBY
    assert_equal (0...32).to_a.inspect, program.out.strip
    assert_empty program.err
  end

  def test_parked_parent
    code = SPIN + "puts fork { spin(0.2); Thread.new { spin(0.1) }.join; puts Process.pid; $stdout.flush }.then { |pid| Process.wait(pid); $?.success? }"
    program = run_program(code, env: KEEP.merge("RPERF_TOP_RECORD_HZ" => "0"))
    child, success = program.out.split
    assert_equal "true", success
    assert_empty program.err
    assert_equal 1, channels(child).size
  end

  def test_popen_with_a_block_and_daemon
    program = run_program(SPIN + <<~'RUBY', env: KEEP)
      io = IO.popen("-")
      (spin(0.3); puts Process.pid; exit) unless io
      puts io.read
      io.close
      reader, writer = IO.pipe
      pid = fork { Process.daemon(true, true); spin(0.3); writer.puts Process.pid; writer.flush }
      Process.wait(pid)
      puts reader.gets
    RUBY
    popened, daemon = program.out.split.map(&:to_i)
    assert_includes labels_of(popened), "Object#spin"
    wait_for("the daemon's end") { !channels(daemon).empty? && Dump.read(channels(daemon)[0]).state == "ended" }
    assert_operator Dump.read(channels(daemon)[0]).total(on_stack: "Object#spin"), :>, 100_000_000
  end

  def test_commands_leave_no_channel
    program = run_program(<<~'RUBY', env: KEEP)
      10.times do
        system("true") or abort
        `echo`
        Process.wait(spawn("true"))
        IO.popen(["true"]).close
      end
      channels = -> { Dir["#{ENV["RPERF_TOP_DIR"]}/rperf-top.*"].grep_v(/ctl\z/).size }
      sleep 0.001 while channels.() == 0 # its own may come late
      puts channels.()
    RUBY
    assert_equal "1", program.out.strip
  end

  def test_child_that_stops_at_once_and_starts_again
    program = run_program(SPIN + <<~'RUBY', env: KEEP)
      busy = Thread.new { loop { sleep 0.0001 } }
      results = 10.times.map do
        pid = fork { RperfTop.stop; exit!(1) if RperfTop.running?; RperfTop.start; exit!(2) unless RperfTop.running?; spin(0.01); RperfTop.stop; exit!(0) }
        Process.wait2(pid)[1].exitstatus
      end
      p results.uniq
    RUBY
    assert_equal "[0]", program.out.strip
  end

  def test_files_of_children_go_with_them
    run_program("10.times.map { fork { window_over; Thread.new { 1 }.join } }.each { |pid| Process.wait(pid); abort unless $?.success? }")
    assert_empty channels
    assert_empty Dir["#{@folder}/*.ctl"]
  end
end
