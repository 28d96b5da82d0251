# --trace-all: exact counts and times of all calls, as text, JSON, in summaries and recordings.
# Waits nearly all of the time
require_relative "support"
require_relative "terminal"

class TestWhole < Minitest::Test
  include E2E

  # Refused where YJIT is on, whatever the tests run with.
  def setup = @compiled = ENV.delete("RUBY_YJIT_ENABLE")
  def teardown = ENV["RUBY_YJIT_ENABLE"] = @compiled

  ORDERS = "#{PROGRAMS}/orders.rb"
  TOOL = "#{BUILD}/tests/tools/channel_dump"

  PROGRAM = <<~'RUBY'
    class Shop
      def order(n) = n.times { price(3) }
      def price(n) = tax(n) + tax(n)
      def tax(n) = (i = 0; i += 1 while i < 10; n) # enough for a row
    end
    File.write("#{ARGV[0]}.pid.new", Process.pid)
    File.rename("#{ARGV[0]}.pid.new", "#{ARGV[0]}.pid")
    sleep 0.01 until File.exist?(ARGV[0])
    100.times { Shop.new.order(10) }
  RUBY

  # The program waits for a file that is made when it is traced: before that nothing but sleeps is called.
  def traced(*options)
    Dir.mktmpdir do |folder|
      File.write("#{folder}/shop.rb", PROGRAM)
      go = "#{folder}/go"
      maker = Thread.new { wait_until("tracing") { traced?(go) } && File.write(go, "") }
      result = viewer(*options, "--", RbConfig.ruby, QUICK, "#{folder}/shop.rb", go)
      maker.join
      yield result, folder
    end
  end

  def traced?(go)
    return false unless File.exist?("#{go}.pid")
    channel = channels(File.read("#{go}.pid").to_i).first or return false
    out, = Open3.capture2(TOOL, channel, err: File::NULL)
    out.start_with?("{") && JSON.parse(out)["windows"].last&.fetch("exact")&.any? { |_, what, _, value| what == 32 && value == 1 }
  end

  def calls(whole) = whole["methods"].to_h { |row| [row["name"], row["calls"]] }

  def test_json_of_a_command
    traced("--trace-all", "-t", "30", "-J") do |result,|
      assert_equal 0, result.status.exitstatus, result.err
      whole = JSON.parse(result.out)["whole"]
      assert_equal({ "Shop#order" => 100, "Shop#price" => 1000, "Shop#tax" => 2000 }, calls(whole).slice("Shop#order", "Shop#price", "Shop#tax"))
      assert_equal [0, 0], whole.values_at("untimed", "unnamed")
      tree = whole["tree"]
      assert_equal whole["calls"], tree.sum { |row| row["calls"] }
      tax = tree.find { |row| row["name"] == "Shop#tax" }
      above = [tax]
      above << tree[above.last["parent"]] while above.last["parent"]
      assert_equal ["Shop#tax", "Shop#price", "Integer#times", "Shop#order", "Integer#times"], above.map { |row| row["name"] }
      tree.each_with_index { |row, at| assert_operator row["parent"] || -1, :<, at }
      assert_operator whole["own_per_call"], :>, 0
    end
  end

  def test_text
    traced("--trace-all") do |result,|
      assert_equal 0, result.status.exitstatus, result.err
      assert_match(/^All calls: exact, [\d.]+ s, \d+ calls, own cost of .* a call \(.*\) taken off the times\n +CALLS +TOTAL +SELF +MEAN +%SELF  METHOD/, result.out)
      assert_match(/^ +1000 .*  Shop#price$/, result.out)
      assert_match(/CALLED FROM/, result.out)
    end
  end

  def test_recordings_and_summaries
    traced("-o", "/dev/shm/whole-#{$$}.rpt", "--trace-all") do |result,|
      assert_equal 0, result.status.exitstatus, result.err
      whole = viewer("-b", "-J", "-F", "all", "-r", "/dev/shm/whole-#{$$}.rpt").objects.last["whole"]
      assert_equal [100, 1000, 2000], calls(whole).values_at("Shop#order", "Shop#price", "Shop#tax")
    ensure
      File.delete("/dev/shm/whole-#{$$}.rpt") rescue nil
    end
    traced("--stat", "-J", "--trace-all") do |result,|
      assert_equal [100, 1000, 2000], calls(JSON.parse(result.out)["whole"]).values_at("Shop#order", "Shop#price", "Shop#tax")
    end
  end

  # The recording on the screen, and what is shown as files.
  def test_recordings_on_the_screen
    traced("-o", "/dev/shm/whole-screen-#{$$}.rpt", "--trace-all") do |result, folder|
      assert_equal 0, result.status.exitstatus, result.err
      Terminal.open("-r", "/dev/shm/whole-screen-#{$$}.rpt", rows: 30, columns: 100) do |terminal|
        terminal.wait_for("1Methods") # rows of little time may be folded
        terminal.type("T")
        terminal.wait_for("exact: ")
        assert_match(/exact: [\d.]+ s of all calls, [\d,]+ calls, [\d.]+ [nu]s a call taken off/, terminal.repainted)
        assert_match(/2000\D.*Shop#tax/m, terminal.repainted)
        terminal.type(":export csv #{folder}/calls.csv\r")
        terminal.wait_for("wrote #{folder}/calls.csv")
        terminal.type(":export trace #{folder}/calls.trace.json\r")
        terminal.wait_for("this format has no place for counts of")
        terminal.type("Q")
      end
      assert_equal [100, 1000, 2000], calls_in("#{folder}/calls.csv").values_at("Shop#order", "Shop#price", "Shop#tax")
      refute_path_exists "#{folder}/calls.trace.json"
    ensure
      File.delete("/dev/shm/whole-screen-#{$$}.rpt") rescue nil
    end
  end

  def calls_in(file)
    heading, *rows = File.read(file).split("\r\n").map { |line| line.split(",") }
    rows.to_h { |row| [row.first, row[heading.index("calls")].to_i] }
  end

  def test_files
    file = "/dev/shm/whole-file-#{$$}.csv"
    traced("-o", file, "--trace-all=ruby", "-t", "30") do |result,|
      assert_equal 0, result.status.exitstatus, result.err
      assert_match(/wrote #{file}/, result.err)
      assert_equal [100, 1000, 2000], calls_in(file).values_at("Shop#order", "Shop#price", "Shop#tax")
    end
    File.delete(file)
    result = viewer("--trace-all", "-t", "1", "-o", file, "--", RbConfig.ruby, QUICK, "--yjit", "-e", "30.times { sleep 0.1 }")
    assert_match(/no call was traced: not done: YJIT is on|invalid option --yjit/, result.err)
    refute_path_exists file
  ensure
    File.delete(file) rescue nil
  end

  # T on the screen: for a second; and ended before its time.
  def test_the_key
    running(ORDERS) do |pid|
      Terminal.open("-p", pid.to_s, rows: 30, columns: 100) do |terminal|
        terminal.wait_for("Orders#place")
        terminal.type("T")
        terminal.wait_for("Count all calls for how many seconds?")
        terminal.type("\u{15}1\r")
        terminal.wait_for("all calls in Ruby: ")
        wait_until("its end") { terminal.repainted.match?(/exact: [\d.]+ s of calls in Ruby, [\d,]+ calls, [\d.]+ [nu]s a call taken off/) }
        wait_until("calls") { terminal.repainted.match?(/CALLS.*TOTAL.*SELF.*MEAN.*\d+.*Orders#place/m) }
        terminal.type("T")
        wait_until("samples") { terminal.repainted.match?(/SELF%v/) }
        terminal.type("T\u{15}60 ruby\r")
        wait_until("calls") { terminal.repainted.match?(/all calls in Ruby: \d+ s to go, [\d,]+ calls/) }
        terminal.type("2")
        wait_until("the tree") { terminal.repainted.match?(/CALLS.*%PARENT.*Orders#check/m) }
        terminal.type("T")
        wait_until("its end") { terminal.repainted.match?(/exact: [\d.]+ s of calls in Ruby/) }
        wait_until("the end of tracing") { !viewer("-b", "-J", "-n", "1", "-p", pid.to_s).objects.last.key?("whole") }
        terminal.type("Q")
      end
    end
  end

  def test_methods_in_ruby_only
    traced("--trace-all=ruby", "-t", "30", "-J") do |result,|
      assert_equal 0, result.status.exitstatus, result.err
      whole = JSON.parse(result.out)["whole"]
      assert_equal [100, 1000, 2000], calls(whole).values_at("Shop#order", "Shop#price", "Shop#tax")
      assert_empty whole["methods"].select { |row| row["path"].empty? }
    end
  end

  def test_usage
    assert_match(/--trace-all takes c, force, or both with a comma: 'x' is neither/, viewer("--trace-all=x", "-p", "1").err)
    assert_match(/--trace-all needs -p PID or -- COMMAND/, viewer("-b", "-r", "x.rpt", "--trace-all").err)
    assert_match(/--trace-all takes at most 60 s/, viewer("--trace-all", "-t", "90", "-p", "1").err)
    assert_match(/counts of calls have no place in a file like 'x.json'/, viewer("--trace-all", "-o", "x.json", "-p", "1").err)
    assert_match(/--trace-all tells of its own/, viewer("--trace-all", "--stream", "-p", "1").err)
  end

  def test_yjit
    result = viewer("--trace-all", "-t", "1", "--", RbConfig.ruby, QUICK, "--yjit", "-e", "30.times { sleep 0.1 }")
    skip "this Ruby has no YJIT" if result.err.match?(/invalid option --yjit/)
    assert_match(/no call was traced: not done: YJIT is on/, result.err)
    assert_equal "", result.out
  end
end
