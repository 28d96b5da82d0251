# Methods that are traced: counts against the program's own counters, times, beginnings and ends.
require_relative "exact"

class TraceTest < Minitest::Test
  include Support
  include Exact

  WHAT = { state: 1, traced: 2, calls: 3, returned: 4, raised: 5, untimed: 6, total: 7, self: 8, wait: 9, off: 10, total_max: 11,
           self_max: 12, total_times: 13, self_times: 14, caller: 15, slow: 16, too_many: 17 }.freeze
  STATES = { 1 => :waits, 2 => :traced, 3 => :gone, 4 => :not_ruby, 5 => :refused, 6 => :expired, 7 => :too_many }.freeze
  GO = "STDIN.gets\n"
  MONOTONIC = "def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)\n"

  # All numbers of a method: {what => sum}, and {caller => calls}, {length of a bucket => calls}.
  def numbers(dump, label)
    sums = Hash.new(0)
    sums[:callers] = Hash.new(0)
    sums[:times] = Hash.new(0)
    rows(dump).each do |node, what, key, value|
      if what == WHAT[:caller]
        next unless dump.stack(node).last == label
        sums[:callers][dump.leaf(node)] += value
      elsif dump.leaf(node) == label
        sums[:times][length_of(key)] += value if what == WHAT[:total_times]
        name = WHAT.key(what)
        sums[name] = name.end_with?("max") ? [sums[name], value].max : sums[name] + value unless what == WHAT[:state]
      end
    end
    sums
  end

  def length_of(bucket)
    return bucket if bucket < 128
    shift = bucket / 64 - 1
    ((64 + bucket % 64) << shift) + ((1 << shift) - 1) / 2
  end

  # How the methods that are asked for stand in the newest window: [label or nil, state].
  def states(dump)
    (dump.windows.last&.fetch("exact") || []).filter_map do |node, what, _, value|
      [node.zero? ? nil : dump.leaf(node), STATES[value]] if what == WHAT[:state]
    end
  end

  def until_state(program, *wanted)
    last = nil
    program.dump_until("#{wanted}", seconds: 60) { |dump| (last = states(dump)).map(&:last).sort == wanted.sort }
  rescue RuntimeError => error
    raise "#{error.message}: #{last}"
  end

  # Runs `code` while the methods are traced; what was counted until it said that it was done. It says "ready" and waits for
  # a line first, and then once more.
  def trace(code, *methods, slower_us: nil, rate: 1000, **options)
    program = start("#{MONOTONIC}#{AWAKE}#{code}", **options)
    assert_equal "ready", program.line
    view(program, *methods, slower_us: slower_us, rate: rate)
    until_state(program, *[:traced] * methods.size)
    program.puts
    answer = eval(program.line)
    last = program.dump.windows.last["sequence"]
    dump = program.dump_until("two windows more") { |one| one.windows.last["sequence"] > last + 1 }
    [dump, answer, program]
  end

  Slow = Struct.new(:end_ns, :serial, :node, :stack, :flags, :total, :self, :wait, :off)
  def slow_calls(dump, label)
    dump.windows.flat_map { |window| window["slow"] }.map { |row| Slow.new(*row) }.select { |call| dump.leaf(call.node) == label }
  end

  def test_slow_calls
    dump, answer, = trace(<<~RUBY, "Slow#work", "Slow#inner", slower_us: 150_000)
      require "rperf_top"
      class Slow
        def work(seconds, fails = false)
          inner(seconds)
          raise "no" if fails
        end
        def inner(seconds) = sleep(seconds)
      end
      def from_main(slow) = slow.work(0.2)
      def from_thread(slow) = slow.work(0.25)
      def that_fails(slow) = (slow.work(0.2, true) rescue nil)
      puts "ready"; $stdout.flush; #{GO}
      slow = Slow.new
      20.times { slow.work(0) }
      began = now
      threads = [Thread.new { Thread.current.name = "short"; from_thread(slow) }, Thread.new { RperfTop.label(job: "mail") { that_fails(slow) } }]
      from_main(slow)
      threads.each(&:join)
      p [began, now]; $stdout.flush; #{GO}
    RUBY
    calls = slow_calls(dump, "Slow#work")
    assert_equal calls.size, numbers(dump, "Slow#work")[:slow]
    { "Object#from_main" => 0.2, "Object#from_thread" => 0.25, "Object#that_fails" => 0.2 }.each do |caller, seconds|
      call = calls.find { |one| dump.stack(one.stack)[1] == caller }
      assert call, "#{caller} in #{calls.map { |one| dump.stack(one.stack) }}"
      assert_equal "Slow#work", dump.leaf(call.stack)
      assert_operator call.total, :>=, seconds * 1e9
      assert_operator call.off + call.wait, :>=, seconds * 1e9 * 0.9
      assert_operator call.self, :<=, call.total - seconds * 1e9
      assert_includes answer.first..answer.last, call.end_ns / 1e9
      assert_equal caller == "Object#that_fails" ? 1 : 0, call.flags
      assert_equal caller == "Object#that_fails", dump.stack(call.stack).include?("job=mail")
      assert_equal "short", dump.threads[call.serial].name if caller == "Object#from_thread"
    end
    inside = slow_calls(dump, "Slow#inner")
    assert_operator inside.size, :>=, 3
    inside.each { |call| assert_equal call.total, call.self }
    (calls + inside).each { |call| assert_operator call.total, :>=, 150_000_000 }
  end

  # More than there is room for: those that are not listed are counted. Callers come and go under it.
  def test_slow_calls_are_bounded
    dump, answer, = trace(<<~RUBY, "Many#call", slower_us: 1)
      class Many
        COUNT = [0]
        def call = (COUNT[0] += 1; 200.times { |i| i.to_s })
      end
      puts "ready"; $stdout.flush; #{GO}
      many = Many.new
      20.times do |round|
        Class.new { eval("def go\#{round}(x) = x.call") }.new.then { |one| 50.times { one.send("go\#{round}", many) } }
        GC.start
      end
      p Many::COUNT[0]; $stdout.flush; #{GO}
    RUBY
    assert_equal 1000, answer
    assert_equal answer, numbers(dump, "Many#call")[:slow]
    listed = slow_calls(dump, "Many#call")
    assert_operator listed.size, :>=, 60
    dump.windows.each { |window| assert_operator window["slow"].size, :<=, 256 }
    assert_operator listed.size, :<=, 64 * dump.windows.size
    listed.each { |call| assert_equal "Many#call", dump.leaf(call.stack) unless call.stack.zero? }
  end

  # Who asks for the shortest decides; nobody asks: nothing is told.
  def test_slow_calls_of_two_viewers
    program = start(AWAKE + <<~RUBY)
      class Both
        def call = sleep(0.02)
      end
      puts "ready"; $stdout.flush
      loop { Both.new.call }
    RUBY
    program.line
    view(program, "Both#call")
    until_state(program, :traced)
    dump = program.dump_until("its calls") { |one| numbers(one, "Both#call")[:returned] >= 5 }
    assert_empty slow_calls(dump, "Both#call")
    view(program, "Both#call", slower_us: 3_600_000_000)
    viewer = view(program, "Both#call", slower_us: 20_000)
    program.dump_until("slow calls") { |one| slow_calls(one, "Both#call").size >= 3 }
    viewer.close
    program.dump_until("the other alone") { |one| states(one).size == 2 && one.windows.last(5).all? { |window| window["slow"].empty? } }
  end

  HOT = AWAKE + <<~RUBY
    class Hot
      def call = 1
    end
    puts "ready"; $stdout.flush
    hot = Hot.new
    loop { 300.times { hot.call }; sleep 0.001 }
  RUBY

  def test_too_many_calls_end_it
    program = start(HOT, env: { "RPERF_TOP_TRACE_BUDGET" => "0.1" })
    program.line
    view(program, "Hot#call", "Nothing#here")
    dump = until_state(program, :too_many, :waits)
    assert_operator rows(dump).select { |_, what,| what == WHAT[:too_many] }.map(&:last).min, :>, 1000
    last = dump.windows.last["sequence"]
    dump = program.dump_until("windows more") { |one| one.windows.last["sequence"] > last + 3 }
    later = dump.windows.select { |window| window["sequence"] > last }
    assert_empty later.flat_map { |window| window["exact"] }.select { |_, what,| what == WHAT[:calls] }
  end

  def test_the_program_may_allow_many_calls
    program = start(HOT, env: { "RPERF_TOP_TRACE_BUDGET" => "0" })
    program.line
    view(program, "Hot#call")
    dump = program.dump_until("more than two seconds of it") { |one| numbers(one, "Hot#call")[:traced] > 2_200_000_000 }
    assert_equal [:traced], states(dump).map(&:last)
  end

  # What tracing costs is told with the profiler's own cost: no call costs less than 50 ns.
  def test_the_cost_of_calls_is_told
    dump, calls, = trace(<<~RUBY, "Cheap#call", rate: 50, env: { "RPERF_TOP_TRACE_BUDGET" => "0" })
      class Cheap
        def call = 1
      end
      puts "ready"; $stdout.flush; #{GO}
      cheap = Cheap.new
      400_000.times { cheap.call }
      p 400_000; $stdout.flush; #{GO}
    RUBY
    assert_equal calls, numbers(dump, "Cheap#call")[:calls]
    busy = dump.windows.select { |window| window["exact"].any? { |_, what,| what == WHAT[:calls] } }
    assert_operator busy.sum { |window| window["counters"]["whole_cost_ns"] }, :>=, calls * 50
  end

  def test_counts_of_recursion_blocks_and_threads
    dump, answer, = trace(<<~RUBY, "Work#fib", "Work#leave", "Work.each", "Work#made", "Work#old")
      class Work
        COUNT = Hash.new(0)
        def fib(n) = (COUNT[:fib] += 1; n < 2 ? n : fib(n - 1) + fib(n - 2))
        def leave(list) = list.each { |one| COUNT[:leave] += 1; return one }
        def self.each = (COUNT[:each] += 1; yield)
        define_method(:made) { |n| COUNT[:made] += 1; n }
        def old = COUNT[:old] += 1
        alias_method :fresh, :old
      end
      puts "ready"; $stdout.flush; #{GO}
      work = Work.new
      work.fib(15)
      3.times.map { ::Thread.new { 100.times { work.leave([1, 2]); work.made(3) } } }.each(&:join)
      Work.each { Work.each { } }
      50.times { Work.each { break } }
      7.times { work.old; work.fresh }
      p Work::COUNT; $stdout.flush; #{GO}
    RUBY
    { fib: "Work#fib", leave: "Work#leave", each: "Work.each", old: "Work#old" }.each do |name, label|
      counted = numbers(dump, label)
      assert_equal answer[name], counted[:calls], label
      assert_equal answer[name], counted[:returned], label
      assert_equal answer[name], counted[:callers].values.sum, label
      assert_equal 0, counted[:raised], label
      assert_equal 0, counted[:untimed], label
      assert_equal answer[name], counted[:times].values.sum, label
    end
    assert_operator numbers(dump, "Work#fib")[:callers]["Work#fib"], :==, answer[:fib] - 1
    made = rows(dump).select { |node, what,| what == WHAT[:calls] && dump.leaf(node) =~ /block in <class:Work>/ }
    assert_equal answer[:made], made.sum(&:last)
  end

  def test_exceptions_and_throws
    dump, answer, = trace(<<~RUBY, "Bad#tail", "Bad#saved", "Bad#thrown", "Bad#inner", "Bad#again", "Bad#method_missing")
      class Bad
        def fail! = raise("no")
        def tail = fail!
        def saved = (fail! rescue nil)
        def thrown = throw(:out)
        def inner = [1].each { fail! }
        def again
          fail!
        rescue
          raise
        end
        def method_missing(name, *) = name == :nothing ? raise(NameError) : 1
        def respond_to_missing?(*) = false
      end
      puts "ready"; $stdout.flush; #{GO}
      bad = Bad.new
      40.times { bad.tail rescue nil }
      50.times { bad.saved }
      60.times { catch(:out) { bad.thrown } }
      30.times { bad.inner rescue nil }
      20.times { bad.again rescue nil }
      10.times { bad.something; bad.nothing rescue nil }
      p({ "tail" => [40, 40], "saved" => [50, 0], "thrown" => [60, 0], "inner" => [30, 30], "again" => [20, 20], "method_missing" => [20, 10] })
      $stdout.flush; #{GO}
    RUBY
    answer.each do |name, (calls, raised)|
      counted = numbers(dump, "Bad##{name}")
      assert_equal [calls, calls, raised, 0], counted.values_at(:calls, :returned, :raised, :untimed), name
    end
  end

  # A stack that overflows unwinds without events, and so do fibers that are given up: nothing of that is timed, and
  # nothing around it is wrong.
  def test_fibers_overflow_and_threads_that_are_killed
    dump, answer, = trace(<<~RUBY, "Odd#deep", "Odd#around", "Odd#yields", "Odd#sleeps")
      class Odd
        COUNT = Hash.new(0)
        def deep = (COUNT[:deep] += 1; deep)
        def around = (COUNT[:around] += 1; yield)
        def yields = (COUNT[:yields] += 1; Fiber.yield; 1)
        def sleeps = (COUNT[:sleeps] += 1; sleep)
      end
      puts "ready"; $stdout.flush; #{GO}
      odd = Odd.new
      2.times { odd.around { begin odd.deep; rescue SystemStackError; end } }
      fibers = 20.times.map { Fiber.new { odd.yields } }
      2.times { fibers.each(&:resume) }
      left = 5.times.map { Fiber.new { odd.yields }.tap(&:resume) }
      killed = 3.times.map { ::Thread.new { odd.sleeps } }
      Thread.pass until killed.all? { |one| one.status == "sleep" }
      killed.each(&:kill).each(&:join)
      p Odd::COUNT; $stdout.flush; #{GO}
    RUBY
    { deep: nil, around: 2, yields: 20, sleeps: 3 }.each do |name, returned|
      counted = numbers(dump, "Odd##{name}")
      assert_equal answer[name], counted[:calls], name
      assert_equal returned, counted[:returned], name if returned
      assert_operator counted[:returned] + counted[:untimed], :<=, counted[:calls], name
      assert_equal 0, counted[:raised], name unless name == :deep
    end
    assert_equal 25, answer[:yields]
  end

  # The program's own clock stands inside of the call: what is told is a little longer.
  def test_times_and_their_spread
    dump, answer, = trace(<<~RUBY, "Slow#work", "Slow#outer", "Slow#rest")
      class Slow
        TIMES = []
        def work(s)
          from = now
          nil while now - from < s
          TIMES << now - from
        end
        def outer = 5.times { work(0.002) }
        def rest = sleep(0.02)
      end
      puts "ready"; $stdout.flush; #{GO}
      slow = Slow.new
      100.times { |i| slow.work(i < 90 ? 0.001 : 0.004) }
      slow.outer
      from = now
      5.times { slow.rest }
      p({ times: Slow::TIMES, rest: now - from }); $stdout.flush; #{GO}
    RUBY
    work = numbers(dump, "Slow#work")
    sum = answer[:times].sum * 1e9
    assert_equal 105, work[:returned]
    assert_includes sum..sum * 1.1, work[:total]
    told = work[:times].sort.flat_map { |ns, count| [ns] * count }
    pairs = answer[:times].map { |own| own * 1e9 }.sort.zip(told)
    pairs.each { |own, one| assert_operator one, :>=, own * 0.99 }
    near = pairs.count { |own, one| one <= own * 1.01 + 20_000 } # the core may be taken away between its clock and ours
    assert_operator near, :>=, 70, pairs.inspect
    assert_operator work[:total_max], :>=, pairs.last.first
    assert_operator work[:total_max] * 1.01, :>=, told.last
    outer = numbers(dump, "Slow#outer")
    assert_operator outer[:self], :<=, outer[:total] - 5 * 2_000_000 # what work took
    rest = numbers(dump, "Slow#rest")
    assert_includes 100_000_000..answer[:rest] * 1e9, rest[:total]
    assert_operator rest[:off] + rest[:wait], :>, rest[:total] * 0.9
    assert_operator rest[:off] + rest[:wait], :<=, rest[:total] + 1_000_000
  end

  def test_begins_and_ends_in_the_middle_of_calls
    program = start(AWAKE + <<~RUBY)
      class Mid
        def down(n) = n.zero? ? (puts("in"); $stdout.flush; STDIN.gets; other; puts("on"); $stdout.flush; STDIN.gets) : down(n - 1)
        def other = 10.times { down_again(3) }
        def down_again(n) = n.zero? ? 0 : down_again(n - 1)
      end
      Mid.new.down(5)
      puts "out"; $stdout.flush
      Mid.new.other
      STDIN.gets
    RUBY
    assert_equal "in", program.line
    viewer = view(program, "Mid#down", "Mid#down_again")
    until_state(program, :traced, :traced)
    program.puts
    assert_equal "on", program.line
    dump = program.dump_until("its calls") { |one| numbers(one, "Mid#down_again")[:returned] == 40 }
    assert_equal 0, numbers(dump, "Mid#down")[:calls]
    viewer.close
    program.dump_until("the end of tracing") { |one| states(one).empty? }
    program.puts
    assert_equal "out", program.line
    last = program.dump.windows.last["sequence"]
    dump = program.dump_until("a window more") { |one| one.windows.last["sequence"] > last }
    assert_equal 40, numbers(dump, "Mid#down_again")[:calls]
    assert_equal 0, numbers(dump, "Mid#down")[:returned]
  end

  def test_what_cannot_be_traced
    program = start(AWAKE + <<~RUBY)
      class Auto
        autoload :Never, "/nonexistent/never"
        def self.const_missing(name) = (puts "user code"; Object)
        def self.respond_to_missing?(*) = (puts "user code"; true)
        attr_reader :plain
        def self.instance_method(*) = (puts "user code"; super)
        def changes = 1
        def stays = 2
      end
      $stdout.flush
      loop do
        eval(STDIN.gets)
        puts "done"; $stdout.flush
      end
    RUBY
    program.channel
    view(program, "Auto::Never#a", "Auto::Missing#a", "Auto.nothing", "Integer#to_s", "Auto#plain", "Auto#changes", "Auto#stays", "Later#comes")
    until_state(program, :waits, :waits, :waits, :not_ruby, :not_ruby, :traced, :traced, :waits)
    program.puts "class Auto; def changes = 3; end; class Later; def comes = 1; end; Auto.new.changes"
    assert_equal "done", program.line
    until_state(program, :waits, :waits, :waits, :not_ruby, :not_ruby, :gone, :traced, :traced)
    program.puts "4.times { Later.new.comes }; Auto.new.changes; Object.send(:remove_const, :Later)"
    assert_equal "done", program.line
    dump = until_state(program, :waits, :waits, :waits, :not_ruby, :not_ruby, :gone, :traced, :gone)
    assert_equal 4, numbers(dump, "Later#comes")[:calls]
    assert_equal 0, numbers(dump, "Auto#changes")[:calls]
    refute_includes program.out, "user code"
  end

  BUSY = <<~RUBY
    class Busy
      COUNT = [0]
      def call = COUNT[0] += 1
    end
    puts "ready"; $stdout.flush
    busy = Busy.new
    Thread.new { STDIN.gets; p Busy::COUNT[0]; $stdout.flush; exit!(0) }
    loop { busy.call; sleep 0.0001 if Busy::COUNT[0] % 100 == 0 }
  RUBY

  def test_ends_when_the_viewer_is_killed
    program = start(AWAKE + BUSY)
    program.line
    viewer = view(program, "Busy#call")
    program.dump_until("calls") { |dump| numbers(dump, "Busy#call")[:calls] > 100 }
    Process.kill(:KILL, viewer.pid)
    last = program.dump_until("the end of tracing") { |dump| states(dump).empty? }.windows.last["sequence"]
    view(program) # else it would be parked by its own wish
    dump = program.dump_until("windows more") { |one| one.windows.last["sequence"] > last + 2 }
    assert_empty dump.windows.last["exact"]
  end

  def test_ends_after_its_time
    program = start(AWAKE + BUSY)
    program.line
    view(program, "Busy#call", seconds: 1)
    until_state(program, :traced)
    before = numbers(until_state(program, :expired), "Busy#call")[:calls]
    last = program.dump.windows.last["sequence"]
    dump = program.dump_until("windows more") { |one| one.windows.last["sequence"] > last + 2 }
    assert_equal before, numbers(dump, "Busy#call")[:calls]
  end

  # They ask for the same and for something else; the one that came first goes first.
  def test_two_viewers_want_the_same
    program = start(AWAKE + <<~RUBY)
      class Two
        def both = 1
        def one = 2
      end
      puts "ready"; $stdout.flush
      3.times do
        STDIN.gets
        100.times { Two.new.both; Two.new.one }
        puts "done"; $stdout.flush
      end
      STDIN.gets
    RUBY
    program.line
    first = view(program, "Two#both", "Two#one")
    until_state(program, :traced, :traced)
    view(program, "Two#both")
    until_state(program, :traced, :traced, :traced)
    program.puts
    program.line
    program.dump_until("100 calls of each") { |one| %w[both one].all? { |name| numbers(one, "Two##{name}")[:calls] == 100 } }
    first.close
    dump = until_state(program, :traced)
    again = dump.windows.last["sequence"]
    program.dump_until("the second to trace by itself") { |one| one.windows.last["sequence"] > again + 3 }
    program.puts
    program.line
    dump = program.dump_until("100 more") { |one| numbers(one, "Two#both")[:calls] >= 200 }
    assert_equal 200, numbers(dump, "Two#both")[:calls]
    assert_equal 100, numbers(dump, "Two#one")[:calls]
  end

  # The tracepoints of the parent are still set in the child: they count nothing there, and go.
  def test_fork
    program = start(AWAKE + <<~RUBY)
      class Kid
        def call = 1
      end
      puts "ready"; $stdout.flush; STDIN.gets
      reader, writer = IO.pipe
      pid = fork { 1000.times { Kid.new.call }; GC.start; 1000.times { Kid.new.call }; writer.puts "fine"; exit!(0) }
      Process.wait(pid)
      5.times { Kid.new.call }
      puts reader.gets; $stdout.flush; STDIN.gets
    RUBY
    program.line
    view(program, "Kid#call")
    until_state(program, :traced)
    program.puts
    assert_equal "fine", program.line
    program.dump_until("its own calls") { |dump| numbers(dump, "Kid#call")[:calls] == 5 }
  end

  # Nothing that is kept for the callers or the methods may be collected under it, or keep too much alive.
  def test_collections_and_many_callers
    dump, answer, = trace(<<~RUBY, "Called#call")
      class Called
        COUNT = [0]
        def call = COUNT[0] += 1
      end
      puts "ready"; $stdout.flush; #{GO}
      called = Called.new
      300.times do |i|
        Class.new { define_method(:go) { called.call }; eval("def go\#{i}(x) = x.call") }.new.then { |one| one.go; one.send("go\#{i}", called) }
        GC.start if i % 50 == 0
        GC.compact if i == 150 && GC.respond_to?(:compact)
      end
      p Called::COUNT[0]; $stdout.flush; #{GO}
    RUBY
    counted = numbers(dump, "Called#call")
    assert_equal [answer, answer], counted.values_at(:calls, :returned)
    assert_operator counted[:callers].values.sum, :<=, answer
    assert_operator counted[:callers].size, :<=, 65
  end
end
