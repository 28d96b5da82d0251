# Threads come and go: names, native ids, ends, many of them.
require_relative "support"

class ThreadsTest < Minitest::Test
  include Support

  def test_name_and_native_id
    program = start(<<~'RUBY')
      $stdout.sync = true
      t = Thread.new { Thread.current.name = "first name"; loop { sleep 0.001 } }
      sleep 0.001 until t.native_thread_id
      puts t.native_thread_id, Process.pid
      gets
      t.name = "second nämé"
      gets
    RUBY
    native, pid = program.line.to_i, program.line.to_i
    first = program.dump_until("the first name", "--until-windows", "1") { |d| d.thread("first name") }
    assert_equal native, first.thread("first name").native_id
    assert_equal [pid, "main"], [first.main.native_id, first.main.name]
    refute first.thread("first name").ended
    program.puts
    second = program.dump_until("the second name", "--until-windows", "1") { |d| d.thread("second nämé") }
    assert_equal first.thread("first name").serial, second.thread("second nämé").serial
    assert_nil second.thread("first name")
    program.finish
  end

  def test_hostile_names
    program = start(<<~'RUBY')
      $stdout.sync = true
      ["n" * 10_000, "bad\xFFname", "\e[2J\n", ""].map { |name| Thread.new { Thread.current.name = name; loop { sleep 0.001 } } }
      puts :ready
      gets
    RUBY
    program.line
    dump = program.dump_until("all names", "--until-windows", "1") { |d| d.thread("n" * 80) }
    names = dump.threads.values.map(&:name)
    assert_includes names, "\e[2J\n"
    assert_includes names, { "hex" => "bad\xFFname".b.unpack1("H*") }
    program.finish
  end

  def test_ends_are_told_once
    dump, = history(<<~'RUBY')
      window_over
      t = Thread.new { Thread.current.name = "short"; sleep 0.25 }
      killed = Thread.new { Thread.current.name = "killed"; sleep }
      raising = Thread.new { Thread.current.name = "raising"; Thread.current.report_on_exception = false; sleep 0.15; raise "end" }
      t.join
      killed.kill.join
      raising.join rescue nil
      window_over
    RUBY
    %w[short killed raising].each do |name|
      thread = dump.thread(name)
      assert thread.ended, name
      rows = dump.rows(thread.serial)
      assert_equal [true], rows.map { |_, row| row["ended"] }.select(&:itself), name
      assert rows.last[1]["ended"], name
      assert rows.first[1]["started"], name
      assert_equal 1, rows.count { |_, row| row["started"] }, name
      window = rows.last[0]
      assert_includes window["start_ns"]..window["end_ns"], thread.end
      assert_near thread.end - thread.start, dump.total(thread: thread.serial), absolute: 15_000_000
    end
    refute dump.main.ended
  end

  def test_as_many_as_there_are
    program = start(<<~'RUBY')
      $stdout.sync = true
      puts :one
      gets
      queue = Queue.new
      threads = 37.times.map { Thread.new { queue.pop } }
      puts :all
      gets
      queue.close
      threads.each(&:join)
      puts :one
      gets
    RUBY
    counts = ->(dump) { dump.windows.map { |window| window["threads"].size } }
    [["one", 1], ["all", 38], ["one", 1]].each do |line, count|
      assert_equal line, program.line
      dump = program.dump_until("windows of #{count}") { |read| counts.(read).last(3) == [count] * 3 }
      assert_operator counts.(dump).max, :<=, 38
      program.puts
    end
    program.finish
  end

  def test_five_thousand_short_threads
    dump, program = history(<<~'RUBY')
      count = 0
      50.times { 100.times.map { Thread.new { count += 1; 100.times { |i| i.to_s } } }.each(&:join) }
      puts count
    RUBY
    assert_equal "5000\n", program.out
    assert_equal 5001, dump.counters["thread_serial"]
    assert_equal 0, dump.counters["threads_overflowed"]
    serials = dump.windows.flat_map { |window| window["threads"].map { |row| row["serial"] } }.uniq
    assert_equal (1..5001).to_a, serials.sort
    # Lives much shorter than a period still add up.
    ended = dump.windows.flat_map { |window| window["threads"].select { |row| row["ended"] } }
    assert_equal 5000, ended.size
    others = dump.total - dump.total(thread: dump.main.serial)
    assert_operator others, :>, 0
    assert_whole_life dump, dump.main, absolute: 50_000_000
  end

  # More at once than the window's cells hold: they are folded, none is lost, none gets another's time.
  def test_many_threads_at_once
    program = start("$stdout.sync = true\nthreads = 1500.times.map { Thread.new { sleep } }\n" \
                    "Thread.pass until threads.all?(&:stop?)\nputs :asleep\ngets\nexit!(0)")
    program.line
    # In the third window without a start everybody has slept from its beginning, however late the ones before were cut.
    # A thread that the kernel keeps from a core while it notes that it sleeps is told of later, as is one whose stack the
    # budget leaves for later: so all windows from there on are taken together, and more are read until nothing is missing.
    quiet = ->(window) { window["threads"].size == 1501 && window["threads"].none? { |row| row["started"] } }
    off = nil
    program.dump_until("the time of each thread", "--until-windows", "4") do |read|
      windows = read.windows.select(&quiet)[2..] || []
      windows.any? && (off = not_whole(read, windows)).empty?
    end
    assert_empty off
    assert_no_thread_is_lost program.dump
    program.finish
  rescue RuntimeError => error
    flunk "#{error.message.lines.first}: [serial, ns, of] #{off.inspect[0, 300]}"
  end

  # A thread without a slot of its own would be one of "(other threads)", in slot 0.
  def assert_no_thread_is_lost(dump)
    assert_equal 0, dump.counters["threads_overflowed"]
    assert_equal 1501, dump.threads.values.map(&:serial).uniq.size
  end

  # The threads but main of which the windows do not tell just as much as they are long.
  def not_whole(dump, windows)
    from, to = windows.first["start_ns"], windows.last["end_ns"]
    told = Hash.new(0)
    windows.each { |window| window["cells"].each { |cell| told[cell.thread] += cell.wall } }
    dump.late.each { |record| told[record.thread] += dump.overlap(record, from, to) }
    windows.last["threads"].each { |row| told[row["serial"]] += row["provisional_ns"] }
    sleeping = windows.last["threads"].map { |row| row["serial"] } - [dump.main.serial]
    sleeping.map { |serial| [serial, told[serial], to - from] }.reject { |_, ns, of| (ns - of).abs <= NS_PER_MS }
  end

  def test_work_is_bounded_by_what_it_costs_not_by_events
    storms = {
      "ping-pong" => "a, b = IO.pipe; c, d = IO.pipe\nt = Thread.new { loop { a.readbyte; d.write('x') } }\n" \
                     "work = -> { b.write('x'); c.readbyte }",
      "queue" => "q = Queue.new; r = Queue.new\nt = Thread.new { loop { q.pop; r << 1 } }\nwork = -> { q << 1; r.pop }",
      "mutex" => "m = Mutex.new\nt = Thread.new { loop { m.synchronize { Thread.pass } } }\nwork = -> { m.synchronize { Thread.pass } }",
    }
    storms.each do |name, code|
      dump, program = history("now = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }\nstart = now.call\n#{code}\n" \
                              "count = 0\n(work.call; count += 1) while now.call - start < 1.5\nputs count")
      seconds = (dump.end_ns - dump.start_ns) / 1e9
      releases = dump.counter("gvl_releases")
      assert_operator releases, :>, program.out.to_i, "#{name}: no storm"
      # The share of stacks off the lock, of which ten seconds may be saved up and some are given at the start; as much again for the rest.
      assert_operator dump.counter("cost_ns"), :<=, (14 + 2 * seconds) * 0.003 * 1e9, name
    end
  end
end
