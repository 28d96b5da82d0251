# What threads wait for, and who has it: kinds, numbers, holders, what is none.
require_relative "support"

class LocksTest < Minitest::Test
  include Support

  KINDS = { 1 => :mutex, 2 => :monitor, 3 => :item, 4 => :room, 5 => :condition, 6 => :load, 7 => :end }.freeze

  # One thread goes on: so names are made, and Ruby does not end what it takes for a deadlock.
  BEGINNING = <<~'RUBY'
    require "monitor"
    $stdout.sync = true
    def named(name, &block) = Thread.new { Thread.current.name = name; block.call }
    named("ticker") { loop { sleep 0.002 } }
    m, n = Mutex.new, Mutex.new
    def holds(name, lock) = (queue = Queue.new; named(name) { lock.lock; queue << 1; sleep }; queue.pop)
  RUBY

  Wait = Struct.new(:kind, :number, :holder)

  # What the threads of the last window wait for, by name.
  def waits_of(dump)
    rows = dump.windows.last["threads"].to_h { |row| [row["serial"], row] }
    dump.threads.values.filter_map do |thread|
      row = rows[thread.serial]
      next if row.nil? || row["ended"] || row["state"] != "blocked"
      [thread.name, Wait.new(KINDS[row["lock_kind"]], row["lock"], dump.threads[row["lock_holder"]]&.name)]
    end.to_h
  end

  # The program, and what it waits for once that is as the block wants it.
  def waits(code, what, program: nil, env: {})
    program ||= start(BEGINNING + code + "\ngets\n", env: env, gems: true) # RubyGems loads Monitor before the extension comes
    dump = program.dump_until("#{what}; #{program.err}") { |one| one.windows.any? && yield(waits_of(one)) }
    [program, waits_of(dump), dump]
  end

  def kinds(waits) = waits.transform_values(&:kind)

  def test_kinds
    right = { "mutex" => :mutex, "monitor" => :monitor, "item" => :item, "item of a sized one" => :item, "room" => :room,
              "condition" => :condition, "owner" => nil, "within" => nil, "io" => nil, "sleep" => nil, "join" => :end,
              "pool" => nil, "main" => nil }
    program, found, dump = waits(<<~'RUBY', "all kinds") { |seen| (right.keys - seen.keys).empty? && kinds(seen).compact.size == 7 }
      monitor, queue, full = Monitor.new, Queue.new, SizedQueue.new(1)
      class Pool < Monitor
        def rest = sleep
      end
      holds("owner", m)
      named("mutex") { m.lock }
      ready = Queue.new
      named("within") { monitor.synchronize { ready << 1; sleep } }
      ready.pop
      named("monitor") { monitor.enter }
      named("item") { queue.pop }
      named("item of a sized one") { SizedQueue.new(3).shift }
      full << 1
      named("room") { full << 2 }
      named("condition") { o = Mutex.new; o.synchronize { ConditionVariable.new.wait(o) } }
      pipe = IO.pipe
      named("io") { pipe[0].read }
      sleeper = named("sleep") { sleep }
      named("join") { sleeper.join }
      named("pool") { Pool.new.rest }
    RUBY
    assert_equal right, kinds(found).slice(*right.keys)
    assert_equal({ "mutex" => "owner", "monitor" => "within", "join" => "sleep" }, found.transform_values(&:holder).compact)
    assert_equal 0, found["join"].number
    numbers = found.values.select(&:kind).map(&:number) - [0]
    assert_equal numbers.uniq, numbers
    assert_operator numbers.min, :>, 0
    assert_operator dump.counter("lock_waits"), :>=, 2
    program.finish
  end

  # Only what nothing limits: a wait with a limit is no wait for a thread, whoever calls it.
  def test_the_end_of_a_thread
    right = { "plain" => :end, "nil" => :end, "value" => :end, "subclass" => :end, "sent" => :end, "splat of nothing" => :end,
              "limit" => nil, "long" => nil, "sent with a limit" => nil, "called from C" => nil, "behind itself" => nil, "behind nil" => nil }
    program, found = waits(<<~'RUBY', "all of them") { |seen| (right.keys - seen.keys).empty? && kinds(seen).compact.size == 6 }
      # Compiled by a JIT, if there is one, when they are called at last.
      def behind_itself(thread, limit) = [thread, thread.join(limit)]
      def behind_nil(thread, limit) = [thread, nil, thread.join(limit)]
      a = named("a") { sleep }
      200.times { behind_itself(a, 0) && behind_nil(a, 0) }
      b = Class.new(Thread).new { Thread.current.name = "b"; sleep }
      named("plain") { a.join }
      named("nil") { a.join(nil) }
      named("value") { a.value }
      named("subclass") { b.join }
      named("sent") { a.send(:join) }
      named("splat of nothing") { a.join(*[].dup) }
      named("limit") { a.join(1e6) }
      named("long") { a.join(100_000) }
      named("sent with a limit") { a.send(:join, 1e6) }
      named("called from C") { a.public_send(:join, 1e6) }
      named("behind itself") { behind_itself(a, 1e6) }
      named("behind nil") { behind_nil(a, 1e6) }
    RUBY
    assert_equal right, kinds(found).slice(*right.keys)
    assert_equal({ "plain" => "a", "nil" => "a", "value" => "a", "subclass" => "b", "sent" => "a", "splat of nothing" => "a" }, found.transform_values(&:holder).compact)
    program.finish
  end

  # A thread whose initialize() has not come to Thread's has no storage yet, and is known to nobody.
  def test_a_join_of_a_thread_that_has_not_begun
    program, = waits(<<~'RUBY', "one that began after it was waited for") { |seen| seen.key?("begun") }
      class Late < Thread
        def initialize
          mine = self
          $early = named("early") { mine.join }
          sleep 0.01 until [nil, false, "sleep"].include?($early.status)
          sleep 0.3
          super { Thread.current.name = "begun"; sleep }
        end
      end
      Late.new
    RUBY
    program.finish
  end

  # An IO has a Mutex, too, for those who write to it: no file is loaded.
  def test_two_that_write_to_one_pipe
    program, found = waits(<<~'RUBY', "one behind the other") { |seen| seen.values.any?(&:holder) }
      _, pipe = IO.pipe
      2.times { |i| named("writer #{i}") { pipe.write("x" * 1_000_000) } }
    RUBY
    behind, = found.find { |_, wait| wait.holder }
    assert_equal [:mutex, "writer #{behind == "writer 0" ? 1 : 0}"], found[behind].to_a.values_at(0, 2)
    program.kill
  end

  # The VM's own locks: of a file that another thread loads, by `require` or by a constant.
  LOADS = <<~'RUBY'
    require "tmpdir"
    folder = Dir.mktmpdir
    at_exit { %w[slow one other late].each { |name| File.unlink("#{folder}/#{name}.rb") }; Dir.rmdir(folder) }
    $LOAD_PATH << folder
    $gates = Hash.new { |all, name| all[name] = Queue.new }
    $inside = Queue.new
    File.write("#{folder}/slow.rb", '$inside << 1; $gates[:slow].pop')
    File.write("#{folder}/late.rb", '$inside << 1; $gates[:late].pop; Late = 1')
    File.write("#{folder}/one.rb", '$inside << 1; $gates[:one].pop; require "other"')
    File.write("#{folder}/other.rb", '$inside << 1; $gates[:other].pop; require "one"')
    autoload :Late, "#{folder}/late.rb"
    named("loader") { require "slow" }
    named("constant") { Late }
    named("a") { require "one" }
    named("b") { require "other" }
    4.times { $inside.pop }
    $gates[:one] << 1
    $gates[:other] << 1
    named("waiter") { require "slow" }
    named("user") { Late }
  RUBY

  def test_files_that_are_loaded
    right = { "waiter" => "loader", "user" => "constant", "a" => "b", "b" => "a" }
    program, found, dump = waits(LOADS, "four that wait for files") do |seen|
      right.keys.all? { |name| seen[name]&.kind == :load && seen[name].holder }
    end
    assert_equal right, found.slice(*right.keys).transform_values(&:holder)
    assert_equal 4, found.values_at(*right.keys).map(&:number).uniq.size
    assert_equal [:item, :item], found.values_at("loader", "constant").map(&:kind)
    assert_operator dump.counter("lock_waits"), :>=, 4
    program.finish
  end

  # One that was woken up, and whose Mutex another one has, waits for that, no longer for the condition.
  def test_woken_up_without_its_mutex
    code = <<~'RUBY'
      condition = ConditionVariable.new
      woken = named("woken") { m.synchronize { condition.wait(m) } }
      Thread.pass until woken.stop?
      gets
      named("owner") { m.synchronize { condition.signal; sleep } }
    RUBY
    program, before = waits(code, "the condition") { |seen| seen["woken"]&.kind == :condition }
    program.puts
    _, after = waits("", "the Mutex", program: program) { |seen| seen["woken"]&.kind == :mutex }
    assert_equal [before["woken"].number, "owner"], after["woken"].to_a.last(2)
    program.finish
  end

  # Two wait for one, one for another; each has a number, which stays, whatever the collector does.
  def test_numbers
    program, first, = waits(<<~'RUBY', "three that wait") { |seen| kinds(seen).values.count(:mutex) == 3 }
      holds("owner", m)
      holds("another", n)
      named("a") { m.synchronize {} }
      named("b") { m.synchronize {} }
      named("c") { n.synchronize {} }
      gets
      GC.start
      GC.compact
      puts :done
    RUBY
    assert_equal first["a"].number, first["b"].number
    refute_equal first["a"].number, first["c"].number
    assert_equal %w[owner owner another], first.values_at("a", "b", "c").map(&:holder)
    program.puts
    assert_equal "done", program.line
    last = program.dump.windows.last["sequence"]
    _, later, = waits(nil, "a later window", program: program) { |seen| program.dump.windows.last["sequence"] > last + 2 && seen.key?("c") }
    assert_equal first.slice("a", "b", "c"), later.slice("a", "b", "c")
    program.finish
  end

  # Nothing runs, so no job comes: the hooks alone know. Main waits for input, so that Ruby sees no deadlock in it.
  def test_two_locks_that_wait_for_each_other
    program = start(<<~'RUBY')
      a, b, ready = Mutex.new, Mutex.new, Queue.new
      [[a, b], [b, a]].each { |first, second| Thread.new { first.lock; ready << 1; Thread.pass until [a, b].all?(&:locked?); second.lock } }
      gets
    RUBY
    rows = nil
    program.dump_until("a deadlock") do |dump|
      rows = dump.windows.last&.fetch("threads")
      rows && rows.map { |row| row["lock_kind"] } == [0, 1, 1] && rows[1]["lock_holder"] > 0 && rows[2]["lock_holder"] > 0
    end
    assert_equal [rows[2]["serial"], rows[1]["serial"]], [rows[1]["lock_holder"], rows[2]["lock_holder"]]
    refute_equal rows[1]["lock"], rows[2]["lock"]
    program.finish
  end

  # The next one gets it and sleeps in it: who still waits does so for that one, though nothing of its own has changed.
  def test_a_lock_that_is_passed_on
    program, found, = waits(<<~'RUBY', "both that wait") { |seen| seen.values_at("second", "third").all? { |one| one&.holder == "first" } }
      go = Queue.new
      named("first") { m.lock; go.pop; m.unlock; sleep }
      sleep 0.001 until m.locked?
      second = named("second") { m.lock; sleep }
      sleep 0.001 until second.stop?
      named("third") { m.lock; sleep }
      gets
      go << 1
    RUBY
    assert_equal found["second"].number, found["third"].number
    program.puts
    _, later, = waits(nil, "the next owner", program: program) { |seen| seen["third"]&.holder == "second" }
    assert_nil later["second"].kind
    assert_equal found["third"].number, later["third"].number
    program.finish
  end

  # Several within one another, one of a fiber that does not run now (and is not collected), one of main; a thread that ends has none.
  def test_all_that_a_thread_has
    program, found, = waits(<<~'RUBY', "all that wait") { |seen| kinds(seen).values.count(:mutex) == 5 && seen.values.none? { |one| one.kind && one.holder.nil? } }
      locks = Array.new(4) { Mutex.new }
      deep = Queue.new
      named("deep") { locks[0].synchronize { locks[1].synchronize { locks[2].lock; $fiber = Fiber.new { locks[3].lock; Fiber.yield }; $fiber.resume; deep << 1; sleep } } }
      deep.pop
      locks.each_with_index { |lock, i| named("w#{i}") { lock.lock } }
      Thread.new { n.lock }.join
      m.lock
      named("w4") { n.lock; m.lock }
    RUBY
    assert_equal %w[deep] * 4 + %w[main], (0..4).map { |i| found["w#{i}"].holder }
    program.finish
  end

  # Of sixteen, the one that was locked first is known, too.
  def test_a_thread_that_has_many
    program, found, = waits(<<~'RUBY', "both that wait") { |seen| seen.values_at("first", "last").all? { |one| one&.holder } }
      locks = Array.new(16) { Mutex.new }
      named("keeper") { locks.each(&:lock); sleep }
      sleep 0.001 until locks.last.locked?
      named("first") { locks.first.lock }
      named("last") { locks.last.lock }
    RUBY
    assert_equal %w[keeper keeper], found.values_at("first", "last").map(&:holder)
    program.finish
  end

  # A short lock without anybody else costs nothing and is none; short ones that many want are counted.
  def test_contention_is_counted
    dump, = history(<<~'RUBY')
      m = Mutex.new
      20_000.times { m.synchronize {} }
      window_over
    RUBY
    assert_equal 0, dump.counter("lock_waits")
    refute dump.windows.any? { |window| window["counters"].key?("locks_unknown") }
    dump, = history(<<~'RUBY')
      m = Mutex.new
      4.times.map { Thread.new { 50.times { m.synchronize { sleep 0.0005 } } } }.each(&:join)
      window_over
    RUBY
    assert_operator dump.counter("lock_waits"), :>=, 100
  end

  # Waits that are interrupted, threads that are killed in them, a lock that is collected: the program goes on.
  def test_waits_that_end_otherwise
    assert_undisturbed(<<~'RUBY')
      require "monitor"
      require "timeout"
      m = Mutex.new.tap(&:lock)
      threads = 30.times.map do |i|
        Thread.new do
          lock = i.odd? ? m : Monitor.new
          Timeout.timeout(0.01) { i % 3 == 0 ? Queue.new.pop : m.lock } rescue puts "late"
        end
      end
      threads.each(&:join)
      killed = Thread.new { m.synchronize { } }
      Thread.pass until killed.stop?
      killed.kill.join
      200.times { q = Queue.new; t = Thread.new { q.pop }; q << 1; t.join; GC.start if rand(50) == 0 }
      m.unlock
      puts m.locked?
    RUBY
  end

  # A child has threads, and locks, of its own.
  def test_after_fork
    program = start(<<~'RUBY')
      m = Mutex.new
      Thread.new { m.lock; sleep }
      sleep 0.001 until m.locked?
      pid = fork do
        n = Mutex.new.tap(&:lock)
        Thread.new { n.lock }
        puts Process.pid
        $stdout.flush
        gets
      end
      Process.wait(pid)
    RUBY
    child = program.line.to_i
    path = program.channel(child)
    dump = wait_for("a lock in the child") { (one = Dump.read(path)) && one.windows.any? && one.windows.last["threads"].any? { |row| row["lock_holder"] > 0 } && one }
    row = dump.windows.last["threads"].find { |one| one["lock_kind"] == 1 }
    assert_equal dump.main.serial, row["lock_holder"]
    program.finish
  end
end
