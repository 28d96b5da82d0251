# Work with planted faults, and the program's own log of it, which is the truth: how long each piece took, when it had the
# GVL or the lock, and when it asked for one and got it. Requests (faulty.rb) and jobs (jobs.rb) are such pieces.
#
# A piece with labels lies between two pairs of clock readings: it is not shorter than what is within, and not longer than
# what is around it. The time is taken in the program, around its middlewares: a client's clock would add the queue
# before them, of which no method and no label knows.
require "json"

module Faults
  NAMES = %w[health orders stock checkout report import].freeze
  # As they are asked for, in turn: some 200 a second leave most of a core.
  MIX = %w[health orders health stock health orders checkout health orders health
           report health stock orders health checkout health orders stock import].freeze
  # Kinds of log lines: pieces are [name, ns within, ns around], the others [name, from, to] in ns.
  LOG = { "pieces" => [], "asked_gvl" => [], "had_gvl" => [], "asked_lock" => [], "had_lock" => [] }.freeze
  LOCK = Mutex.new
  ZEROS = File.open("/dev/zero")

  module_function

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)

  # Without labels: all of a piece. `within` is called by what is inside the labels.
  def around(name)
    from = now
    yield
  ensure
    LOG["pieces"] << [name, Thread.current[:within], now - from]
  end

  def within(name)
    from = now
    Faults.public_send(name)
  ensure
    Thread.current[:within] = now - from
  end

  def told = JSON.generate("pid" => Process.pid, "now" => now, "log" => LOG)

  # ---- the work -------------------------------------------------------------------------------------

  def spin(ns) = (to = now + ns; nil while now < to)

  # Lets go of the GVL for as long as the kernel takes to make a zero: the rest is waiting for the GVL.
  def health
    4.times do
      asked = now
      ZEROS.sysread(1)
      LOG["asked_gvl"] << ["health", asked, now]
    end
  end

  def orders
    spin 400_000
    sleep 0.003
  end

  def stock
    asked = now
    LOCK.synchronize { LOG["asked_lock"] << ["stock", asked, now] }
  end

  # The first fault: sleeps with a lock that others want.
  def checkout
    asked = now
    LOCK.synchronize do
      from = now
      LOG["asked_lock"] << ["checkout", asked, from]
      sleep 0.008
      LOG["had_lock"] << ["checkout", from, now]
    end
  end

  # The second one: computes for so long that all others wait.
  def report
    from = now
    spin 15_000_000
    LOG["had_gvl"] << ["report", from, now]
  end

  # The third one: so many objects that they are collected in requests.
  def import = Array.new(20_000) { |number| { number: number } }.size
end
