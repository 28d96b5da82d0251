# --trace: exact counts and times of chosen methods, in reports, summaries and recordings.
# Waits nearly all of the time
require_relative "support"
require_relative "terminal"

class TestTrace < Minitest::Test
  include E2E

  ORDERS = "#{PROGRAMS}/orders.rb"

  def trace(object, name) = object["traces"].find { |row| row["name"] == name }

  def test_reports_of_a_process_that_runs
    running(ORDERS) do |pid|
      result = viewer("-b", "-J", "-n", "3", "-p", pid.to_s, "--trace", "Orders#place", "--trace", "Orders#check",
                      "--trace", "Orders#nothing", "--trace", "Integer#times")
      assert_equal 0, result.status.exitstatus, result.err
      last = result.objects.last
      assert_equal ["Orders#place", "Orders#check", "Orders#nothing", "Integer#times"], last["traces"].map { |row| row["name"] }
      place, check, nothing, = last["traces"]
      assert_equal %w[traced traced waits], [place, check, nothing].map { |row| row["state"] }
      assert_in_delta 3 * place["calls"], check["calls"], 3
      assert_in_delta last["frame"], place["traced"], 0.11
      assert_in_delta place["calls"] / place["traced"], place["rate"], 0.01
      assert_equal ["Orders.run", "Orders#place"], [place, check].map { |row| row["callers"].first["name"] }
      assert_operator place["total"]["p50"], :>=, 0.002
      assert_operator place["total"]["mean"], :>=, 0.002
      assert_operator place["total"]["max"], :>=, place["total"]["p99"]
      assert_operator place["blocked"] + place["waiting"], :>=, 0.002 * (place["calls"] - 1)
      assert_operator place["self"]["sum"], :<=, place["total"]["sum"] - check["total"]["sum"] + 0.01
      assert_equal [0, 0], [place, check].map { |row| row["raised"] }
    end
  end

  # Nothing of it is left when the viewer has gone.
  def test_the_next_viewer_finds_nothing
    running(ORDERS) do |pid|
      viewer("-b", "-n", "1", "-p", pid.to_s, "--trace", "Orders#place")
      wait_until("the end of tracing") { !viewer("-b", "-J", "-n", "1", "-p", pid.to_s).objects.last.key?("traces") }
    end
  end

  def test_text
    running(ORDERS) do |pid|
      result = viewer("-b", "-n", "2", "-p", pid.to_s, "--trace", "Orders#place", "--trace", "Never#there")
      assert_match(/^Traced Orders#place\n  .* calls\/s  .* calls  0 raised  .*% waiting for the GVL  .*% off it\n  total   mean .* p50 .* p90 .* p99 .* max .*\n  self .*\n  from .* Orders\.run\n/, result.out)
      assert_match(/^Traced Never#there\n  there is no such method yet\n/, result.out)
    end
  end

  # From where the method is defined on: of a program that begins with it that misses what comes before the next look.
  def test_the_sum_of_a_command
    result = viewer("--stat", "-J", "--trace", "Orders#place", "--trace", "Orders#check", "--", RbConfig.ruby, QUICK, ORDERS, "4")
    assert_equal 0, result.status.exitstatus, result.err
    place, check = JSON.parse(result.out)["traces"]
    assert_operator place["calls"], :>, 20
    assert_in_delta 3 * place["calls"], check["calls"], 3
    assert_operator place["traced"], :>, 0.1
    text = viewer("--stat", "--trace", "Orders#place", "--", RbConfig.ruby, QUICK, ORDERS, "3")
    assert_match(/^Traced Orders#place$/, text.err)
    assert_match(/\A\d+\n\d+\n\z/, text.out)
  end

  def test_recordings_keep_it
    Dir.mktmpdir do |folder|
      running(ORDERS) do |pid|
        result = viewer("-o", "#{folder}/a.rpt", "-t", "2", "--trace", "Orders#place", "-p", pid.to_s)
        assert_equal 0, result.status.exitstatus, result.err
      end
      frames = viewer("-b", "-J", "-F", "all", "-r", "#{folder}/a.rpt").objects
      place = trace(frames.last, "Orders#place")
      assert_operator place["calls"], :>, 20
      assert_equal place["calls"], place["callers"].sum { |caller| caller["calls"] }
      assert_operator place["total"]["p50"], :>=, 0.002
      ends = viewer("-o", "#{folder}/b.rpt", "-r", "#{folder}/a.rpt")
      assert_equal 0, ends.status.exitstatus, ends.err
      again = trace(viewer("-b", "-J", "-F", "all", "-r", "#{folder}/b.rpt").objects.last, "Orders#place")
      assert_equal place.slice("calls", "returned", "total", "self", "callers"), again.slice("calls", "returned", "total", "self", "callers")
    end
  end

  # Every call of place sleeps 2 ms.
  def test_slow_calls
    running(ORDERS) do |pid|
      place = nil
      wait_until("slow calls") do
        place = trace(viewer("-b", "-J", "-n", "2", "-p", pid.to_s, "--trace", "Orders#place", "--slower", "2ms").objects.last, "Orders#place")
        !place["slow"].empty?
      end
      assert_equal 0.002, place["slower"]
      place["slow"].each do |call|
        assert_operator call["total"], :>=, 0.002
        assert_operator call["blocked"], :>, 0.001
        assert_equal [false, {}, "main"], call.values_at("raised", "labels", "thread_name")
        assert_match(/\AOrders#place \(orders\.rb:\d+\)\z/, call["stack"].first)
        assert_match(/\AOrders\.run \(orders\.rb:\d+\)\z/, call["stack"][1])
        assert_in_delta Time.now.to_f, call["time"], 60
      end
      text = viewer("-b", "-n", "2", "-p", pid.to_s, "--trace", "Orders#place", "--slower", "2ms", "-s", "mean").out
      assert_match(/^  slower than 2\.00 ms: \S+ calls.*\n    ended +total +self +off GVL +waiting  thread\n(    [\d:.]{12} +\S+ ms .*  main\n      from Orders\.run \(orders\.rb:\d+\).*\n){1,20}/, text)
      assert_match(/MEANv /, text)
      none = viewer("-b", "-J", "-n", "2", "-p", pid.to_s, "--trace", "Orders#place", "--slower", "1000s").objects.last
      assert_equal [[], 0], trace(none, "Orders#place").values_at("slow", "slow_left_out")
    end
  end

  # With their arguments only where the process allows it: in reports, recordings, on the screen.
  def test_arguments
    slow = ->(*from) { trace(viewer("-b", "-J", *from).objects.last, "Orders#place")["slow"] }
    asks = ["--trace", "Orders#place", "--slower", "2ms"]
    running(ORDERS) do |pid|
      calls = []
      wait_until("slow calls") { !(calls = slow.("-n", "2", "-p", pid.to_s, *asks)).empty? }
      calls.each { |call| refute call.key?("args") }
    end
    Dir.mktmpdir do |folder|
      running(ORDERS, env: { "RPERF_TOP_ALLOW" => "args" }) do |pid|
        wait_until("arguments") { (slow.("-n", "2", "-p", pid.to_s, *asks).last || {})["args"]&.match?(/\Anumber: \d+\z/) }
        text = viewer("-b", "-n", "2", "-p", pid.to_s, *asks).out
        assert_match(/^    [\d:.]{12} +\S+ ms .*  main\n      with number: \d+\n      from Orders\.run/, text)
        assert_equal 0, viewer("-o", "#{folder}/a.rpt", "-t", "1.5", "-p", pid.to_s, *asks).status.exitstatus
      end
      first = slow.("-F", "all", "-r", "#{folder}/a.rpt")
      numbers = first.map { |call| call["args"][/\Anumber: (\d+)\z/, 1].to_i }
      assert_operator numbers.size, :>, 5
      assert_equal numbers.sort, numbers
      viewer("-o", "#{folder}/b.rpt", "-r", "#{folder}/a.rpt")
      assert_equal first, slow.("-F", "all", "-r", "#{folder}/b.rpt")
    end
  end

  # Recordings keep slow calls, and files the figures of methods.
  def test_slow_calls_in_files
    Dir.mktmpdir do |folder|
      running(ORDERS) do |pid|
        assert_equal 0, viewer("-o", "#{folder}/a.rpt", "-t", "1.5", "--trace", "Orders#place", "--slower", "2ms", "-p", pid.to_s).status.exitstatus
      end
      first = trace(viewer("-b", "-J", "-F", "all", "-r", "#{folder}/a.rpt").objects.last, "Orders#place")
      refute_empty first["slow"]
      assert_equal 0, viewer("-o", "#{folder}/b.rpt", "-r", "#{folder}/a.rpt").status.exitstatus
      again = trace(viewer("-b", "-J", "-F", "all", "-r", "#{folder}/b.rpt").objects.last, "Orders#place")
      assert_equal first["slow"], again["slow"]
      viewer("-o", "#{folder}/a.csv", "-r", "#{folder}/a.rpt")
      heading, *rows = File.read("#{folder}/a.csv").split("\r\n").map { |line| line.split(",") }
      assert_equal %w[calls_per_second mean], heading.last(2)
      place, others = rows.partition { |row| row.first == "Orders#place" }
      assert_operator place.first[-2].to_f, :>, 10
      assert_operator place.first[-1].to_f, :>=, 0.002
      assert_equal [%w[- -]], others.map { |row| row.last(2) }.uniq
      method = viewer("-b", "-J", "-F", "all", "-r", "#{folder}/a.rpt").objects.last["methods"].find { |row| row["name"] == "Orders#place" }
      assert_equal first["rate"], method["calls_rate"]
      assert_in_delta first["total"]["mean"], method["mean"], 1e-9
    end
  end

  # On the screen: c on a row, its details, c again.
  def test_the_key
    running(ORDERS) do |pid|
      Terminal.open("-p", pid.to_s, "--slower", "2ms", rows: 30, columns: 100) do |terminal|
        terminal.wait_for("Orders#place")
        terminal.type("/place\rc")
        terminal.wait_for("tracing Orders#place")
        terminal.type("D")
        wait_until("its calls") { terminal.repainted.match?(/TRACED  [\d.k]+ calls\/s.*total .* ms.*from .*Orders\.run.*SLOW  \S+ calls/m) }
        from = terminal.size
        terminal.type("c")
        terminal.wait_for("Orders#place is traced no more", from: from)
        terminal.type("Q")
      end
      wait_until("the end of tracing") { !viewer("-b", "-J", "-n", "1", "-p", pid.to_s).objects.last.key?("traces") }
    end
  end

  def test_methods_in_c
    running(ORDERS) do |pid|
      result = viewer("-b", "-J", "-n", "3", "-p", pid.to_s, "--trace", "Orders#place", "--trace", "Kernel#sleep,force", "--trace", "Proc#call",
                      "--slower", "2ms")
      place, sleeps, call = result.objects.last["traces"]
      assert_equal %w[traced traced not_ruby], [place, sleeps, call].map { |row| row["state"] }
      assert_in_delta place["calls"], sleeps["calls"], 2
      assert_equal ["Orders#place"], sleeps["callers"].map { |row| row["name"] }
      assert_operator sleeps["blocked"] + sleeps["waiting"], :>=, 0.0019 * (sleeps["calls"] - 1)
      assert_operator place["total"]["sum"] - place["self"]["sum"], :>=, 0.0019 * (sleeps["calls"] - 2)
      assert_equal ["Kernel#sleep", "Orders#place"], sleeps["slow"].first["stack"].first(2).map { |frame| frame[/\A\S+/] }
    end
  end

  # They are refused, and on the screen c on the row offers to force it.
  def test_methods_in_c_are_forced
    running(ORDERS) do |pid|
      Terminal.open("-p", pid.to_s, rows: 30, columns: 100) do |terminal|
        terminal.wait_for("Kernel#sleep")
        terminal.type("/Kernel#sleep\rcD")
        terminal.wait_for("the program would stay slower")
        terminal.type("c")
        terminal.wait_for("trace Kernel#sleep,force")
        terminal.type("\r")
        wait_until("its calls") { terminal.repainted.match?(/TRACED  [\d.k]+ calls\/s.*from .*Orders#place/m) }
        text = viewer("-b", "-n", "1", "-p", pid.to_s, "--trace", "Hash#fetch").out
        assert_match(/^Traced Hash#fetch\n  not in Ruby: the program would stay slower/, text)
        terminal.type("Q")
      end
      wait_until("the end of tracing") { !viewer("-b", "-J", "-n", "1", "-p", pid.to_s).objects.last.key?("traces") }
    end
  end

  def test_usage
    ["fib", "#fib", "Object#", "", "Object#,force", "fib,force", ",force", "A##{"b" * 159}", "A##{"b" * 158},force"].each do |name|
      result = viewer("-b", "-p", "1", "--trace", name)
      assert_equal 2, result.status.exitstatus
      assert_match(/--trace takes Class#method or Class.method: '#{name}' is neither/, result.err)
    end
    ["", "x", "50m", "5ks", "0", "0.1us", "2h", "3601s", "-1ms", "1e9s", "nan", "5 ms"].each do |time|
      result = viewer("-b", "-p", "1", "--trace", "A#b", "--slower", time)
      assert_equal 2, result.status.exitstatus, time
      assert_match(/--slower takes a time from 1us to an hour/, result.err)
    end
    assert_match(/--slower is of methods that are traced/, viewer("-b", "-p", "1", "--slower", "1s").err)
    assert_match(/--slower needs -p PID/, viewer("-b", "-r", "x.rpt", "--slower", "1s").err)
    assert_match(/--trace needs -p PID or -- COMMAND/, viewer("-b", "-r", "x.rpt", "--trace", "A#b").err)
    assert_match(/--trace takes at most 16 methods/, viewer("-b", "-p", "1", *(1..17).flat_map { |i| ["--trace", "A#b#{i}"] }).err)
  end
end
