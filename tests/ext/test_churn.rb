# Programs that make methods, classes, stacks and threads without end: same results,
# bounded memory.
require_relative "support"

class ChurnTest < Minitest::Test
  include Support

  FAST = { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" }.freeze

  SAME = {
    eval_methods: "n = 0; 6000.times { |i| eval(\"def m\#{i} = \#{i}\"); n += send(\"m\#{i}\") }; puts n",
    classes: "n = 0; 4000.times { |i| c = Class.new { define_method(:foo) { i }; include Comparable; include Enumerable; def each = yield(1) }; n += c.new.foo + c.new.map { |x| x }[0] }; puts n",
    singletons: "n = 0; 8000.times { |i| o = Object.new; o.define_singleton_method(:x) { i }; n += o.x }; puts n",
    modules: "n = 0; 2000.times { |i| m = Module.new { define_method(:x) { i } }; o = Object.new.extend(m); n += o.x }; puts n",
    deep: "def deep(n) = n == 0 ? 0 : 1 + deep(n - 1)\nputs 40.times.sum { deep(9000) }",
    fibers: "puts 4000.times.sum { |i| f = Fiber.new { Fiber.yield(i); 1 }; f.resume + f.resume }",
    enumerators: "puts 2000.times.sum { |i| e = [i, 2].each; e.next + e.next }",
    exceptions: "n = 0; 60_000.times { begin; raise 'x'; rescue; n += 1; end }; puts n",
    catch_throw: "n = 0; 60_000.times { catch(:a) { throw :a }; n += 1 }; puts n",
    timeouts: "require 'timeout'; n = 0; 120.times { begin; Timeout.timeout(0.002) { sleep 1 }; rescue Timeout::Error; n += 1; end }; puts n",
    thread_raise: "n = 0; 200.times { t = Thread.new { begin; sleep; rescue RuntimeError; n += 1; end }; Thread.pass until t.stop?; t.raise('x'); t.join }; puts n",
    thread_raise_while_computing: "n = 0; 20.times { t = Thread.new { begin; loop { 1 + 1 }; rescue RuntimeError; n += 1; end }; Thread.pass until t.status; sleep 0.001; t.raise('x'); t.join }; puts n",
    thread_kill: "n = 0; 200.times { t = Thread.new { begin; loop { 10.times { |i| i.to_s } }; ensure; n += 1; end }; sleep 0.0005 until n || t.status; t.kill; t.join }; puts n <= 200",
    handle_interrupt: "n = 0; 60.times { t = Thread.new { Thread.handle_interrupt(RuntimeError => :never) { begin; Thread.handle_interrupt(RuntimeError => :immediate) { sleep }; rescue; n += 1; end } }; Thread.pass until t.stop?; t.raise('x'); t.join }; puts n",
    refinements: "600.times { |i| eval \"module R\#{i}; refine(Integer) { def r\#{i} = self + \#{i} }; end; using R\#{i}; $n = 1.r\#{i}\" }; puts $n",
    tracepoint: "n = 0; TracePoint.new(:call, :c_call, :return) { n += 1 }.enable { def t(x) = x.to_s; 3000.times { |i| t(i) } }; puts n >= 9000",
    binding: "x = 0; 4000.times { b = binding; b.local_variable_set(:x, b.local_variable_get(:x) + 1) }; puts x",
    ractors: "puts 4.times.map { |r| Ractor.new(r) { |k| 60_000.times.sum { |i| i.to_s.size } + k } }.sum(&:value)",
    # 4.0 has ports in place of Ractor.yield and Ractor#take.
    ractor_messages: defined?(Ractor::Port) ?
      "port = Ractor::Port.new; r = Ractor.new(port) { |to| loop { to << Ractor.receive + 1 } }; n = 0; 3000.times { r.send(n); n = port.receive }; puts n" :
      "r = Ractor.new { loop { Ractor.yield Ractor.receive + 1 } }; n = 0; 3000.times { r.send(n); n = r.take }; puts n",
  }.freeze

  SAME.each do |name, code|
    define_method("test_same_result_#{name}") do
      program = assert_undisturbed(code, env: FAST, options: ["-W0"])
      assert program.status.success?, program.err
    end
  end

  # The segment, and what the extension may take beside it, in kB.
  SEGMENT_AND_16_MB = (12 + 16) * 1024

  # Peak resident memory of the program, without and with the extension.
  def assert_memory_is_bounded(code)
    code += "\nGC.start\nputs File.read('/proc/self/status')[/VmHWM:\\s+(\\d+)/, 1]\n"
    plain = start(code, with: false).finish.out.to_i
    profiled = run_program(code, env: FAST).out.to_i
    assert_operator plain, :>, 1000
    assert_operator profiled - plain, :<, SEGMENT_AND_16_MB, "#{plain} kB without, #{profiled} kB with"
  end

  def test_memory_is_bounded
    assert_memory_is_bounded(<<~'RUBY')
      20_000.times { |i| eval("def m#{i % 5000}_#{i} = #{i}; m#{i % 5000}_#{i}") }
      4000.times { |i| c = Class.new { define_method(:foo) { i.to_s }; def bar = [3, 1].sort }; c.new.foo; c.new.bar }
      def deep(n) = n == 0 ? 0 : 1 + deep(n - 1)
      30.times { deep(9000) }
      500.times { Thread.new { sleep 0.0001 } }
      sleep 0.001 until Thread.list.size == 1
    RUBY
  end

  # A class, a singleton and evaluated methods per request, for as many requests as the tables could never hold.
  def test_memory_of_a_class_per_request
    assert_memory_is_bounded(<<~'RUBY')
      40_000.times do |i|
        c = Class.new { define_method(:foo) { 9.times { |k| k.to_s } }; def bar = 9.times { |j| j.to_s }; eval "def e#{i} = 9.times { |j| j.to_s }" }
        o = c.new
        o.define_singleton_method(:x) { 9.times { |k| k.to_s } }
        o.foo; o.bar; o.x; o.send("e#{i}")
      end
    RUBY
  end

  def test_memory_of_names_without_end
    assert_memory_is_bounded(<<~'RUBY')
      250.times { |i| eval("def m#{i}_#{"n" * 100_000} = 200.times { |j| j.to_s }; m#{i}_#{"n" * 100_000}", nil, "p" * 100_000 + i.to_s) }
    RUBY
  end

  # Classes whose methods were sampled, made and dropped: the profiler does not keep them. They have methods that were made
  # in Ruby and in C, and some are met again after a major collection.
  def test_dead_classes_can_go
    program = run_program(<<~'RUBY', env: FAST)
      def living = ObjectSpace.each_object(Class).count
      def spin(seconds, t = Process.clock_gettime(Process::CLOCK_MONOTONIC)) = (40.times { |j| j.to_s } while Process.clock_gettime(Process::CLOCK_MONOTONIC) - t < seconds)
      def use(i) = Class.new(Array) { def foo = each { spin(0.004) }; eval("def bar#{i} = spin(0.002)") }.new([i]).tap { |o| o.foo; o.send("bar#{i}") }
      before = living
      250.times { |i| use(i).then { |o| (GC.start; o.foo) if i % 50 == 0 } }
      GC.start
      puts living - before
    RUBY
    assert_operator program.out.to_i, :<, 10 # 250 when what was met is kept
    assert_empty program.err
  end

  # Memory of methods that are gone has other methods soon: each is shown by its own name, with its own time.
  def test_a_method_in_the_place_of_another
    program = run_program(<<~'RUBY', env: FAST.merge("RPERF_TOP_KEEP" => "1"))
      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      60.times do |i|
        c = Class.new
        c.class_eval("def turn#{i}(t = now) = (40.times { |j| j.to_s } while now - t < 0.02)\n" * 2)
        c.new.send("turn#{i}")
        c = nil
        GC.start
      end
    RUBY
    dump = Dump.read(program.channel)
    times = Array.new(60) { |i| dump.total(:wall, on_stack: "#<Class>#turn#{i}") / 1e6 }
    assert_operator times.count { |ms| ms < 12 }, :<=, 3, "ms of each, of 20: #{times.map(&:round)}"
  end
end
