# RperfTop.label and labels: what belongs to whom, and where the time of a labelled stretch is found.
require_relative "support"
require_relative "../chance"

class LabelsTest < Minitest::Test
  include Support
  include Chance

  SPIN = "def spin(s) = (t = Process.clock_gettime(Process::CLOCK_MONOTONIC); nil while Process.clock_gettime(Process::CLOCK_MONOTONIC) - t < s)\n"
  READY = "sleep 0.001 until Dir[ENV['RPERF_TOP_DIR'] + '/rperf-top.*.????????????????'].any?\n"

  def answers(code, **options) = run_program(code, **options).out.lines.map(&:chomp)

  # {text of the label set => wall}; "" without labels.
  def by_labels(dump, **wanted)
    dump.cells.each_with_object(Hash.new(0)) do |cell, sums|
      next if wanted[:thread] && cell.thread != wanted[:thread]
      next if wanted[:on_stack] && !dump.stack(cell.node).include?(wanted[:on_stack])
      root, = dump.stack_frames(cell.node).last
      sums[root && root["namespace"] == "(labels)" ? root["label"] : ""] += cell[wanted[:field] || :wall]
    end
  end

  # {text of a set with one label => how often it began}
  def begun(dump)
    dump.windows.flat_map { |window| window["begun"] }.each_with_object(Hash.new(0)) do |(node, _, count), sums|
      sums[dump.stack_frames(node).last[0]["label"]] += count
    end
  end

  def test_nested_and_restored
    assert_equal [{}, { a: "1" }, { a: "2", b: "x" }, { a: "2" }, { a: "1" }, {}, 42, {}, { kept: "1" }, {}].map(&:inspect),
                 answers(<<~'RUBY')
                   p RperfTop.labels
                   RperfTop.label(a: 1) do
                     p RperfTop.labels
                     RperfTop.label(b: :x, a: 2) { p RperfTop.labels; RperfTop.label(b: nil) { p RperfTop.labels } }
                     p RperfTop.labels
                   end
                   p RperfTop.labels
                   p RperfTop.label(a: 1) { 42 }
                   begin
                     RperfTop.label(a: 1) { raise "out" }
                   rescue RuntimeError
                     catch(:far) { RperfTop.label(a: 1) { throw :far } }
                     p RperfTop.labels
                   end
                   RperfTop.label(kept: 1)
                   p RperfTop.labels
                   RperfTop.label(kept: nil)
                   p RperfTop.labels
                 RUBY
  end

  # As frameworks pass blocks on: rb_yield of an argument would be an ArgumentError.
  def test_a_lambda_as_the_block
    assert_equal ["42", "{}"], answers("p RperfTop.label(a: 1, &-> { 42 })\np RperfTop.labels")
  end

  def test_any_text
    assert_equal [{ "a,b=c": "x,\\=y", "": "" }.inspect, "64 128", "16", "TypeError", "ArgumentError", "{}"], answers(<<~'RUBY')
      RperfTop.label("a,b=c" => "x,\\=y", "" => "") { puts RperfTop.labels.sort_by { |key, _| -key.size }.to_h.inspect }
      RperfTop.label("k" * 1000 => "v" * 1000) { key, value = RperfTop.labels.first; puts "#{key.size} #{value.size}" }
      RperfTop.label(**(1..40).to_h { |i| [:"k#{i}", i] }) { puts RperfTop.labels.size }
      bad = Class.new { def to_s = raise(TypeError) }.new
      begin; RperfTop.label(a: bad) { }; rescue TypeError => e; puts e.class; end
      begin; RperfTop.label(1) { }; rescue ArgumentError => e; puts e.class; end
      p RperfTop.labels
    RUBY
  end

  def test_of_a_thread_and_of_a_fiber
    assert_equal [{}, { f: "1" }, {}, { f: "1" }, { main: "1" }, {}].map(&:inspect), answers(<<~'RUBY')
      RperfTop.label(main: 1) do
        Thread.new { p RperfTop.labels }.join
        fiber = Fiber.new { RperfTop.label(f: 1) { p RperfTop.labels; Fiber.yield; p RperfTop.labels } }
        other = Fiber.new { p RperfTop.labels }
        fiber.resume
        other.resume
        fiber.resume
        p RperfTop.labels
      end
      p RperfTop.labels
    RUBY
  end

  def test_the_time_stands_below_the_set
    dump, program = history(SPIN + READY + <<~'RUBY', env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" })
      $took = Hash.new(0)
      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      def took(what) = (from = now; yield; $took[what] += now - from)
      def work(s, whose) = took(whose) { spin(s) }
      RperfTop.label(endpoint: "/users") { work(0.3, :users); took(:sleep) { sleep 0.2 }; RperfTop.label(user: 7) { work(0.2, :seven) } }
      work(0.1, :none)
      RperfTop.label(endpoint: "/users") { work(0.1, :users) }
      puts $took.values_at(:users, :seven, :none, :sleep)
      window_over
    RUBY
    users, seven, none, slept = program.out.lines.map(&:to_i)
    sums = by_labels(dump, on_stack: "Object#work")
    assert_near users, sums["endpoint=/users"], absolute: 40_000_000
    assert_near seven, sums["endpoint=/users,user=7"], absolute: 40_000_000
    assert_near none, sums[""], absolute: 40_000_000
    assert_near slept, by_labels(dump, on_stack: "Kernel#sleep")["endpoint=/users"], absolute: 15_000_000
    assert_equal 1, dump.labels.count("endpoint=/users"), "one frame for a set"
    assert_whole_life dump, dump.main, absolute: 2_000_000
    assert_equal dump.total(thread: dump.main.serial), by_labels(dump, thread: dump.main.serial).values.sum
  end

  def test_fibers_of_a_thread_are_told_apart
    dump, program = history(READY + <<~'RUBY', env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" })
      $took = Hash.new(0)
      def cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
      def part(n) = (i = 0; i += 1 while i < n)
      def took(whose, n) = (from = cpu; part(n); $took[whose] += cpu - from)
      one = Fiber.new { RperfTop.label(job: "one") { 40.times { took(:one, 300_000); Fiber.yield } } }
      two = Fiber.new { RperfTop.label(job: "two") { 40.times { took(:two, 600_000); Fiber.yield } } }
      40.times { one.resume; two.resume }
      puts $took.values_at(:one, :two)
    RUBY
    # About a third is the one's, less under YJIT, which compiles in the midst of it; but for what chance makes of so many
    # samples.
    one, two = program.out.lines.map(&:to_f)
    sums = by_labels(dump, on_stack: "Object#part", field: :cpu)
    samples = by_labels(dump, on_stack: "Object#part", field: :samples).values.sum
    assert_operator samples, :>, 20
    assert_in_delta one / (one + two), sums["job=one"].fdiv(sums.values.sum), [0.04, 5 * Math.sqrt(2 / 9.0 / samples)].max
    assert_operator sums["job=one"] + sums["job=two"], :>, 0.99 * sums.values.sum
  end

  # {label => time in thread_part}, and how long each slept: three threads, then the Ractor.
  def threads_and_a_ractor
    dump, program = history(SPIN + READY + <<~'RUBY', env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" })
      $VERBOSE = nil
      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      def thread_part = (from = now; sleep(0.2); now - from)
      threads = 3.times.map { |i| Thread.new { RperfTop.label(thread: i) { thread_part } } }
      ractor = Ractor.new { RperfTop.label(ractor: 1) { [thread_part, RperfTop.labels] } }
      puts threads.map(&:value)
      puts ractor.value
      window_over
    RUBY
    *slept, labels = program.out.lines(chomp: true)
    assert_equal({ ractor: "1" }.inspect, labels)
    [by_labels(dump, on_stack: "Object#thread_part"), slept.map(&:to_i)]
  end

  # In a Ractor only the end of a wait can be named, and of the one that it has that end may fall into the publisher's
  # work, when no stack is taken: then nothing of it is known. Not three times.
  def test_threads_and_ractors
    3.times do |try|
      sums, slept = threads_and_a_ractor
      3.times { |i| assert_near slept[i], sums["thread=#{i}"], absolute: 15_000_000 }
      next if sums["ractor=1"].zero? && try < 2
      assert_near slept[3], sums["ractor=1"], absolute: 15_000_000
      break
    end
  end

  # A set per request for ever: bounded, counted, and nothing is lost.
  def test_new_sets_for_ever
    dump, program = history(SPIN + READY + <<~'RUBY', env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100", "RPERF_TOP_SIZE" => "1" })
      def memory = File.read("/proc/self/statm").split[1].to_i * 4096
      RperfTop.label(app: "shop") do
        2000.times { |i| RperfTop.label(request: i) { i.to_s } }
        before = memory
        20_000.times { |i| RperfTop.label(request: "#{i}#{"-" * 100}") { i.to_s } }
        spin(0.2)
        RperfTop.label(request: "after") { spin(0.2) }
        puts memory - before
      end
      window_over
    RUBY
    assert_operator program.out.to_i, :<, 4 << 20
    assert_operator dump.counters["labels_overflowed"], :>, 20_000
    assert_whole_life dump, dump.main, absolute: 2_000_000
    assert_operator by_labels(dump)["app=shop"], :>, 380_000_000
    assert_operator dump.counters["node_count"], :<, dump["geometry"]["sections"]["3"] / 16
  end

  # A later to_s may do what it likes with the strings of those before.
  def test_labels_are_copied_as_they_are_read
    program = run_program(<<~'RUBY')
      text = "x" * 5000
      replacer = Object.new
      replacer.define_singleton_method(:to_s) { text.replace("y" * 100_000); $junk = Array.new(50) { "q" * 5000 }; "v" }
      compactor = Object.new
      compactor.define_singleton_method(:to_s) { GC.start; GC.compact; $junk = Array.new(20_000) { |i| "ZZZZZZZ#{i % 10}" }; "v" }
      bad = 0
      20.times do
        text = "x" * 5000
        RperfTop.label(a: text, b: replacer) { bad += 1 unless RperfTop.labels[:a].match?(/\Ax+\z/) }
        labels = (0...12).to_h { |k| [:"key_#{k}", "value#{k}"] }
        RperfTop.label(**labels, zzz: compactor) { bad += 1 unless labels.all? { |key, value| RperfTop.labels[key] == value } }
      end
      puts bad
    RUBY
    assert_equal "0\n", program.out
  end

  # label_ahead begins nothing; what is sure later does.
  def test_ahead
    dump, program = history(SPIN + READY + <<~'RUBY', env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" })
      3.times { RperfTop.label_ahead(a: 1) { spin(0.02); RperfTop.label(a: 1) } }
      2.times { RperfTop.label_ahead(a: 2) { spin(0.02); RperfTop.label(a: 1) } }
      p RperfTop.label_ahead(a: 3) { RperfTop.labels }, RperfTop.labels
      window_over
    RUBY
    assert_equal [{ a: "3" }, {}].map(&:inspect), program.out.lines(chomp: true)
    assert_equal({ "a=1" => 5 }, begun(dump))
    assert_operator by_labels(dump)["a=2"], :>, 20_000_000
  end

  def test_without_the_profiler
    assert_equal [{ a: "1" }, {}].map(&:inspect), answers("RperfTop.label(a: 1) { p RperfTop.labels }; p RperfTop.labels", env: { "RPERF_TOP" => "0" })
    dump, = history(SPIN + "RperfTop.label(early: 1) { RperfTop.start(record_hz: 1000); sleep 0.2; spin(0.2) }", env: { "RPERF_TOP" => "0" })
    assert_operator by_labels(dump)["early=1"], :>, 250_000_000
  end

  def test_the_child_of_a_fork_keeps_them
    program = start(SPIN + <<~'RUBY')
      $stdout.sync = true
      parent = Process.pid
      RperfTop.label(worker: 1) do
        pid = fork do
          p RperfTop.labels
          RperfTop.label(request: 2) { spin(0.01) while Process.ppid == parent } # not for ever when the test fails
        end
        puts pid
        gets
        Process.kill(:KILL, pid)
        Process.wait(pid)
      end
    RUBY
    lines = [program.line, program.line]
    assert_includes lines, { worker: "1" }.inspect
    pid = Integer(lines.grep(/\A\d+\z/).first)
    wait_for("labels of the child") do
      dump = Dump.read(program.channel(pid)) and by_labels(dump)["request=2,worker=1"] > 10_000_000
    end
    program.finish
  end
end
