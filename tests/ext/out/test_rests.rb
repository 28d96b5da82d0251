# Threads that sleep on are told of from what is known of them: their time, their stack, their lock and their name as ever.
require_relative "../support"

class RestsTest < Minitest::Test
  include Support

  PROGRAM = <<~'RUBY'
    def named(name, &block) = Thread.new { Thread.current.name = name; block.call }
    lock, queue, stop = Mutex.new, Queue.new, false
    named("holder") { lock.synchronize { sleep } }
    Thread.pass until lock.locked?
    24.times { |i| named("sleeper #{i}") { sleep } }
    named("mutex") { lock.lock }
    named("item") { queue.pop }
    wakers = Array.new(12) { |i| named("waker #{i}") { random = Random.new(i); sleep(random.rand * 0.7) until stop } }
    killed = named("killed") { sleep }
    spin = named("spin") { sleep 0.001 until stop } # ticks, so that names and stacks are looked after
    20.times { window_over }
    killed.kill.join
    5.times { window_over }
    stop = true
    (wakers << spin).each(&:join)
    2.times { window_over }
  RUBY

  def test_time_stacks_and_locks_of_threads_that_sleep_on
    dump, = history(PROGRAM)
    dump.threads.each_value { |thread| assert_whole_life(dump, thread) }
    sleepers = dump.threads.values.select { |thread| thread.name.start_with?("sleeper") }
    assert_equal 24, sleepers.size
    known = sleepers.sum { |thread| whole_windows(dump, thread, dump.windows[-6..-2], "Kernel#sleep") }
    assert_operator known, :>, 0
    assert dump.thread("killed").ended
    assert_locks dump, dump.windows[-3]
  end

  # A window of a thread that sleeps on has one cell, which takes it all.
  def whole_windows(dump, thread, windows, leaf)
    windows.count do |window|
      row = window["threads"].find { |candidate| candidate["serial"] == thread.serial }
      cells = window["cells"].select { |cell| cell.thread == thread.serial && cell.wall.positive? }
      next if row["stale"]
      assert_equal "blocked", row["state"]
      assert_equal [["blocked", window["end_ns"] - window["start_ns"], leaf]],
                   cells.map { |cell| [cell.state, cell.wall, dump.leaf(cell.node)] }, thread.name
      assert_equal leaf, dump.leaf(row["node"])
      assert_includes 1..window["end_ns"] - thread.start, row["state_age_ns"]
    end
  end

  def assert_locks(dump, window)
    rows = window["threads"].to_h { |row| [row["serial"], row] }
    mutex, item = %w[mutex item].map { |name| rows[dump.thread(name).serial] }
    assert_equal 1, mutex["lock_kind"]
    assert_equal dump.thread("holder").serial, mutex["lock_holder"]
    assert_equal 3, item["lock_kind"]
    refute_equal 0, item["lock"]
  end

  def test_a_sleeping_thread_gets_another_name_and_ends
    program = start(<<~'RUBY')
      $stdout.sync = true
      asleep = Thread.new { Thread.current.name = "before"; sleep }
      Thread.new { sleep 0.001 while true }
      20.times { window_over }
      puts :slept
      gets
      asleep.name = "after"
      gets
      asleep.kill.join
      gets
    RUBY
    program.line
    serial = program.dump.thread("before").serial
    program.puts
    assert_equal serial, program.dump_until("the new name") { |dump| dump.thread("after") }.thread("after").serial
    program.puts
    ended = program.dump_until("the end") { |dump| dump.threads[serial]&.ended }
    assert_whole_life_until_end ended, ended.threads[serial]
    program.finish
  end

  def assert_whole_life_until_end(dump, thread)
    assert_near dump.lifetime(thread), dump.total(thread: thread.serial), absolute: NS_PER_MS
  end
end
