# RperfTop.profile: what it returns is what the program itself knows of the block, and the block notices nothing.
# Runs beside one other
require_relative "support"

class ProfileTest < Minitest::Test
  include Support

  SPIN = <<~'RUBY'
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    def spin(s) = (t = now; nil while now - t < s * 1e9)
    def work(s) = (t = now; spin(s); now - t)
    def nap(s) = (t = now; sleep(s); now - t)
    def told(*values) = puts(values.map(&:inspect))
  RUBY
  FAST = { "RPERF_TOP_BUDGET" => "100" }
  OFF = { "RPERF_TOP" => "0" }.merge(FAST)

  def answers(code, **options)
    program = run_program(SPIN + code, **options)
    assert program.status.success?, program.err
    program.out.lines.map { |line| eval(line) }
  end

  # However it was started: not at all, recording, parked, deferred.
  def test_figures_are_those_of_the_program
    [OFF, FAST, { "RPERF_TOP_RECORD_HZ" => "0" }.merge(FAST), :defer].each do |env|
      first = env == :defer ? "RperfTop.start(defer: true, budget: 100)\n" : ""
      spent, slept, took, duration, found, nap, main, value = answers(first + <<~'RUBY', env: env == :defer ? OFF : env)
        spin(0.05)
        begun = now
        data = RperfTop.profile(hz: 1000) { [work(0.3), nap(0.2)] }
        took = now - begun
        spin(0.05)
        work, nap = data["Object#work"], data["Object#nap"]
        told(*data.value, took, data.duration, [work.total.wall, work.total.running + work.total.waiting, work.total.samples], nap.total.blocked)
        told data.threads.find(&:main).cost.wall, [data.frozen?, data.methods.frozen?, File.extname(work.path), work.line > 0]
      RUBY
      assert_in_delta spent, found[0], 0.15 * spent, env.inspect # off its core a thread has no samples
      assert_operator found[1], :>, 0.85 * spent
      assert_operator found[2], :>, 3
      assert_in_delta slept, nap, 0.15 * slept, env.inspect
      assert_operator duration, :<=, took
      assert_in_delta duration, main, 2_000_000, "the whole life of the thread in it, and no more"
      assert_equal [true, true, ".rb", true], value
    end
  end

  def test_garbage_collection
    count, ns, told, marked = answers(<<~'RUBY', env: OFF)
      $kept = Array.new(300_000) { |i| [i.to_s] }
      data = RperfTop.profile do
        count, time = GC.count, now
        3.times { GC.start }
        [GC.count - count, now - time]
      end
      told(*data.value, data.gc.minor + data.gc.major, data.gc.marking + data.gc.sweeping)
    RUBY
    assert_equal count, told
    assert_operator marked, :<=, ns + 1_000_000
    assert_operator marked, :>, 0.8 * ns - 2_000_000
  end

  def test_threads_and_labels
    one, two, threads, labels = answers(<<~'RUBY', env: FAST)
      data = RperfTop.profile(hz: 1000) do
        waiter = Thread.new { Thread.current.name = "waiter"; RperfTop.label(job: "wait, or not") { nap(0.15) } }
        Thread.pass until waiter.stop? # while it starts, Ruby 3.3 interrupts it instead of who runs: no samples
        spent = RperfTop.label(endpoint: "a=b") { 2.times { RperfTop.label(part: 1) { work(0.05) } }; nap(0.05) }
        [waiter.value, spent]
      end
      told(*data.value, data.threads.map { |thread| [thread.name, thread.main, thread.cost.blocked] })
      told data.labels.map { |label| [label.key, label.value, label.count, label.cost.wall] }
    RUBY
    waiter = threads.find { |name, *| name == "waiter" }
    assert_in_delta one, waiter[2], 20_000_000
    assert_equal 1, threads.count { |_, main,| main }
    by_key = labels.to_h { |key, *rest| [key, rest] }
    assert_equal ["wait, or not", 1], by_key["job"].first(2)
    assert_equal ["a=b", 1], by_key["endpoint"].first(2)
    assert_equal ["1", 2], by_key["part"].first(2)
    assert_in_delta one, by_key["job"][2], 20_000_000
    assert_in_delta 100_000_000 + two, by_key["endpoint"][2], 40_000_000
  end

  # Whatever leaves the block: it comes out as it is, and the profiler is as it was before.
  def test_ends_of_the_block
    assert_equal ["mine", :thrown, 7, "from outside", [false, 5], [:stopped, false]], answers(<<~'RUBY', env: OFF)
      begin; RperfTop.profile { raise IOError, "mine" }; rescue IOError => error; told error.message; end
      told catch(:far) { RperfTop.profile { throw :far, :thrown } }
      told [1].each { RperfTop.profile { break 7 } }.then { |found| found == [1] ? 7 : found }
      thread = Thread.new { RperfTop.profile { sleep } rescue told($!.message) }
      sleep 0.001 until thread.stop? && RperfTop.running?
      thread.raise("from outside")
      thread.join
      told [RperfTop.running?, RperfTop.profile { 5 }.value]
      told [:stopped, RperfTop.profile { RperfTop.stop; :stopped }.value && RperfTop.running?]
    RUBY
  end

  def test_a_profiler_that_runs_runs_on
    assert_equal [true, true, true], answers(<<~'RUBY', env: FAST)
      told RperfTop.running?
      told RperfTop.profile { RperfTop.profile { 1 }; RperfTop.running? }.value
      told RperfTop.running?
    RUBY
  end

  # Deferred: nothing is measured before, and after it the publisher sleeps again.
  def test_deferred
    program = run_program(SPIN + <<~RUBY, env: OFF)
      RperfTop.start(defer: true)
      def outside = spin(0.2)
      def inside = spin(0.2)
      outside
      RperfTop.profile(hz: 1000) { inside }
      status = Dir["/proc/self/task/*/status"].find { |file| File.read(file).start_with?("Name:\trperf-top\n") }
      wakes = -> { File.read(status)[/^voluntary_ctxt_switches:\s*(\d+)/, 1].to_i }
      loop { before = wakes.(); spin(0.25); break if wakes.() == before }
      puts RperfTop.running?
      RperfTop.snapshot("#{@folder}/copy.seg")
    RUBY
    assert program.status.success?, program.err
    labels = Dump.read("#{@folder}/copy.seg").labels
    assert_includes labels, "Object#inside"
    refute_includes labels, "Object#outside"
    assert_equal "true\n", program.out
  end

  def test_nested_and_concurrent
    first, second, inner, outer, side = answers(<<~'RUBY', env: OFF)
      inner = side = second = nil
      outer = RperfTop.profile(hz: 500) do
        first = work(0.1)
        thread = Thread.new { side = RperfTop.profile { nap(0.15) } }
        Thread.pass until thread.stop?
        inner = RperfTop.profile(hz: 1000) { second = work(0.1) }
        thread.join
        told first, second
      end
      told(*[inner, outer, side].map { |data| [data["Object#work"]&.total&.wall.to_i, data["Object#nap"]&.total&.wall.to_i] })
    RUBY
    assert_in_delta second, inner[0], 30_000_000
    assert_in_delta first + second, outer[0], 45_000_000
    assert_operator outer[1], :>, 145_000_000
    assert_operator side[1], :>, 145_000_000
    assert_operator side[0], :<, second + 30_000_000, "of all threads, but not of the time before"
  end

  def test_too_many_at_a_time
    open = ->(depth) { depth.zero? ? "work(0.02); 3" : "RperfTop.profile { #{open.(depth - 1)} }.then { |data| $found << data.duration.positive?; data.value }" }
    found, value = answers("$found = []\nvalue = #{open.(18)}\ntold $found, value", env: OFF)
    assert_equal [false, false, *[true] * 16], found
    assert_equal 3, value
  end

  def test_snapshots
    *took, first, second, third, all, none = answers(<<~'RUBY', env: OFF)
      parts, took = [], []
      data = RperfTop.profile(hz: 1000) do
        took << work(0.1)
        parts << RperfTop.snapshot
        took << work(0.1)
        parts << RperfTop.snapshot(clear: true)
        took << work(0.1)
        parts << RperfTop.snapshot(clear: false)
      end
      told(*took, *parts.map { |part| part["Object#work"].total.wall }, data["Object#work"].total.wall)
      told((RperfTop.snapshot rescue $!.message))
    RUBY
    [[first, took[0]], [second, took[0] + took[1]], [third, took[2]], [all, took[2]]].each do |ns, wanted|
      assert_in_delta wanted, ns, 30_000_000
    end
    assert_equal "rperf_top: no profile is open", none
  end

  def test_saved_and_loaded
    assert_equal [true, true, true, true], answers(<<~RUBY, env: OFF)
      data = RperfTop.profile { RperfTop.label(a: "b,c") { work(0.05) }; Thread.new { nap(0.02) }.join }
      told data.save("#{@folder}/data.json") == "#{@folder}/data.json"
      back = RperfTop.load("#{@folder}/data.json")
      told back.to_h == data.to_h, back.frozen? && back["Object#work"] == data["Object#work"], !back.labels.empty?
    RUBY
  end

  # A name says what is in a file: what cannot be written is refused, and no file is made.
  def test_saved_under_a_name
    refused = %w[x.txt x.csv x.collapsed x.pb.gz x.html x.svg x.rpt x.speedscope.json x.trace.json x.json.gz x.]
    errors, names, files, saved, loaded = answers(<<~RUBY, env: OFF)
      require "pathname"
      data = RperfTop.profile { work(0.01) }
      errors = #{refused.inspect}.map do |name|
        data.save("#{@folder}/\#{name}") && nil
      rescue ArgumentError
        $!
      end
      told(errors.map { |error| error.class.name }, errors.map { |error| error.message[/x\\..*?(?=;)/] })
      told Dir.children("#{@folder}").grep(/^x/)
      told(%w[x.json x x.y.json].map { |name| File.exist?(data.save(Pathname("#{@folder}/\#{name}"))) })
      told RperfTop.load("#{@folder}/x.y.json").to_h == data.to_h
    RUBY
    assert_equal ["ArgumentError"], errors.uniq
    assert_equal refused, names
    assert_empty files
    assert_equal [true] * 3, saved
    assert loaded
  end

  # What is loaded can be saved again, and nothing is lost; files of the version before are read.
  def test_saved_again
    found = answers(<<~RUBY, env: OFF)
      require "json"
      data = RperfTop.profile { RperfTop.label(a: "b,c") { work(0.05) }; Thread.new { nap(0.02) }.join }
      data.save("#{@folder}/one.json")
      RperfTop.load("#{@folder}/one.json").save("#{@folder}/two.json")
      one = JSON.parse(File.read("#{@folder}/one.json"))
      told one == JSON.parse(File.read("#{@folder}/two.json"))
      calls = one.delete("calls")
      told calls["cells"].sum { |cell| cell[4] } == one["cost"].values_at("running", "waiting", "blocked", "marking", "sweeping").sum
      told calls["nodes"].each_with_index.all? { |node, at| node[0] <= at && !calls["frames"][node[1]].nil? }
      told calls["frames"].any? { |frame| frame[0] == "Object#work" }, (calls["began"] - Time.now.to_f * 1e9).abs < 60e9
      File.write("#{@folder}/old.json", JSON.generate(one.merge("format" => "rperf_top profile 1")))
      told RperfTop.load("#{@folder}/old.json").to_h == data.to_h
    RUBY
    assert_equal [true] * 6, found
  end

  def test_what_cannot_be_loaded
    texts = ["", "{", "[]", "null", '{"format": "rperf_top profile 1"}', "[" * 200, '{"format": "other", "duration": 1}',
             '{"format": "rperf_top profile 2", "duration": 1}', '{"format": "rperf_top profile 3", "duration": 1}',
             '{"format": "rperf_top profile 1", "duration": 1, "cost": 7, "gc": {}, "methods": 3, "threads": [], "labels": []}']
    texts.each_with_index { |text, i| File.write("#{@folder}/bad#{i}", text) }
    found = answers(<<~RUBY, env: OFF)
      told Dir["#{@folder}/bad*"].sort.map { |path| RperfTop.load(path) rescue $!.class.name }
      told((RperfTop.load("#{@folder}/none") rescue $!.class.name))
      told((RperfTop.profile rescue $!.class.name), (RperfTop.profile(hx: 1) { 1 } rescue $!.class.name))
      told RperfTop.running?
    RUBY
    assert_equal [["ArgumentError"] * texts.size, "Errno::ENOENT", "ArgumentError", "ArgumentError", false], found
  end

  # The child tells of itself, the parent of itself.
  def test_fork_in_the_block
    child, spent, parent = answers(<<~'RUBY', env: FAST)
      reader, writer = IO.pipe
      spent = nil
      data = RperfTop.profile(hz: 1000) do
        spent = work(0.1)
        fork { writer.puts [work(0.1) > 0, RperfTop.running?].inspect }
        Process.wait
      end
      puts reader.gets
      told spent, data["Object#work"].total.wall
    RUBY
    assert_equal [true, true], child
    assert_in_delta spent, parent, 30_000_000
  end
end
