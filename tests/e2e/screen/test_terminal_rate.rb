# How much the screen sends over a slow line: the demo program in every view, at the usual rate of refreshes.
# Runs alone: the figures of the demo program jump about when it has to wait for a core.
require_relative "../terminal"

class TestTerminalRate < Minitest::Test
  # Bytes per second at 80x24. The aim is 1000 everywhere on a quiet machine (tests/bench/viewer measures that); what is
  # tested here holds on a busy one, where the program and its figures jump about.
  # All figures change together, with each refresh.
  LIMITS = { "methods" => 2000, "tree" => 1600, "threads" => 2000, "icicle" => 2000, "source" => 800,
             "skyline" => 1600, "time" => 2000, "groups" => 1400 }.freeze
  VIEWS = LIMITS.keys.freeze
  SECONDS, ATTEMPTS = 4, 6

  def demo
    E2E.running("#{E2E::PROGRAMS}/demo.rb") { |pid| yield pid.to_s }
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  # Of all views at once. What is sent comes in bursts, one a refresh: whole seconds are counted.
  def rates(terminals)
    before, from = terminals.transform_values(&:size), now
    E2E.wait_until("#{SECONDS} s of refreshes") { now - from >= SECONDS }
    seconds = now - from
    terminals.to_h { |view, terminal| [view, (terminal.size - before[view]) / seconds] }
  end

  def watch_all(pid)
    terminals = VIEWS.to_h do |view|
      [view, Terminal.new("-p", pid, "--view", view, env: { "NO_COLOR" => nil })]
    end
    terminals.each_value { |terminal| terminal.wait_for("F1Help") }
    yield terminals
  ensure
    terminals&.each_value(&:close)
  end

  # A span in which the program does more than usual is no fault: the calmest of some counts.
  def test_bytes_per_second_at_80x24
    least = Hash.new(Float::INFINITY)
    demo do |pid|
      watch_all(pid) do |terminals|
        terminals.each_value { |terminal| terminal.wait_for("now") }
        ATTEMPTS.times do
          rates(terminals).each { |view, rate| least[view] = [least[view], rate].min }
          break if LIMITS.all? { |view, limit| least[view] < limit }
        end
      end
    end
    puts VIEWS.map { |view| format("# %-8s %5.0f bytes/s", view, least[view]) } if ENV["VERBOSE"]
    least.each do |view, rate|
      assert_operator rate, :>, 0, "#{view}: nothing was sent"
      assert_operator rate, :<, LIMITS[view], "#{view}: bytes per second"
    end
  end

  MOVED = /\e\[\d+;\d+H\e\[\d+P\e\[\d+;\d+H\e\[\d+@/n

  # The graphs of the history move by "delete character" where the terminal has it, and are written anew elsewhere.
  def test_graphs_are_moved_by_the_terminal
    demo do |pid|
      able, unable = %w[xterm-256color vt100].map do |term|
        Terminal.new("-p", pid, "--view", "time", "-d", "0.1", env: { "TERM" => term })
      end
      [able, unable].each { |terminal| terminal.wait_for("now") }
      E2E.wait_until("graphs that move") { able.bytes.scan(MOVED).size > 5 }
      refute_match MOVED, unable.bytes
    ensure
      [able, unable].each { |terminal| terminal&.close }
    end
  end
end
