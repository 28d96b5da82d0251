# Fibers under a scheduler: a thread's waiting time is theirs. The scheduler of these programs knows the truth
# (fiber_loop.rb).
# Waits nearly all of the time
require_relative "../support"

class FibersTest < Minitest::Test
  include Support

  FAST = { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" }.freeze
  MS = 1_000_000

  def start(code, options: [], **) = super(code, options: ["-r#{__dir__}/../fiber_loop.rb", *options], **)

  def truth(program) = program.out.lines.to_h { |line| line.split.then { |kind, ns| [kind, ns.to_i] } }

  def waited(dump, kind, **) = dump.total(on_stack: "Object##{kind}", state: "blocked", **)

  def assert_true(dump, program, *kinds)
    told = truth(program)
    kinds.each do |kind|
      assert_operator told.fetch(kind), :>, 20 * MS
      assert_near told[kind], waited(dump, kind), relative: 0.1, absolute: 15 * MS, message: kind
    end
  end

  def assert_conserved(dump) = dump.threads.each_value { |thread| assert_whole_life dump, thread }

  MIXED = <<~'RUBY'
    under_scheduler do
      over = later(1.2)
      reader, writer = IO.pipe
      queue = Thread::Queue.new
      20.times { Fiber.schedule { wait_a until over.call } }
      10.times { Fiber.schedule { wait_b until over.call } }
      5.times { Fiber.schedule { (wait_pipe(reader) while true) rescue EOFError } }
      5.times { Fiber.schedule { nil while wait_queue(queue) } }
      Fiber.schedule { (3.times { writer.write("x") }; queue << 1; sleep 0.05) until over.call; writer.close; queue.close }
    end
    tell
  RUBY

  def test_waiting_belongs_to_the_fibers
    dump, program = history(MIXED, env: FAST)
    assert_true dump, program, "wait_a", "wait_b", "wait_pipe", "wait_queue"
    leaves = { "wait_a" => "Kernel#sleep", "wait_pipe" => "IO#readpartial", "wait_queue" => "Thread::Queue#pop" }
    leaves.each { |kind, leaf| assert_equal waited(dump, kind), waited(dump, kind, leaf: leaf) }
    assert_conserved dump
    dump.threads.each_value { |thread| assert_windows_whole dump, thread }
  end

  def test_waiting_belongs_to_the_fibers_at_the_recorders_rate
    dump, program = history(MIXED, env: { "RPERF_TOP_BUDGET" => "100" })
    assert_true dump, program, "wait_a", "wait_b", "wait_pipe", "wait_queue"
    assert_conserved dump
  end

  # Waits much shorter than a millisecond go to one fiber each; more stacks than there are groups, too.
  def test_short_waits_and_many_stacks
    dump, program = history(<<~'RUBY', env: FAST)
      100.times { |i| eval "def place_#{i} = Loop.counted(:place_#{i} ) { sleep 0.05 }" }
      def short = Loop.counted(:short) { sleep 0.0003 }
      under_scheduler do
        over = later(1.2)
        3.times { Fiber.schedule { short until over.call } }
        10.times { Fiber.schedule { wait_b until over.call } }
      end
      under_scheduler do
        over = later(0.7)
        100.times { |i| Fiber.schedule { send("place_#{i}") until over.call } }
        100.times { Fiber.schedule { wait_a until over.call } }
      end
      tell
    RUBY
    assert_true dump, program, "short", "wait_b"
    told = truth(program)
    places = (0...100).map { |i| waited(dump, "place_#{i}") }
    assert_operator places.sum + waited(dump, "wait_a"), :<, told.values.sum + 50 * MS
    assert_operator places.count { |ns| ns > MS }, :>, 40
    assert_conserved dump
  end

  def test_what_lasts_is_seen_before_it_ends
    program = start(<<~'RUBY', env: FAST)
      reader, writer = IO.pipe
      under_scheduler do
        3.times { Fiber.schedule { wait_pipe(reader) } }
        Fiber.schedule { wait_long 100 }
      end
      writer.close
    RUBY
    dump = program.dump_until("waits that go on") { |d| waited(d, "wait_long") > 200 * MS }
    assert_near waited(dump, "wait_long") * 3, waited(dump, "wait_pipe"), relative: 0.01
    assert_equal 4, dump.windows.last["counters"]["fibers_waiting"]
    assert_operator dump.total(leaf: "IO.select", state: "blocked"), :<, waited(dump, "wait_long")
  end

  # The thread's own code waits, while fibers wait and the loop does not run; generators do not wait at all.
  def test_other_waits_are_not_the_fibers
    dump, program = history(<<~'RUBY', env: FAST)
      def own_sleep = (from = Loop.now; 10.times { sleep 0.03 }; Loop::TRUTH["own_sleep"] += Loop.now - from)
      def lock_held(mutex) = mutex.synchronize { 1 }
      under_scheduler do |scheduler|
        numbers = Enumerator.new { |to| loop { to << 1 } }
        plain = Fiber.new { loop { Fiber.yield } }
        20.times { plain.resume; numbers.next }
        8.times { Fiber.new { loop { Fiber.yield } }.resume }
        2.times { Fiber.schedule { wait_long 0.5 } }
        Fiber.schedule { inner = Enumerator.new { |to| loop { to << wait_a } }; 20.times { inner.next } }
        own_sleep
        plain.resume
      end
      tell
    RUBY
    assert_true dump, program, "own_sleep", "wait_long", "wait_a"
    assert_conserved dump
  end

  # Each fiber waits under its own labels, be they set before it waits or in a wait before.
  def test_labels_are_those_of_the_fiber
    dump, program = history(<<~'RUBY', env: FAST)
      def wait_of(kind) = Loop.counted(kind) { sleep 0.02 }
      under_scheduler do
        over = later(0.8)
        3.times { Fiber.schedule { RperfTop.label(route: "a") { wait_of(:a) } until over.call } }
        2.times { Fiber.schedule { RperfTop.label(route: "b") { wait_of(:b) until over.call } } }
        Fiber.schedule { wait_of(:none) until over.call }
      end
      tell
    RUBY
    told = truth(program)
    by_label = dump.cells.each_with_object(Hash.new(0)) do |cell, sums|
      stack = dump.stack(cell.node)
      sums[stack.last] += cell.wall if stack.include?("Object#wait_of") && cell.state == "blocked"
    end
    %w[a b].each { |route| assert_near told[route], by_label.sum { |root, ns| root.match?(/route.*\b#{route}\b/m) ? ns : 0 }, relative: 0.1, absolute: 15 * MS, message: by_label.inspect }
  end

  def test_threads_that_end_and_a_profiler_that_stops_and_starts
    dump, program = history(<<~'RUBY', env: FAST)
      2.times do
        Thread.new do
          under_scheduler { over = later(0.3); 5.times { Fiber.schedule { wait_a until over.call } } }
        end.join
      end
      Thread.new do
        scheduler = Loop.new
        scheduler.enter
        Fiber.set_scheduler(scheduler)
        5.times { Fiber.schedule { wait_long 100 } }
        scheduler.abandoned = true
        20.times { Fiber.schedule { sleep 0.01 }; scheduler.run_once }
      end.join
      # On a machine that does nothing for seconds the session before is still being written.
      start_again = lambda do
        RperfTop.start(record_hz: 1000, budget: 100)
      rescue RuntimeError
        sleep 0.02
        retry
      end
      5.times do
        under_scheduler do
          over = later(0.1)
          5.times { Fiber.schedule { wait_b until over.call } }
          Fiber.schedule { RperfTop.stop; wait_a; start_again.call }
        end
      end
      under_scheduler { over = later(0.5); 5.times { Fiber.schedule { wait_b until over.call } } }
      window_over
    RUBY
    assert_operator waited(dump, "wait_b"), :>, 400 * MS
    assert_conserved dump
    assert_predicate program.status, :success?
  end

  def test_forks
    dump, = history(<<~'RUBY', env: FAST)
      under_scheduler do
        over = later(0.4)
        5.times { Fiber.schedule { wait_a until over.call } }
      end
      pid = fork do
        under_scheduler { over = later(0.5); 5.times { Fiber.schedule { wait_b until over.call } } }
        window_over
      end
      Process.wait pid
      window_over
    RUBY
    child = (channels - channels(dump["pid"])).map { |path| Dump.read(path) }.find { |one| waited(one, "wait_b") > 0 }
    refute_nil child
    assert_operator waited(child, "wait_b"), :>, 400 * MS
    assert_conserved dump
    assert_whole_life child, child.main, absolute: 100 * MS if child.told_ns
  end

  # Exceptions that come in the midst of a switch, fibers that nobody goes back to, a heap that is moved.
  def test_what_is_hard_on_fibers
    dump, = history(<<~'RUBY', env: FAST)
      class Stop < StandardError; end
      under_scheduler do |scheduler|
        over = later(1.0)
        main = Thread.current
        stops = Thread.new { (sleep 0.002; main.raise(Stop)) until over.call }
        10.times { Fiber.schedule { begin; wait_a; rescue Stop; end until over.call } }
        Fiber.schedule do
          until over.call
            begin
              50.times { Fiber.new(blocking: false) { wait_long 1000 }.then { |fiber| fiber.resume if false } }
              Array.new(200) { Fiber.new { Fiber.yield }.tap(&:resume) }
              GC.compact if GC.respond_to?(:compact)
              sleep 0.02 # compaction takes most of the time otherwise
            rescue Stop
            end
          end
        end
        begin
          scheduler.run
          stops.join
        rescue Stop
          retry
        end
      end
      window_over
    RUBY
    assert_operator waited(dump, "wait_a"), :>, 100 * MS
    assert_conserved dump
  end

  # Beyond the budget the loop keeps what is not known; nothing is lost.
  def test_a_small_budget
    dump, = history(<<~'RUBY', env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "0.01" })
      under_scheduler do
        over = later(1.0)
        100.times { Fiber.schedule { Loop.counted(:short) { sleep 0.0001 } until over.call } }
      end
      window_over
    RUBY
    assert_conserved dump
  end

  def test_fibers_without_a_scheduler
    dump, = history(<<~'RUBY', env: FAST)
      numbers = Enumerator.new { |to| loop { to << 1 } }
      stop = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 0.5
      1000.times { numbers.next } while Process.clock_gettime(Process::CLOCK_MONOTONIC) < stop
      Thread.new { Fiber.new { sleep 0.2 }.resume }.join
      window_over
    RUBY
    assert_operator dump.total(leaf: "Kernel#sleep", state: "blocked"), :>, 190 * MS
    assert_empty dump.windows.filter_map { |window| window["counters"]["fibers_waiting"] }
    assert_conserved dump
  end

  # The gems have a folder of their own (.setup/gems).
  def gems(*names)
    root = File.expand_path("../../..", __dir__)
    home = "#{`#{root}/.setup/gems -p #{RbConfig.ruby}`.lines.first.to_s.chomp}/frameworks"
    names.each { |name| Dir["#{home}/gems/#{name}-[0-9]*/lib"].any? or skip "the gem #{name} is not here" }
    FAST.merge("GEM_PATH" => home, "GEM_HOME" => home)
  end

  # What was told first, before the profiler had a name for anything, counts too.
  def test_async
    dump, = history(<<~'RUBY', env: gems("async"))
      require "async"
      def wait_a = sleep(0.1)
      def wait_b = sleep(0.3)
      def wait_pipe(io) = io.readpartial(1)
      reader, writer = IO.pipe
      sleep 0.1
      Async do |task|
        tasks = 20.times.map { task.async { 12.times { wait_a } } }
        tasks += 10.times.map { task.async { 4.times { wait_b } } }
        5.times { task.async { wait_pipe(reader) rescue EOFError } }
        tasks.each(&:wait)
        writer.close
      end
      window_over
    RUBY
    sums = %w[wait_a wait_b wait_pipe].map { |kind| waited(dump, kind) }
    assert_operator sums.sum, :>, 800 * MS
    [20, 10, 5].zip(sums).each { |fibers, ns| assert_near sums.sum * fibers / 36.0, ns, relative: 0.12, absolute: 30 * MS, message: sums.inspect }
    assert_conserved dump
  end

  # Rows of the last window with fibers, or sums over all windows: {name or nil => [alive, waiting, wait_ns, longest_ns]}.
  def kinds(dump, windows)
    windows.flat_map { |window| window["fibers"] }.each_with_object({}) do |(_, name, node, *figures), sums|
      kind = name == 0 ? dump.stack(node).first : dump.stack(name).first
      sums[kind] = (sums[kind] || [0, 0, 0, 0]).zip(figures).each_with_index.map { |pair, at| at == 3 ? pair.max : pair.sum }
    end
  end

  # Each fiber waits by itself, and the program knows for how long.
  def test_waits_of_fibers_by_where_they_wait
    dump, program = history(<<~'RUBY', env: FAST)
      OWN = Hash.new(0.0)
      def own(kind) = (from = Loop.now; yield.tap { OWN[kind] += Loop.now - from })
      def wait_x = own(:sleep) { sleep 0.03 }
      def wait_y(queue) = own(:pop) { queue.pop }
      under_scheduler do
        over, queue = later(1.5), Thread::Queue.new
        30.times { Fiber.schedule { wait_x until over.call } }
        6.times { Fiber.schedule { nil while wait_y(queue) } }
        Fiber.schedule { (sleep 0.2; 6.times { queue << 1 }) until over.call; queue.close }
      end
      window_over
      OWN.each { |kind, seconds| puts "#{kind} #{(seconds * 1e9).round}" }
    RUBY
    told, found = truth(program), kinds(dump, dump.windows)
    assert_near told["sleep"], found.fetch("Kernel#sleep")[2], relative: 0.1, message: found.inspect
    assert_near told["pop"], found.fetch("Thread::Queue#pop")[2], relative: 0.1, message: found.inspect
    assert_operator found.fetch("Thread::Queue#pop")[3], :>, 150 * MS
    during = dump.windows.map { |window| kinds(dump, [window]) }.select { |kinds| kinds["Thread::Queue#pop"] }
    counts = during.map { |kinds| kinds.values.sum { |alive,| alive } }
    assert_includes 36..38, counts.max, counts.inspect
  end

  # They wait for ever, and nobody holds them: the GC takes them, and then they wait no more. Those that are held stay.
  def test_fibers_that_are_collected
    program = start(<<~'RUBY', env: FAST)
      class Loop
        def forget = @root.transfer
      end
      KEPT = []
      def lost = Fiber.scheduler.forget
      def kept = Fiber.scheduler.forget
      Thread.new { $collects = gets; $over = gets || true }
      under_scheduler do
        20.times { Fiber.schedule { lost } }
        5.times { Fiber.schedule { KEPT << Fiber.current; kept } }
        Fiber.schedule { (sleep 0.02; 1000.times { |i| i.to_s }; GC.start if $collects) until $over }
      end
    RUBY
    alive = lambda do |dump|
      rows = (dump.windows.last&.fetch("fibers") || []).map { |row| [dump.stack(row[2]), row[4]] }
      %w[lost kept].map { |kind| rows.sum { |stack, count| stack.include?("Object##{kind}") ? count : 0 } }
    end
    program.dump_until("all wait") { |dump| alive[dump] == [20, 5] }
    program.puts
    program.dump_until("the others are gone") { |dump| alive[dump].then { |lost, kept| lost <= 2 && kept == 5 } }
    program.puts
    program.finish
    assert_empty program.err
  end

  # A name is what the program calls the task: numbers are no part of it, and neither is what a fiber was called before.
  def test_names_of_tasks
    program = start(<<~'RUBY', env: gems("async"))
      require "async"
      class Loud < String
        def to_s = abort("called")
        alias to_str to_s
        alias inspect to_s
      end
      Async do |task|
        40.times { |i| task.async { |own| own.annotate("connection 10.0.0.7:#{40000 + i} of worker 3"); sleep 100 } }
        7.times { task.async(annotation: Loud.new("loud").freeze) { sleep 100 } }
        2.times { task.async(annotation: Object.new) { sleep 100 } }
        3.times { task.async { |own| own.annotate("ÿ\e[31m" * 200); sleep 100 } }
        task.async do |own|
          own.annotate("first") { sleep 0.2 }
          own.annotate("second")
          sleep 0.01 while true
        end
      end
    RUBY
    dump = program.dump_until("names of all tasks") do |d|
      last = kinds(d, d.windows.last(1))
      last["second"] && last["second"][0] == 1 && !last["first"] && last["connection 10.0.0.7:# of worker 3"]
    end
    last = kinds(dump, dump.windows.last(1))
    assert_equal [40, 40], last.fetch("connection 10.0.0.7:# of worker 3").first(2), last.inspect
    assert_equal [7, 7], last.fetch("loud").first(2)
    hostile = last.select { |name, _| name.include?("[31m") }
    assert_equal [3], hostile.values.map(&:first), last.inspect
    assert(last.keys.all? { |name| name.bytesize < 400 })
  end

  # More names than there is room for: the rest have none, and time is told all the same.
  def test_too_many_names
    dump, = history(<<~'RUBY', env: gems("async"))
      require "async"
      Async do |task|
        letters = ("aa".."zz").to_a
        tasks = letters.map { |name| task.async { |own| own.annotate(name); 8.times { sleep 0.05 } } }
        tasks.each(&:wait)
      end
      window_over
    RUBY
    all = kinds(dump, dump.windows)
    assert_operator all.keys.compact.count { |name| name.match?(/\A[a-z]{2}\z/) }, :<=, 256
    assert_operator all.values.sum { |row| row[2] }, :>, 600 * 200 * MS
    assert_conserved dump
  end

  # A server with slow and quick requests and connections that are kept: in a second the client's fibers wait longer than
  # the server works.
  def test_a_server_of_async_http
    dump, program = history(<<~'RUBY', env: gems("async", "async-http"))
      require "async"
      require "async/http"
      module Slow
        def self.query = sleep(0.05)
      end
      module Quick
        def self.query = sleep(0.01)
      end
      from = nil
      Async do |task|
        endpoint = Async::HTTP::Endpoint.parse("http://127.0.0.1:0", protocol: Async::HTTP::Protocol::HTTP11)
        bound = endpoint.bound
        port = bound.sockets.first.local_address.ip_port
        server = Async::HTTP::Server.for(bound, protocol: Async::HTTP::Protocol::HTTP11, scheme: "http") do |request|
          request.path == "/slow" ? Slow.query : Quick.query
          Protocol::HTTP::Response[200, {}, ["done"]]
        end
        serving = task.async { server.run }
        clients = %w[/slow /quick].flat_map do |path|
          8.times.map do
            task.async do
              client = Async::HTTP::Client.new(Async::HTTP::Endpoint.parse("http://127.0.0.1:#{port}"))
              (path == "/slow" ? 16 : 60).times { client.get(path).finish }
            ensure
              client&.close
            end
          end
        end
        clients.each(&:wait)
        serving.stop
      end
      puts "served"
      window_over
    RUBY
    assert_equal "served", program.out.strip
    slow, quick = %w[Slow.query Quick.query].map { |name| dump.total(on_stack: name, state: "blocked") }
    clients = dump.total(leaf: "IO#wait_readable", state: "blocked")
    # Where others have the cores, the thread that waits for them all waits little: how long is not known.
    assert_operator [slow, quick].min, :>, 0
    assert_operator slow + quick, :>, clients / 4
    loop_itself = dump.total(leaf: "IO::Event::Selector::EPoll#select", state: "blocked")
    assert_operator loop_itself, :<, slow + quick
    assert_conserved dump
  end
end
