# A stack that was known before is not the stack of now.
require_relative "../support"

class StaleTest < Minitest::Test
  include Support

  WORKERS = 6
  SOON_NS = 200_000_000
  # Busy with short waits, until the holder takes their lock for good.
  CODE = <<~RUBY
    $stdout.sync = true
    LOCK = Mutex.new
    def peek = File.exist?("/etc/hostname")
    def guarded = LOCK.synchronize { peek }
    def request
      30.times { peek }
      Thread.current[:asks] = true
      guarded
      Thread.current[:asks] = false
      Thread.current[:served] = Thread.current[:served].to_i + 1
    end
    workers = #{WORKERS}.times.map do |i|
      Thread.new { Thread.current.name = "worker \#{i}"; loop { request; sleep 0.002 } }
    end
    sleep 0.01 until workers.all? { |worker| worker[:served].to_i >= 50 }
    held = false
    Thread.new { LOCK.synchronize { held = true; sleep } }
    Thread.pass until workers.all? { |worker| worker[:asks] && worker.stop? } && held
    puts Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    $stdin.gets
    exit!(0)
  RUBY

  # [state, provisional, stack] of each worker in the first window that ended so long after they stood still.
  def stacks
    program = start(CODE)
    still = Integer(program.line)
    later = ->(window) { window["end_ns"] >= still + SOON_NS }
    dump = program.dump_until("a window after the workers stood still") { |one| one.windows.any?(&later) }
    rows = dump.windows.find(&later)["threads"].to_h { |row| [row["serial"], row] }
    program.finish
    Array.new(WORKERS) do |i|
      row = rows.fetch(dump.thread("worker #{i}").serial)
      [row["state"], row["provisional"], dump.stack(row["node"]).first(3)]
    end
  end

  def test_threads_that_came_to_stand_on_a_lock
    right = ["blocked", false, %w[Thread::Mutex#synchronize Object#guarded Object#request]]
    found = Array.new(3) { stacks }.flatten(1)
    assert_equal [right], found.uniq, "#{found.count(right)} of #{found.size} are right"
  end
end
