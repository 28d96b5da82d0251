# Programs with more methods, stacks and depth than the tables hold: time stays whole, and the segment says what found
# no room.
require_relative "support"

class FullTablesTest < Minitest::Test
  include Support

  FAST = { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" }.freeze

  # Every method is called long enough to be seen now and then; what the tables cannot hold is one frame, counted.
  def test_a_hundred_thousand_methods
    dump, program = history(<<~'RUBY', env: FAST.merge("RPERF_TOP_SIZE" => "1"))
      100_000.times { |i| eval("def method_number_#{i} = 40.times { |j| j.to_s }") }
      3.times { 100_000.times { |i| send("method_number_#{i}") } }
      puts 100_000
    RUBY
    assert_equal "100000\n", program.out
    capacity = dump["geometry"]["sections"]["2"] / 32
    assert_operator dump.frames.size, :<=, capacity
    named = dump.labels.grep(/method_number_/).size
    assert_operator named, :>, 500
    assert_operator dump.counters["frames_overflowed"], :>, 0 if dump.frames.size == capacity
    assert_whole_life dump, dump.main, absolute: 20_000_000
  end

  # The city of Heijo has so many. Each row of houses works by its CPU clock: without a core none of it can be met.
  def test_all_methods_of_a_city
    dump, = history(<<~'RUBY', env: FAST.merge("RPERF_TOP_SIZE" => "64"))
      def cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
      def work(seconds) = (t = cpu + seconds
                           nil until cpu > t)
      335.times do |i|
        eval(400.times.map { |k| "def house_#{i}_#{k} = #{k == 0 ? "work(0.01)" : "house_#{i}_#{k - 1}"}" }.join("\n"))
        send("house_#{i}_399")
      end
    RUBY
    skip "too little room for such a history here" if dump["geometry"]["sections"]["2"] / 32 < 134_000
    assert_operator dump.labels.grep(/house_/).uniq.size, :>=, 0.97 * 134_000
    assert_equal [0, 0, 0], dump.counters.values_at("frames_overflowed", "nodes_overflowed", "strings_overflowed")
  end

  def test_ten_thousand_calls_deep
    dump, program = history(<<~'RUBY', env: FAST.merge("RUBY_THREAD_VM_STACK_SIZE" => "8000000"))
      def deep(n) = n == 0 ? 2_000_000.times { |i| i.to_s } : deep(n - 1)
      Thread.new { deep(10_000) }.join
      puts "done"
      window_over
    RUBY
    assert_equal "done\n", program.out
    stack = dump.cells.map { |cell| dump.stack(cell.node) }.max_by(&:size)
    assert_operator stack.count("Object#deep"), :>, 2000
    assert_equal "(deeper frames)", stack.last
    dump.threads.each_value { |thread| assert_whole_life dump, thread, absolute: 20_000_000 }
  end

  # More call nodes than the table holds: time stays whole, what was charged to an ancestor is counted.
  def test_full_node_table
    dump, = history(<<~'RUBY', env: FAST.merge("RPERF_TOP_SIZE" => "1"))
      200.times { |i| eval("def m#{i}(n) = n == 0 ? 2000.times { |j| j.to_s } : send(\"m#{(i * 7 + 1) % 200}\", n - 1)") }
      def walk(random, n) = n == 0 ? 60.times { |j| j.to_s } : send("m#{random.rand(200)}", random.rand(60))
      random = Random.new(1)
      while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < 7
        walk(random, 1)
      end
    RUBY
    assert_whole_life dump, dump.main, absolute: 20_000_000
    capacity = dump["geometry"]["sections"]["3"] / 16
    assert_operator dump["nodes"].size, :<=, capacity
    assert_equal capacity, dump["nodes"].size, "the program did not fill the table"
    assert_operator dump.counters["nodes_overflowed"], :>, 0
  end

  def test_full_frame_table
    dump, = history(<<~'RUBY', env: FAST.merge("RPERF_TOP_SIZE" => "1", "RPERF_TOP_RECORD_HZ" => "5000"))
      i = 0
      while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < 5
        # Forty new methods on the stack at once: every sample finds all of them.
        40.times { |k| eval("def f#{i}_#{k} = #{k == 0 ? "400.times { |j| j.to_s }" : "f#{i}_#{k - 1}"}") }
        send("f#{i}_39")
        i += 1
      end
    RUBY
    capacity = dump["geometry"]["sections"]["2"] / 32
    assert_equal capacity, dump.frames.size, "the program did not fill the table"
    assert_operator dump.counters["frames_overflowed"], :>, 0
    assert_includes dump.cells.flat_map { |cell| dump.stack(cell.node) }.uniq, "(other frames)"
    assert_whole_life dump, dump.main, absolute: 20_000_000
  end
end
