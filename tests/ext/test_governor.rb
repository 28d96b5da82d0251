# The governor in a real process: deep stacks in many threads cost more than the budget, calm does not.
require_relative "support"

class GovernorTest < Minitest::Test
  include Support

  HZ = 1000
  BUDGET = 0.01
  PROGRAM = <<~'RUBY'
    $stdout.sync = true
    def down(depth, &work) = depth.zero? ? work.call : down(depth - 1, &work)
    busy = true
    threads = Array.new(64) { Thread.new { down(500) { (i = 0; i += 1 while i < 2000; sleep 0.001) while busy } } }
    puts "deep"
    $stdin.gets
    busy = false
    threads.each(&:join)
    puts "calm"
    loop { sleep 0.01 }
  RUBY

  def rates(dump, windows) = dump.windows.last(windows).map { |window| window["counters"]["rate_hz"] }

  def test_it_steps_in_and_steps_back
    program = start(PROGRAM, env: { "RPERF_TOP_RECORD_HZ" => HZ.to_s })
    assert_equal "deep", program.line
    dump = program.dump_until("a lower rate") { |d| d.windows.size > 3 && rates(d, 3).max < HZ }
    governed = dump.windows.last["counters"]
    assert_equal HZ, governed["rate_wanted_hz"]
    assert_operator governed["rate_hz"], :>=, 50
    # What it did was right: before, a window had cost more than the budget.
    cost = dump.windows.map { |w| w["counters"]["cost_ns"].fdiv(w["end_ns"] - w["start_ns"]) }
    assert_operator cost.max, :>, BUDGET
    program.puts
    assert_equal "calm", program.line
    program.dump_until("the wanted rate again") { |d| rates(d, 3).min == HZ }
  end
end
