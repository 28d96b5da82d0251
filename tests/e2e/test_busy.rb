# What a user sees first: busy time. What has not ended is on top while it lasts, what is off the GVL is one row.
require_relative "support"

class TestBusy < Minitest::Test
  include E2E

  def rows_of(screen)
    lines = screen.lines.map(&:chomp)
    heading = lines.index { |line| line.include?("SELF%v") }
    heading ? lines.drop(heading + 1) : []
  end

  def seen_on_top(call)
    running("#{PROGRAMS}/long_calls.rb", call) do |pid|
      wait_until("a call of #{call} on top") do
        rows = rows_of(viewer("-p", pid.to_s, "--dump-screen", "80x50").out)
        large = rows.first.to_s[/\d+\.\d/].to_f >= 20
        rows if large && rows.first.match?(/^> *\d+\.\d .* \? \S.*, \d+\.\d s so far \(nightly\)/)
      end
    end
  end

  %w[digits].each do |call|
    define_method("test_a_long_call_is_on_top_while_it_lasts_#{call}") do
      rows = seen_on_top(call)
      assert_equal 1, rows.grep(/^ {2}\+ \(off the GVL: \d+\.\d threads in \d+ methods?\)$/).size, rows.join("\n")
      assert_empty rows.grep(/Queue#pop/)
    end
  end

  CROWD = <<~'RUBY'
    class Report
      def self.sum = 2_000.times { |i| i * i }
    end
    4.times { Thread.new { loop { sleep 0.001 } } }
    loop { Report.sum }
  RUBY

  # Four threads wait nearly all the time for one that computes: it stands first, they have the column of waits, and all
  # methods together have what the bar shows.
  def test_who_has_the_gvl_stands_above_those_who_wait_for_it
    running("-e", CROWD) do |pid|
      wait_until("threads that wait for the GVL") do
        object = viewer("-b", "-J", "-n", "1", "-m", "busy", "-F", "all", "-p", pid.to_s).objects.first
        rest = method_named(object, "Kernel#sleep")
        next unless rest && rest["waiting"] > 2 * object["frame"]

        held = object["gvl"]["running"] + object["gc"].values_at("marking", "sweeping").sum
        assert_in_delta held, object["methods"].sum { |method| method["self"] }, 0.02 * object["frame"]
        assert_operator rest["self"], :<, 0.1 * object["frame"]
      end
      rows = wait_until("rows") { rows_of(viewer("-p", pid.to_s, "--dump-screen", "80x24").out).then { _1 unless _1.empty? } }
      assert_match(/ (Integer#times|Report\.sum) /, rows.first)
      assert rows.any? { |row| row.match?(/^ +\d\.\d +\d\.\d +\d{3}\.\d .* : Kernel#sleep/) }, rows.join("\n")
    end
  end

  # The same in text, where figures are those of the window, too; JSON stays as it was, and says what it counts.
  def test_reports_say_what_counts
    running("#{PROGRAMS}/long_calls.rb", "digits") do |pid|
      text = wait_until("a report of threads that wait") do
        report = viewer("-b", "-n", "1", "-p", pid.to_s).out
        report if report.include?("(off the GVL")
      end
      assert_match(/  busy  \d\d:\d\d:\d\d  \[live\]$/, text.lines[1]) # below the verdict
      assert_match(/^\(off the GVL: \d+\.\d% in \d+ methods?; -m wall tells them\)$/, text)
      refute_match(/Queue#pop/, text)
      wall = viewer("-b", "-n", "1", "-m", "wall", "-p", pid.to_s).out
      assert_match(/  wall  \d\d:/, wall.lines[1])
      assert_match(/Queue#pop/, wall)
      %w[wall busy].each do |mode|
        options = mode == "wall" ? [] : ["-m", mode]
        object = viewer("-b", "-J", "-n", "1", *options, "-p", pid.to_s).objects.first
        assert_equal mode, object["mode"]
        pop = method_named(object, "Thread::Queue#pop") || method_named(object, "Queue#pop")
        assert_operator pop["self"], mode == "wall" ? :> : :<, 1
      end
    end
  end
end
