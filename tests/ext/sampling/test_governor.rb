# The governor: deep stacks of many threads make it step in, quiet makes it step back, and nothing is lost
# meanwhile. States and counters only; how it decides is tested in test_governor.c.
require_relative "../support"

class GovernorTest < Minitest::Test
  include Support

  FLOOR_HZ = 50

  PROGRAM = <<~'RUBY'
    $stdout.sync = true
    $on = true
    # They take turns by themselves: 64 time slices of the VM take seconds.
    def deep(n, &block) = n.zero? ? block.call : deep(n - 1, &block)
    threads = 64.times.map { |i| Thread.new { Thread.current.name = "deep #{i}"; deep(500) { (50.times { |k| k.to_s }; Thread.pass) while $on } } }
    sleep 0.001 until threads.all? { |thread| thread.status == "run" }
    puts "deep"
    gets
    $on = false
    threads.each(&:join)
    puts "quiet"
    gets
    exit!(0)
  RUBY

  # Room for all windows, however long the program takes on a busy machine.
  def start_deep(hz)
    program = start(PROGRAM, env: { "RPERF_TOP_RECORD_HZ" => hz.to_s, "RPERF_TOP_BUDGET" => "0.02", "RPERF_TOP_SIZE" => "64" })
    assert_equal "deep", program.line
    program
  end

  def rates(dump) = dump.windows.map { |window| window["counters"].values_at("rate_hz", "rate_wanted_hz") }

  def test_it_steps_in_and_steps_back
    program = start_deep(1000)
    # A program that seldom gets a core costs less: it need not go down to the floor.
    governed = program.dump_until("the governor at its floor, or at work for long") do |dump|
      rates(dump).last == [FLOOR_HZ, 1000] || rates(dump).count { |rate, wanted| rate < wanted } >= 50
    end
    assert_equal [[1000, 1000]], rates(governed).first(1)
    rates(governed).each { |rate, wanted| assert_operator FLOOR_HZ..1000, :cover?, rate; assert_equal 1000, wanted }
    # It goes down by halves, one window at a time.
    rates(governed).map(&:first).each_cons(2) { |a, b| assert_includes [a, a / 2, FLOOR_HZ, a * 2], b, rates(governed).inspect }

    program.puts
    assert_equal "quiet", program.line
    back = program.dump_until("the rate that is wanted") { |dump| rates(dump).last == [1000, 1000] }
    assert_operator back.windows.size, :>, governed.windows.size
    program.finish
  end

  # While it governs, every nanosecond of every thread still has an owner, and stacks are whole.
  def test_the_laws_hold_meanwhile
    program = start_deep(500)
    program.dump_until("ten governed windows") { |dump| rates(dump).count { |rate, wanted| rate < wanted } >= 10 }
    program.puts
    assert_equal "quiet", program.line
    seen = program.dump.windows.last["sequence"]
    dump = program.dump_until("the end of the threads") { |candidate| candidate.windows.last["sequence"] > seen + 1 }
    assert_equal 1, dump.windows.first["sequence"], "all windows are there"
    deep = dump.threads.values.select { |thread| thread.name.start_with?("deep") }
    assert_equal 64, deep.size
    assert deep.all?(&:ended)
    deep.each do |thread|
      assert_near dump.lifetime(thread), dump.total(thread: thread.serial), absolute: 40_000_000, message: thread.name
    end
    depths = dump.cells.map { |cell| dump.stack(cell.node).count("Object#deep") }
    assert_equal 501, depths.max
    program.finish
  end

  def test_a_floor_below_the_floor
    program = start_deep(20)
    dump = program.dump_until("windows") { |candidate| candidate.windows.size >= 5 }
    assert_equal [[20, 20]], rates(dump).uniq, "what is wanted is less than the floor already"
    program.finish
  end
end
