# Labels and marks of a program, seen through the viewer.
require_relative "support"
require_relative "tmux"

class TestLabels < Minitest::Test
  include E2E

  PROGRAM = <<~'RUBY'
    def work(n) = (i = 0; i += 1 while i < n)
    def users = (work(100_000); work(100_000); work(100_000)) # not a longer loop: compiled, that takes another time each
    def orders = work(100_000)
    loop do
      RperfTop.label(endpoint: "/users", shop: 1) { users }
      RperfTop.label(endpoint: "/orders", shop: 1) { orders }
    end
  RUBY

  # The program, then what it left: of that every look is at the same time.
  def with_program
    Dir.mktmpdir do |dir|
      program = "#{dir}/labels.rb"
      File.write(program, PROGRAM)
      running(program, env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" }) do |pid|
        options = ["-b", "-J", "-n", "2", "-p", pid.to_s]
        yield ->(*more) { viewer(*options, *more).objects.last }
        wait_until("instants enough for shares") { instants_on_core(pid) > 150 }
        Process.kill(:KILL, pid)
        Process.wait(pid)
        yield ->(*more) { viewer("-b", "-J", "-F", "all", "-p", pid.to_s, *more).objects.last }
      end
    end
  end

  # On a busy machine few of a second's instants meet a program that has a core.
  def instants_on_core(pid)
    result = viewer("-b", "-J", "-n", "1", "-F", "all", "--merge", "label", "-p", pid.to_s)
    users = method_named(result.objects.last, "endpoint=/users,shop=1") or return 0
    users["samples"] * [users["cpu"] / users["running"], 1].min
  end

  # What ended took what it did and waited for, all together.
  def assert_latency(row)
    latency = row.fetch("latency")
    assert_in_delta latency["sum"], latency["causes"].values.sum { |cause| cause["sum"] }, 1e-6
    assert_operator latency["ended"], :>, 0
    assert_in_delta latency["sum"] / latency["ended"], row["each"], 1e-6
    assert_equal latency.values_at("p50", "p90", "p99", "max"), latency.values_at("p50", "p90", "p99", "max").sort
    assert_operator latency["causes"]["running"]["sum"], :>, 0
  end

  # The tables for people and for spreadsheets say what JSON says.
  def test_tables
    Dir.mktmpdir do |dir|
      file = "#{dir}/labels.rpt"
      with_recording(file)
      rows = viewer("-b", "-J", "-F", "all", "-n", "1", "-m", "busy", "-r", file).objects.last["labels"]
      assert_equal %w[endpoint=/users endpoint=/orders shop=1].sort, rows.map { |row| "#{row["key"]}=#{row["value"]}" }.sort
      rows.each { |row| assert_latency row }
      text = viewer("-b", "-F", "all", "-n", "1", "-r", file).out
      shown = text[/^ *SELF%.* LABEL\n(.*?)\n\n/m, 1].lines(chomp: true).map(&:split)
      assert_equal rows.map { |row| "#{row["key"]}=#{row["value"]}" }, shown.map(&:last)
      rows.zip(shown) { |row, (own, all)| assert_in_delta row["self"] / row["total"], own.to_f / all.to_f, 0.02 }
      result = viewer("-o", "#{dir}/labels.csv", "--view", "labels", "-F", "all", "-m", "busy", "-r", file)
      assert_equal 0, result.status.exitstatus, result.err
      heading, *table = File.read("#{dir}/labels.csv").lines("\r\n", chomp: true).map { |line| line.split(",") }
      table.map! { |row| heading.zip(row).to_h }
      rows.zip(table) do |row, line|
        assert_equal row.values_at("key", "value").map(&:to_s), line.values_at("key", "value")
        assert_equal row["count"], line["count"].to_i
        %w[self total blocked cpu each].each { |name| assert_in_delta row[name], line[name].to_f, 1e-6, name }
      end
      assert_equal 2, viewer("-o", "#{dir}/x.csv", "--view", "labels", "-r", file, "-r", file).status.exitstatus
    end
  end

  WAITING = <<~'RUBY'
    def work(s) = (t = Process.clock_gettime(2); nil while Process.clock_gettime(2) - t < s)
    40.times { |i| Thread.new { loop { RperfTop.label(endpoint: "/quick#{i}") { work(0.0002); sleep 0.2 } } } }
    loop { RperfTop.label(endpoint: "/slow") { sleep 2 } }
  RUBY

  REQUESTS = <<~'RUBY'
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    LOG = Queue.new
    def request(endpoint)
      from = now
      RperfTop.label(endpoint:) { inside = now; yield; inside = now - inside; Thread.current[:inside] = inside }
      LOG << [endpoint, Thread.current[:inside], now - from]
    end
    GATE = Mutex.new
    def held = GATE.synchronize { sleep 0.15 }
    work = ["/sleep", "/lock", "/lock"].map { |name| Thread.new { 4.times { request(name) { name == "/lock" ? held : sleep(0.12) } } } }
    30.times { request("/quick") { sleep 0.001 } }
    work.each(&:join)
    until Thread.list.size == 1; sleep 0.01; end
    sleep 0.3
    File.write(ARGV[0], Marshal.dump(Array.new(LOG.size) { LOG.pop }))
  RUBY

  # The program's own log is the truth: which took that long, and how long each did, in a recording, too.
  def test_slow_requests
    Dir.mktmpdir do |dir|
      File.write("#{dir}/program.rb", REQUESTS)
      made = viewer("-o", "#{dir}/slow.rpt", "--", RbConfig.ruby, QUICK, "#{dir}/program.rb", "#{dir}/log")
      assert_equal 0, made.status.exitstatus, made.err
      log = Marshal.load(File.binread("#{dir}/log"))
      look = ->(*more) { viewer("-b", "-J", "-n", "1", "-F", "all", "-r", "#{dir}/slow.rpt", *more).objects.last["slow_requests"] }
      assert_slow log, look.call("--slower-requests", "100ms")
      few = look.call
      assert_nil few["slower"]
      assert_equal({ "/sleep" => 4, "/lock" => 5, "/quick" => 5 }, few["requests"].map { |slow| slow["labels"]["endpoint"] }.tally)
      text = viewer("-b", "-n", "1", "-F", "all", "-r", "#{dir}/slow.rpt", "--slower-requests", "100ms").out
      assert_match(/^Requests that took 100 ms or longer: \d+(, the last 20)?$/, text)
      assert_match(/endpoint=\/lock .*lock \d+%/, text)
      screen = viewer("-r", "#{dir}/slow.rpt", "-F", "all", "--view", "labels", "--slower-requests", "100ms", "--dump-screen", "100x30").out
      assert_match(/^SLOW  \//, screen)
    end
  end

  ONE_SLOW = <<~'RUBY'
    class Orders
      def show = sleep(0.7)
    end
    sleep 0.5
    RperfTop.label(endpoint: "GET /orders/7", user: "7") { Orders.new.show }
    sleep 0.5
  RUBY

  # The key for stalls goes to it, and the list of stalls has it. Of a busy machine other stalls are not looked for.
  def test_a_key_goes_to_a_slow_request
    skip "tmux is not installed" unless Tmux.there?
    Dir.mktmpdir do |dir|
      File.write("#{dir}/program.rb", ONE_SLOW)
      made = viewer("-o", "#{dir}/slow.rpt", "--", RbConfig.ruby, QUICK, "#{dir}/program.rb")
      assert_equal 0, made.status.exitstatus, made.err
      others = %w[blocked no-safepoint gc stopped waiting many-waits method].flat_map { |cause| ["--stall-#{cause}", "off"] }
      screen = Tmux.new(160, 30, [VIEWER, "-r", "#{dir}/slow.rpt", "-F", "1", "--slower-requests", "500ms", *others])
      screen.wait_for(/\[\(\] slow request/)
      screen.keys("(")
      screen.wait_for(/endpoint=GET \/orders\/7, user=7 took \d+\.\d s.*, longest in Kernel#sleep < Orders#show/)
      screen.wait_for(/^> .*Kernel#sleep/)
      screen.keys("!")
      screen.wait_for(/request +\d.*endpoint=GET \/orders\/7, user=7: Kernel#sleep < Orders#show/)
    ensure
      screen&.close
    end
  end

  BEHIND = <<~'RUBY'
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    def spin(s) = (to = now + (s * 1e9).to_i; nil while now < to)
    queue, gate, done = Queue.new, Mutex.new, Queue.new
    class Cache
      def fetch(gate) = gate.synchronize { }
    end
    light = Thread.new { 20.times { queue.pop; RperfTop.label(endpoint: "/light") { done << 1; sleep 0; Cache.new.fetch(gate) } } }
    heavy = Thread.new do
      20.times do
        RperfTop.label(endpoint: "/heavy", user: "7") { queue << 1; gate.synchronize { done.pop; spin 0.02; sleep 0.02 } }
        sleep 0.001
      end
    end
    [light, heavy].each(&:join)
    sleep 0.3
  RUBY

  # Who waits behind whom, in JSON, as text and on the screen, of a recording.
  def test_waits_behind
    Dir.mktmpdir do |dir|
      File.write("#{dir}/program.rb", BEHIND)
      made = viewer("-o", "#{dir}/behind.rpt", "--", RbConfig.ruby, QUICK, "#{dir}/program.rb")
      assert_equal 0, made.status.exitstatus, made.err
      rows = viewer("-b", "-J", "-n", "1", "-F", "all", "-r", "#{dir}/behind.rpt").objects.last["labels"]
      light = rows.find { |row| row["value"] == "/light" }
      behind = light["waits_behind"].select { |row| row["holder"] == "/heavy" }
      assert_includes behind.map { |row| row["cause"] }, "gvl"
      assert_includes behind.map { |row| row["cause"] }, "lock"
      assert_includes behind.map { |row| row["place"] }.compact, "Cache#fetch" if behind.any? { |row| row["place"] }
      causes = light["latency"]["causes"]
      gvl = light["waits_behind"].select { |row| %w[gvl gc handover].include?(row["cause"]) }.sum { |row| row["time"] }
      assert_operator gvl, :>=, (causes["gvl"]["sum"] + causes["gc_others"]["sum"]) * 0.99
      assert_operator behind.select { |row| row["cause"] == "lock" }.sum { |row| row["time"] }, :<=, causes["lock"]["sum"] + 1e-6
      text = viewer("-b", "-n", "1", "-F", "all", "-r", "#{dir}/behind.rpt").out
      assert_match(/^Labels that wait behind others:\n(.*\n)*?    endpoint=\/light waits behind, mean of a block: \S/, text)
      screen = viewer("-r", "#{dir}/behind.rpt", "-F", "all", "--view", "labels", "--slower-requests", "1ms", "--dump-screen", "160x40").out
      assert_match(/^  waits behind, mean of a block: /, screen)
    end
  end

  def assert_slow(log, told)
    slow = log.select { |name, *| name != "/quick" }
    requests = told["requests"].reject { |request| request["labels"]["endpoint"] == "/quick" } # of a busy machine they may be slow
    assert_equal 0.1, told["slower"]
    assert_equal 0, told["left_out"]
    assert_equal slow.map(&:first).sort, requests.map { |request| request["labels"]["endpoint"] }.sort
    slow.group_by(&:first).each do |name, calls|
      own = requests.select { |request| request["labels"]["endpoint"] == name }.map { |request| request["total"] }
      own.sort.zip(calls.map { |call| call[1] }.sort, calls.map { |call| call[2] }.sort) { |total, inner, outer| assert_includes inner - 1e-6..outer + 1e-6, total }
    end
    requests.each { |request| assert_in_delta request["total"], request["causes"].values.sum, 1e-6 }
    assert_operator requests.sum { |request| request["causes"]["lock"] }, :>, 0.1
    assert_equal [], requests.select { |request| request["labels"]["endpoint"] == "/sleep" && request["causes"]["sleep"] < 0.119 }
    assert_includes requests.filter_map { |request| request["where"]&.fetch("name") }, "Kernel#sleep"
  end

  # Where requests mostly wait the slow one is the first, though all others are busier; in an order that was asked for it is not.
  def test_a_slow_endpoint_is_on_the_first_screen
    running("-e", WAITING) do |pid|
      look = ->(*more) { viewer("-p", pid.to_s, "-F", "3", "--view", "labels", "--dump-screen", "80x24", *more).out }
      screen = wait_until("the slow one on top") { look.call.then { |text| text if text[/^> .*/]&.match?(%r{ /slow\b}) } }
      assert_match(/ EACHv/, screen)
      refute_includes look.call("-s", "samples"), "/slow"
    end
  end

  # [frames of a stack, seconds]
  def stacks(file, folder, *options)
    result = viewer("-o", "#{folder}/x.collapsed", "-F", "all", "-r", file, *options)
    assert_equal 0, result.status.exitstatus, result.err
    File.readlines("#{folder}/x.collapsed", chomp: true).map { |line| line.rpartition(" ").then { |stack, _, time| [stack.split(";"), time.to_i / 1e6] } }
  end

  def assert_ends(rows, stacks, key, at)
    spent = stacks.each_with_object(Hash.new(0)) { |(frames, time), sums| sums[frames[at]] += time }
    rows.select { |row| row["key"] == key }.each do |row|
      assert_in_delta row["total"], spent["#{key}=#{row["value"]}"], 1e-6 * stacks.size, key
    end
  end

  def test_labels_at_root_and_leaf
    Dir.mktmpdir do |dir|
      file = "#{dir}/labels.rpt"
      with_recording(file)
      rows = viewer("-b", "-J", "-F", "all", "-n", "1", "-r", file).objects.last["labels"]
      ends = %w[--label-root endpoint --label-leaf shop]
      plain, tagged = stacks(file, dir), stacks(file, dir, *ends)
      assert_ends(rows, tagged, "endpoint", 0)
      assert_ends(rows, tagged, "shop", -1)
      assert_in_delta plain.sum(&:last), tagged.sum(&:last), 1e-6 * tagged.size
      assert_empty plain.flat_map(&:first).grep(/=/)
      tree = viewer("-r", file, "-F", "all", "--view", "tree", "--dump-screen=160x40", *ends).out
      assert_match(/(?:\[-\].*|─── chain of \d+:) endpoint=\/users\b/, tree) # calls that each make only the next are one row
      assert_match(/(?:──|>) shop=1\b/, tree)
      assert_match(/root endpoint leaf shop/, tree)
      %w[speedscope.json html pb].each do |ending|
        assert_equal 0, viewer("-o", "#{dir}/x.#{ending}", "-F", "all", "-r", file, *ends).status.exitstatus
        %w[endpoint=/users endpoint=/orders shop=1].each { |frame| assert_includes File.binread("#{dir}/x.#{ending}"), frame, ending }
      end
      assert_equal 2, viewer("-b", "-r", file, "--label-root", "a=b").status.exitstatus
    end
  end

  def with_recording(file)
    program = "#{file}.rb"
    File.write(program, PROGRAM.sub("loop do", "200.times do"))
    made = viewer("-o", file, "--", RbConfig.ruby, QUICK, program)
    assert_equal 0, made.status.exitstatus, made.err
  end

  def names(object) = object["methods"].map { |row| row["name"] }

  def test_labels_filter_and_merge
    with_program do |look|
      everything = look.call
      assert_includes names(everything), "Object#users"
      assert_empty names(everything).grep(/endpoint=/)
      assert_equal "<main>", everything["threads"].first["stack"].last[/<main>/]

      only = look.call("--label", "endpoint=/users")
      assert_includes names(only), "Object#users"
      refute_includes names(only), "Object#orders"
      assert_equal names(look.call("--label", "shop=?", "--label", "endpoint=/o*")) & %w[Object#users Object#orders],
                   %w[Object#orders]
      assert_empty look.call("--label", "shop=2")["methods"]

      merged = look.call("--merge", "label")
      users, orders = %w[/users /orders].map { |name| method_named(merged, "endpoint=#{name},shop=1") }
      # Three to one in work, so in CPU; which of the two meets another's time slice is a matter of chance, and instants
      # at which it waits for a core tell nothing of its CPU.
      cpu, running, samples = %w[cpu running samples].map { |key| users[key] + orders[key] }
      chance = 5 * Math.sqrt(0.75 * 0.25 / (samples * [cpu / running, 1].min))
      assert_in_delta 0.75, users["cpu"] / cpu, chance
      next unless everything["state"] == "dead"
      assert_operator chance, :<, 0.2
      assert_in_delta users["self"], only["gvl"]["running"], 0.001
      assert_in_delta everything["gvl"]["running"], merged["methods"].sum { |row| row["running"] }, 0.001
    end
  end
end
