# Methods that are traced: counts against the program's own counters, times, beginnings and ends.
# Waits nearly all of the time
require_relative "../exact"

class TraceTest < Minitest::Test
  include Support
  include Exact

  WHAT = { state: 1, traced: 2, calls: 3, returned: 4, raised: 5, untimed: 6, total: 7, self: 8, wait: 9, off: 10, total_max: 11,
           self_max: 12, total_times: 13, self_times: 14, caller: 15, slow: 16, too_many: 17 }.freeze
  STATES = { 1 => :waits, 2 => :traced, 3 => :gone, 4 => :not_ruby, 5 => :refused, 6 => :expired, 7 => :too_many, 8 => :slower }.freeze
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
    [dump_of_all(program), answer, program]
  end

  Slow = Struct.new(:end_ns, :serial, :node, :stack, :flags, :total, :self, :wait, :off, :hex)
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
    assert_equal answer[:made], numbers(dump, "Work#made")[:calls]
  end

  # One block is the code of many methods: each has its own calls, under its own name, where the block stands.
  def test_methods_that_one_block_makes
    dump, answer, = trace(<<~RUBY, "Author#books", "Book#pages", "Book#lines")
      module Associations
        def many(*names) = names.each { |name| define_method(name) { COUNT[name] += 1 } }
      end
      COUNT = Hash.new(0)
      class Author; extend Associations; many :books, :poems; end
      class Book; extend Associations; many :pages, :lines; end
      puts "ready"; $stdout.flush; #{GO}
      author, book = Author.new, Book.new
      30.times { author.books; author.poems }
      20.times { book.pages }
      10.times { book.lines }
      p COUNT; $stdout.flush; #{GO}
    RUBY
    { books: "Author#books", pages: "Book#pages", lines: "Book#lines" }.each do |name, label|
      assert_equal answer[name], numbers(dump, label)[:calls], label
      assert_equal answer[name], numbers(dump, label)[:returned], label
    end
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
    assert_operator near, :>, pairs.size / 2, pairs.inspect # 68 of 105 beside four busy loops; a bias would leave none
    assert_operator work[:total_max], :>=, pairs.last.first
    assert_operator work[:total_max] * 1.01, :>=, told.last
    outer = numbers(dump, "Slow#outer")
    assert_operator outer[:self], :<=, outer[:total] - 5 * 2_000_000 # what work took
    rest = numbers(dump, "Slow#rest")
    assert_includes 100_000_000..answer[:rest] * 1e9, rest[:total]
    assert_operator rest[:off] + rest[:wait], :>=, 99_000_000 # it slept so long; then the core may be taken away, which is neither
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
    dump = dump_of_all(program)
    assert_equal 40, numbers(dump, "Mid#down_again")[:calls]
    assert_equal 0, numbers(dump, "Mid#down")[:returned]
  end

  def test_what_cannot_be_traced
    program = start(AWAKE + <<~RUBY)
      class Auto
        autoload :Never, "/nonexistent/never"
        def self.const_missing(name) = (puts "user code"; Object)
        def self.respond_to_missing?(*) = (puts "user code"; true)
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
    view(program, "Auto::Never#a", "Auto::Missing#a", "Auto.nothing", "Proc#call", "BasicObject#__send__", "Auto#changes", "Auto#stays", "Later#comes")
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
    before, traced = numbers(until_state(program, :expired), "Busy#call").values_at(:calls, :traced)
    assert_operator [before, traced].min, :>, 0
    assert_equal before, numbers(dump_of_all(program), "Busy#call")[:calls]
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

  # Methods that are not written in Ruby. The mark before a name has them traced under YJIT, too.
  C_CASES = <<~'RUBY'
    class Integer
      alias_method :common, :gcd
    end
    class Cases
      COUNT = Hash.new(0)
      def self.count(name, calls = 1, raised = 0)
        COUNT[name] += calls
        COUNT["#{name} raised"] += raised
      end
      attr_accessor :plain
      def hash_of = { 1 => 2 }
    end
  RUBY

  C_NAMES = %w[Integer#gcd Hash#fetch Hash#each Array#inspect Kernel#throw Kernel#catch Fiber.yield IO.select Math.sqrt
               Kernel#instance_variable_get Cases#plain Cases#plain= Enumerator#next].freeze

  def test_counts_of_methods_in_c
    dump, answer, = trace(C_CASES + <<~'RUBY', *C_NAMES.map { |name| "!#{name}" }, env: { "RPERF_TOP_TRACE_BUDGET" => "0" })
      one = Cases.new
      calls = -> do
        10.times { |i| 12.gcd(i); 12.send(:gcd, i); 12.method(:gcd).call(i); 12.common(i) }
        Cases.count("Integer#gcd", 40)
        4.times { [6, 9, 12].reduce(:gcd) }
        Cases.count("Integer#gcd", 8)
        7.times { one.plain = one.plain; one.send(:plain); one.method(:plain).call; [one].map(&:plain) }
        Cases.count("Cases#plain", 28)
        Cases.count("Cases#plain=", 7)
        6.times { Math.sqrt(4); Math.method(:sqrt).to_proc.call(9); one.instance_variable_get(:@plain) }
        Cases.count("Math.sqrt", 12)
        Cases.count("Kernel#instance_variable_get", 6)
        5.times { [[[1]], 2].inspect }
        Cases.count("Array#inspect", 15)
      end
      calls.call # what the VM keeps of calls that were made before does not hide them
      Cases::COUNT.clear
      puts "ready"; $stdout.flush; STDIN.gets
      2.times { calls.call }
      40.times { { a: 1 }.fetch(:a) }
      30.times { {}.fetch(:a) rescue nil }
      20.times { {}.fetch(:a) { 1 } }
      10.times { {}.fetch(:a) { raise "no" } rescue nil }
      Cases.count("Hash#fetch", 100, 40)
      25.times { one.hash_of.each { break } }
      15.times { one.hash_of.each { raise "no" } rescue nil }
      14.times { one.hash_of.each { raise "no" rescue nil } }
      13.times { catch(:out) { one.hash_of.each { throw :out } } }
      12.times { -> { one.hash_of.each { return 1 } }.call; one.hash_of.each { next } }
      11.times { catch(:out) { one.hash_of.each { one.hash_of.each { throw :out } } } }
      8.times { one.hash_of.each { one.hash_of.each { break } } }
      Cases.count("Hash#each", 25 + 15 + 14 + 13 + 24 + 22 + 16, 15)
      Cases.count("Kernel#throw", 24)
      Cases.count("Kernel#catch", 24)
      threads = 4.times.map { Thread.new { 200.times { |i| 12.gcd(i); Thread.pass if i % 50 == 0 } } }
      Cases.count("Integer#gcd", 800)
      fibers = 20.times.map { Fiber.new { 3.times { Fiber.yield; 15.gcd(5) } } }
      4.times { fibers.each(&:resume) }
      Cases.count("Fiber.yield", 60)
      Cases.count("Integer#gcd", 60)
      lists = 3.times.map { |i| Enumerator.new { |list| 2.times { list << 4.gcd(i) } } }
      3.times { lists.each { |list| list.next rescue nil } }
      Cases.count("Enumerator#next", 9, 3)
      Cases.count("Integer#gcd", 6)
      killed = 3.times.map { Thread.new { IO.select([IO.pipe.first]) } }
      Thread.pass until killed.all? { |thread| thread.status == "sleep" }
      killed.each(&:kill).each(&:join)
      threads.each(&:join)
      Cases.count("IO.select", 3)
      GC.start
      GC.compact if GC.respond_to?(:compact)
      5.times { 12.gcd(5) }
      Cases.count("Integer#gcd", 5)
      p Cases::COUNT; $stdout.flush; STDIN.gets
    RUBY
    C_NAMES.each do |name|
      counted = numbers(dump, name)
      calls = answer.fetch(name)
      assert_equal [calls, calls, answer["#{name} raised"], 0], counted.values_at(:calls, :returned, :raised, :untimed), name
      assert_equal [calls, calls], [counted[:callers], counted[:times]].map { |sums| sums.values.sum }, name
      assert_operator counted[:self], :<=, counted[:total], name
    end
    counted = rows(dump).filter_map { |node, what,| dump.leaf(node) if what == WHAT[:calls] }.uniq
    assert_equal C_NAMES.sort, counted.sort, "and nothing else"
    assert_equal 20, numbers(dump, "Array#inspect")[:callers]["Array#inspect"]
  end

  # Inner calls that are traced are no part of self, whoever is in Ruby and who in C; slow calls have the method itself as
  # their leaf, whether it has a frame or not.
  def test_times_of_methods_in_c
    dump, answer, = trace(<<~'RUBY', "!Hash#each", "!IO.select", "Slow#between", slower_us: 15_000)
      class Slow
        def between(from) = (IO.select([from], nil, nil, 0.02); from = from)
        def from_here(hash, io) = hash.each { between(io) }
      end
      reader, = IO.pipe
      puts "ready"; $stdout.flush; STDIN.gets
      from = now
      5.times { Slow.new.from_here({ 1 => 2 }, reader) }
      3.times { { 1 => 2 }.each { IO.select([reader], nil, nil, 0.02); raise "no" } rescue nil }
      p now - from; $stdout.flush; STDIN.gets
    RUBY
    each, select, between = %w[Hash#each IO.select Slow#between].map { |name| numbers(dump, name) }
    assert_equal [8, 8, 5], [each, select, between].map { |counted| counted[:returned] }
    assert_operator select[:total], :>=, 0.16e9
    assert_equal select[:total], select[:self]
    assert_operator select[:off] + select[:wait], :>=, 0.16e9 * 0.9
    assert_includes select[:total]..answer * 1e9, each[:total]
    assert_equal between[:total] - between[:self], select[:total] - (each[:total] - each[:self] - between[:total])
    assert_equal [8, 8, 5], [each, select, between].map { |counted| counted[:slow] }
    assert_equal ["Hash#each", "Slow#from_here"], dump.stack(slow_calls(dump, "Hash#each").min_by(&:end_ns).stack).first(2)
    assert_equal ["IO.select", "Slow#between"], dump.stack(slow_calls(dump, "IO.select").min_by(&:end_ns).stack).first(2)
    raised = slow_calls(dump, "Hash#each").select { |call| call.flags == 1 }
    assert_equal [["Hash#each", "<main>"]] * 3, raised.map { |call| dump.stack(call.stack).grep_v(/block|Integer/).first(2) }
  end

  # How many hooks the program has: that of new objects comes and goes (ext/hooks/makers.h), so the fewest in 3 s, or
  # once there are `expected`.
  def hooks(program, expected = nil)
    program.puts "p (1..300).map { |i| n = TracePoint.stat.values.flatten.first; break [n] if n == #{expected.inspect}; sleep 0.01; n }.min"
    Integer(program.line)
  end

  def test_nothing_is_left_of_methods_in_c
    program = start(AWAKE + <<~'RUBY')
      class Auto
        attr_reader :plain
        def own = 1
      end
      puts "ready"; $stdout.flush
      while (line = STDIN.gets)
        eval(line); $stdout.flush
      end
    RUBY
    program.line
    before = hooks(program)
    view(program, "Auto#own")
    until_state(program, :traced)
    assert_equal before, hooks(program, before), "only what is in C needs one"
    first = view(program, "!Integer#gcd", "!Auto#plain")
    until_state(program, :traced, :traced, :traced)
    second = view(program, "!Integer#gcd")
    until_state(program, :traced, :traced, :traced, :traced)
    assert_equal before + 1, hooks(program, before + 1)
    program.puts "class Auto; def plain = 2; end; 4.times { 12.gcd(4); Auto.new.plain }; p 1"
    assert_equal "1", program.line
    until_state(program, :traced, :traced, :traced, :gone)
    first.close
    until_state(program, :traced, :traced)
    program.puts "3.times { 12.gcd(4) }; p 2"
    assert_equal "2", program.line
    dump = program.dump_until("the calls of both times") { |one| numbers(one, "Integer#gcd")[:calls] >= 7 }
    assert_equal [7, 0], [numbers(dump, "Integer#gcd")[:calls], numbers(dump, "Auto#plain")[:calls]]
    assert_equal before + 1, hooks(program, before + 1)
    second.close
    until_state(program, :traced)
    assert_equal before, hooks(program, before)
  end

  # What is traced in C leaves the program slower: that must be forced, with YJIT and without.
  def refuse_methods_in_c(*options)
    program = start(AWAKE + <<~'RUBY', options: options)
      class Auto
        attr_reader :plain
        def own = 1
      end
      puts "ready"; $stdout.flush
      loop { 12.gcd(4); Auto.new.plain; Auto.new.own; sleep 0.002 }
    RUBY
    program.line
    view(program, "Integer#gcd", "Auto#plain", "Auto#own")
    dump = until_state(program, :slower, :slower, :traced)
    refused = states(dump).filter_map { |label, state| label if state == :slower }
    assert_equal ["Auto#plain", "Integer#gcd"], refused.sort
    assert_equal [0, 0], refused.map { |label| numbers(dump, label)[:traced] }
    view(program, "!Integer#gcd")
    dump = program.dump_until("calls") { |one| numbers(one, "Integer#gcd")[:calls] > 10 }
    assert_equal 0, numbers(dump, "Auto#plain")[:calls]
  end

  def test_methods_in_c_are_forced_only = refuse_methods_in_c

  def test_methods_in_c_under_yjit
    skip "this Ruby has no YJIT" unless defined?(RubyVM::YJIT)
    refuse_methods_in_c("--yjit")
  end

  # What costs is that the VM tells of all calls: all that are traced in C end, others go on.
  def test_too_many_calls_in_c
    program = start(AWAKE + <<~'RUBY', env: { "RPERF_TOP_TRACE_BUDGET" => "0.5" })
      class Cool
        def call = 1
      end
      puts "ready"; $stdout.flush
      loop { 5000.times { |i| 12.lcm(i) }; Cool.new.call; sleep 0.001 }
    RUBY
    program.line
    view(program, "!Integer#gcd", "!Math.sqrt", "Cool#call")
    dump = until_state(program, :too_many, :too_many, :traced)
    assert_operator rows(dump).filter_map { |_, what, _, value| value if what == WHAT[:too_many] }.min, :>, 5000
    busy = dump.windows.find_all { |window| window["exact"].any? { |_, what,| what == WHAT[:traced] } }
    assert_operator busy.sum { |window| window["counters"]["whole_cost_ns"] }, :>, 0
  end

  def test_fork_with_methods_in_c
    program = start(AWAKE + <<~'RUBY')
      puts "ready"; $stdout.flush; STDIN.gets
      reader, writer = IO.pipe
      pid = fork { 1000.times { 12.gcd(4) }; GC.start; 1000.times { 12.gcd(4) }; writer.puts "fine"; exit!(0) }
      Process.wait(pid)
      5.times { 12.gcd(4) }
      puts reader.gets; $stdout.flush; STDIN.gets
    RUBY
    program.line
    view(program, "!Integer#gcd")
    until_state(program, :traced)
    program.puts
    assert_equal "fine", program.line
    program.dump_until("its own calls") { |dump| numbers(dump, "Integer#gcd")[:calls] == 5 }
  end

  # Of what Ruby answers without a call it does not tell; operators of numbers it tells of as long as methods in C are traced.
  def test_what_is_no_call
    quiet = %w[Hash#[] String#freeze Array#max Array#min String#=== String#to_s Symbol#to_s Integer#to_s Integer#== Integer#hash]
    quiet.delete("Hash#[]") unless RubyVM::INSTRUCTION_NAMES.include?("opt_aref_with") # since 4.0: as other operators
    seen = { "Integer#+" => 3, "Array#[]" => 4, "Array#size" => 5, "Module#===" => 6, "Hash#key?" => 7 }
    dump, = trace(<<~'RUBY', *(quiet + seen.keys).map { |name| "!#{name}" }, env: { "RPERF_TOP_TRACE_BUDGET" => "0" })
      one, list, hash, text, sign = 1, [1, 2], { "key" => 1 }, "abc", :abc
      puts "ready"; $stdout.flush; STDIN.gets
      hash["key"]; "abc".freeze; [one, 2].max; [one, 2].min
      case text when "abc" then 1 end
      case one when 1 then 2 end
      "#{text} #{sign} #{one}"
      list.uniq; [one, one].include?(2); list.reduce(:+); [7, 8].sum
      one + 1; one + 2; one + 3
      list[0]; list[1]; list[-1]; list[0, 1]
      list.size; list.size; list.size; list.size; list.size
      case one when String, Symbol, Integer then 1 end
      case one when String, Symbol, Float then 1 end
      hash.key?(1); hash.key?(1); hash.key?(1); hash.key?(1); hash.key?(1); hash.key?(1); hash.key?(1)
      puts "0"; $stdout.flush; STDIN.gets
    RUBY
    told = ->(name) { numbers(dump, name)[:calls] }
    assert_equal seen, seen.to_h { |name, _| [name, told.(name)] }
    assert_empty quiet.to_h { |name| [name, told.(name)] }.reject { |_, calls| calls.zero? }
  end

  # Compiled code reads members without a word: there they are refused, even if that is forced.
  def test_members_of_structs
    program = start(AWAKE + <<~'RUBY')
      Pair = Struct.new(:left, :right)
      Point = Data.define(:across)
      pair, point = Pair.new(1, 2), Point.new(across: 3)
      calls = -> { 50.times { pair.left = pair.left; pair.public_send(:left); pair[:left]; pair.right; point.across } }
      calls.call
      puts "ready"; $stdout.flush; STDIN.gets
      calls.call
      pair.freeze
      7.times { (pair.left = 1) rescue nil }
      puts "done"; $stdout.flush; STDIN.gets
    RUBY
    assert_equal "ready", program.line
    view(program, "!Pair#left", "!Pair#left=", "!Point#across")
    return until_state(program, :not_ruby, :not_ruby, :not_ruby) if defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled?
    until_state(program, :traced, :traced, :traced)
    program.puts
    assert_equal "done", program.line
    dump = program.dump_until("all of them") { |one| numbers(one, "Point#across")[:calls] == 50 && numbers(one, "Pair#left=")[:calls] == 57 }
    assert_equal [[100, 100], [57, 50], [50, 50]], %w[Pair#left Pair#left= Point#across].map { |name| numbers(dump, name).values_at(:calls, :returned) }
  end
end
