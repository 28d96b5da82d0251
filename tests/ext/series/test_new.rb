# What later series of Ruby brought: boxes, ports of Ractors, threads that share native ones, timeslices, hooks of fiber
# schedulers, Set in C. Each program knows the truth itself; where a Ruby lacks what it is about the test is skipped.
# Waits nearly all of the time
require_relative "../exact"
require_relative "../../chance"

class NewTest < Minitest::Test
  include Support
  include Chance
  include Exact

  FAST = { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" }.freeze
  NOW = "def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)\n"

  # Required in main and in boxes, in whatever order, it is one profiler: one channel, one publisher, and what boxes call is
  # that one.
  def test_boxes_have_one_profiler
    skip "this Ruby has no Ruby::Box" unless defined?(Ruby::Box)
    program = start(<<~'RUBY', env: { "RUBY_BOX" => "1", **FAST }, options: ["-W0"])
      def tell(what) = $stdout.syswrite("#{what}\n") # boxes have a $stdout each
      boxes = 2.times.map { Ruby::Box.new }
      boxes.each { |box| box.eval("$LOAD_PATH.unshift(#{ENV.fetch("RTOP_BUILD").dump}); require 'rperf_top'") }
      tell boxes.map { |box| box.eval("RperfTop.running?") }.uniq.inspect
      boxes.first.eval("RperfTop.mark('from a box')")
      boxes.each { |box| box.eval("class Price; def total = (t = Process.clock_gettime(Process::CLOCK_MONOTONIC); nil while Process.clock_gettime(Process::CLOCK_MONOTONIC) - t < 0.2); end; Price.new.total") }
      $stdin.gets
      boxes.last.eval("RperfTop.stop")
      tell RperfTop.running?
      $stdin.gets
    RUBY
    assert_equal "[true]", program.line
    dump = program.dump_until("the work of both") { |one| one.labels.grep(/Price#total\z/).any? { |name| one.total(on_stack: name, state: "running") > 0 } && one.windows.any? { |window| window["marks"].any? } }
    assert_equal 1, channels(program.pid).size
    publishers = Dir["/proc/#{program.pid}/task/*/comm"].count { |path| File.read(path).strip == "rperf-top" }
    assert_equal 1, publishers
    program.puts
    assert_equal "false", program.line
    program.puts
    assert_predicate program.finish.status, :success?
  end

  # Two of one name, of one file, are two classes: their methods, and their exceptions. Those of the main box, and Ruby's own,
  # are named as ever.
  def test_classes_of_boxes_are_told_apart
    skip "this Ruby has no Ruby::Box" unless defined?(Ruby::Box)
    File.write("#{@folder}/price.rb", <<~'RUBY')
      class Price
        class Wrong < StandardError; end
        def total = spin
        def spin = (t = cpu; 1.times { nil while cpu - t < 0.05 })
        def self.fail = (raise Wrong rescue nil)
      end
      def cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    RUBY
    program = start(AWAKE + <<~'RUBY', env: { "RUBY_BOX" => "1", **FAST }, options: ["-W0"])
      file = "#{__dir__}/price.rb"
      boxes = 2.times.map { Ruby::Box.new }
      [*boxes, self].each { |box| box.send(:require, file) }
      $stdout.syswrite("#{boxes.map(&:inspect)}
")
      prices = [*boxes.map { |box| box::Price }, Price]
      Thread.new { loop { prices.each { |price| price.new.total; price.fail } } }
      $stdin.gets
    RUBY
    numbers = program.line.scan(/Ruby::Box:(\d+)/).flatten
    assert_equal 2, numbers.uniq.size
    spaces = [*numbers.map { |number| "#<Ruby::Box:#{number}>::" }, ""]
    wanted = spaces.flat_map { |space| ["#{space}Price#total", "#{space}Price#spin", "#{space}Price.fail", "#{space}Price::Wrong"] }
    stacks_in = lambda { |one, space| one.cells.map { |cell| one.stack(cell.node) }.select { |stack| stack.include?("#{space}Price#spin") } }
    dump = program.dump_until("all of them") { |one| (wanted - one.labels).empty? && spaces.all? { |space| stacks_in[one, space].any? } }
    assert_equal wanted.sort, dump.labels.grep(/Price(#total|#spin|\.fail|::Wrong)/).sort
    spaces.each do |space|
      stacks_in[dump, space].each { |stack| assert_equal ["#{space}Price#total"], stack.grep(/Price#total/) }
    end
    assert_empty dump.labels.grep(/Ruby::Box.*(Integer|Process|Kernel)/)
    assert_equal 0, dump.windows.last["counters"]["vm_unknown"].to_i[17]
    program.puts
    assert_predicate program.finish.status, :success?
  end

  # Who waits for a port is blocked in the method that does, for as long as nothing comes.
  def test_waits_for_ports
    skip "this Ruby has no Ractor::Port" unless defined?(Ractor::Port)
    dump, program = history(NOW + <<~'RUBY', env: FAST, options: ["-W0"])
      def wait_for(port) = port.receive
      port = Ractor::Port.new
      ractor = Ractor.new(port) { |to| 5.times { sleep 0.05; to << 1 } }
      from = now
      5.times { wait_for(port) }
      puts now - from
      ractor.join
      window_over
    RUBY
    waited = dump.total(thread: dump.main.serial, on_stack: "Object#wait_for", state: %w[blocked waiting])
    assert_operator waited, :<=, program.out.to_i + 10 * NS_PER_MS
    assert_operator waited, :>, 0
    leaves = dump.cells_of(dump.main.serial).select { |cell| cell.state == "blocked" && dump.on_stack?(cell.node, "Object#wait_for") }
                 .map { |cell| dump.leaf(cell.node) }
    assert_includes leaves, "Ractor::Port#receive"
  end

  def test_threads_that_share_native_ones
    program = run_program("print RUBY_DESCRIPTION", env: { "RUBY_MN_THREADS" => "1" }, with: false)
    skip "this Ruby has no M:N threads" unless program.out.include?("+MN")
    dump, = history(<<~'RUBY', env: { "RUBY_MN_THREADS" => "1", **FAST })
      def nap = sleep(0.03)
      threads = 6.times.map { |i| Thread.new { Thread.current.name = "sharer #{i}"; 5.times { nap; 20_000.times { |k| k.to_s } } } }
      threads.each(&:join)
      window_over
    RUBY
    6.times do |i|
      thread = dump.thread("sharer #{i}") or flunk "no sharer #{i} among #{dump.threads.values.map(&:name)}"
      assert_operator dump.total(thread: thread.serial, on_stack: "Object#nap", state: %w[blocked waiting]), :>, 0, i
      assert_whole_life(dump, thread, absolute: 5 * NS_PER_MS)
    end
  end

  # Two that never let go of the GVL change places at each end of a timeslice, whatever that is: both run, both wait.
  def test_timeslices
    minor = RUBY_VERSION.split(".").first(2).map(&:to_i)
    skip "this Ruby has no RUBY_THREAD_TIMESLICE" if (minor <=> [3, 4]) == -1
    dump, = history(<<~'RUBY', env: { "RUBY_THREAD_TIMESLICE" => "10", **FAST })
      def spin = (cpu = 0; from = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID); nil while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) - from < 0.3)
      2.times.map { |i| Thread.new { Thread.current.name = "spinner #{i}"; spin } }.each(&:join)
      window_over
    RUBY
    2.times do |i|
      thread = dump.thread("spinner #{i}")
      assert_operator dump.total(thread: thread.serial, on_stack: "Object#spin", state: "running"), :>, 0
      assert_operator dump.total(thread: thread.serial, state: "waiting"), :>, 0
      assert_whole_life(dump, thread, absolute: 5 * NS_PER_MS)
    end
    assert_lock_is_one(dump)
  end

  # The scheduler is asked for the same with and without the extension, whatever hooks the Ruby knows.
  def test_hooks_of_a_scheduler
    assert_undisturbed(<<~'RUBY', options: ["-W0", "-r#{File.expand_path("../fiber_loop", __dir__)}"])
      class Seen < Loop
        ASKED = Hash.new(0)
        %i[block unblock kernel_sleep io_wait io_read io_write io_select io_close process_wait timeout_after address_resolve
           fiber_interrupt blocking_operation_wait yield].each do |hook|
          next unless Loop.method_defined?(hook) || hook == :yield
          define_method(hook) { |*rest, **more, &block| ASKED[hook] += 1 unless hook == :unblock; hook == :yield ? kernel_sleep(0) : super(*rest, **more, &block) }
        end
      end
      Thread.new do
        Fiber.set_scheduler(Seen.new)
        queue, (reader, writer) = Queue.new, IO.pipe
        Fiber.schedule { 3.times { queue.pop } }
        Fiber.schedule { 3.times { |i| sleep 0.001; queue << i } }
        Fiber.schedule { reader.read(3) }
        Fiber.schedule { sleep 0.002; writer << "abc"; writer.close }
      end.join
      puts %i[kernel_sleep io_wait].map { |hook| Seen::ASKED[hook] > 0 }.inspect
    RUBY
  end

  # A frame that ZJIT has compiled does not say itself what it is, nor where: native code's stack does. The program's text is the
  # truth: what stands above a method is named in the line that called it, whether a thread's stack was looked at by another
  # one, when it let go of the GVL, or at a safepoint; inlined, in a block, behind a throw.
  def test_stacks_and_lines_with_zjit
    skip "this Ruby has no ZJIT" unless defined?(RubyVM::ZJIT)
    text = AWAKE + <<~'RUBY'
      class Way
        def go(list)
          first = nap(0) + 1
          nap(first)
          count = inside(list)
          spin(count)
          count += 1
          from_a_block(list)
          catch(:out) { thrower(list) }
          count
        end
        def nap(zero)
          doze if zero == 0

          doze; zero
        end
        def doze = sleep(0.002)
        def inside(list) = list.size + small(list)
        def small(list)
          size = list.size
          size += list.sort { |one, other| slow(one); one <=> other }.size
          size
        end
        def slow(one) = (1..300).sum { |i| i ^ one }
        def spin(count)
          at = 0
          while at < 3000
            at += step(at)
          end
          count
        end
        def step(at) = at.even? ? 1 : 1
        def from_a_block(list)
          list.each do |one|
            next if one < 3

            nap(one)
          end
        end
        def thrower(list)
          list.each { |one| throw(:out, slow(one)) }
        end
      end
      way, list, before = Way.new, [3, 1, 2], RubyVM::ZJIT.stats[:compiled_iseq_count]
      50.times { way.go(list) }
      $stdout.syswrite("#{RubyVM::ZJIT.enabled?} #{RubyVM::ZJIT.stats[:compiled_iseq_count] - before >= 8}\n")
      Thread.new { loop { way.go(list) } }
      $stdin.gets
    RUBY
    program = start(text, env: FAST, options: %w[--zjit --zjit-call-threshold=3 --zjit-num-profiles=1])
    assert_equal "true true", program.line
    wanted = [%w[doze sleep], %w[nap doze], %w[go nap], %w[from_a_block nap], %w[go inside], %w[inside small], %w[small slow],
              %w[go from_a_block], %w[go thrower], %w[thrower slow]]
    twice = [%w[nap doze], %w[go nap]]
    lines_of = ->(calls, pair) { calls.count { |call| call.first(2) == pair } }
    dump = program.dump_until("all calls") do |one|
      calls = calls_in_way(one)
      wanted.all? { |pair| lines_of[calls, pair] > 0 } && twice.all? { |pair| lines_of[calls, pair] > 1 }
    end
    calls = calls_in_way(dump)
    lines = text.lines
    wrong = calls.reject { |_, callee, line| lines[line - 1]&.match?(/(?<!def )\b#{callee}\b/) }
    assert_empty wrong, lines.each_with_index.map { |line, at| "#{at + 1} #{line}" }.join
    assert_equal [2, 2], (twice.map { |pair| lines_of[calls, pair] })
    program.puts
    assert_predicate program.finish.status, :success?
  end

  # [caller, callee, line of the caller] of each method of Way, and what it called: of Way, in C, or of Ruby's own (which
  # may have called one of Way's for it: a block).
  def calls_in_way(dump)
    dump.cells.map(&:node).uniq.flat_map do |node|
      named = dump.stack_frames(node).map { |frame, line| [frame["label"][/[^#]+\z/], line, frame["label"].start_with?("Way#")] }
      named.each_cons(2).filter_map do |(callee, _, own), (name, line, way)|
        [name, callee, line] if way && callee != name && (own || %w[sleep sort sum each catch throw].include?(callee))
      end
    end.uniq
  end

  # Be it in Ruby or in C: a block that a Set calls stands below the method that calls it, and every call is counted.
  def test_sets
    program = start(AWAKE + <<~'RUBY', env: FAST)
      require "set"
      SET = Set.new(1..1000)
      def work(number) = (number * 7).to_s.hash
      def walk = SET.each { |number| work(number) }
      Thread.new { loop { walk; sleep 0.001 } }
      $stdin.gets
    RUBY
    dump = program.dump_until("a Set that is walked") do |one|
      one.cells.any? { |cell| (stack = one.stack(cell.node)).include?("Set#each") && stack.include?("Object#walk") }
    end
    stack = dump.cells.map { |cell| dump.stack(cell.node) }.find { |one| one.include?("Set#each") && one.include?("Object#walk") }
    assert_operator stack.index("Set#each"), :<, stack.rindex("Object#walk")
    program.puts
    assert_predicate program.finish.status, :success?
    assert_empty program.err
  end

  # Another collector may be loaded in place of the VM's own: what it does not tell is said.
  def test_another_collector
    name = RbConfig::CONFIG["modular_gc_dir"].to_s
    gcs = Dir["#{name}/librubygc.*.so"].map { |path| path[/librubygc\.(\w+)\.so/, 1] }
    skip "this Ruby has no other collectors to load" if gcs.empty?
    gcs.each do |gc|
      program = start(AWAKE + "20.times { GC.start }\n$stdin.gets", env: { "RUBY_GC_LIBRARY" => gc, **FAST })
      # Their time is told, or that it is not.
      program.dump_until("collections of #{gc}") do |one|
        one.total(state: %w[marking sweeping]) > 0 || one.windows.any? { |window| window["counters"]["vm_unknown"].to_i[14] == 1 }
      end
      program.puts
      assert_predicate program.finish.status, :success?
    end
  end
end
