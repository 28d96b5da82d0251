# --trace-all: exact counts and times of all calls, as text, JSON, in summaries and recordings.
require_relative "support"

class TestWhole < Minitest::Test
  include E2E

  # Refused where YJIT is on, whatever the tests run with.
  def setup = @compiled = ENV.delete("RUBY_YJIT_ENABLE")
  def teardown = ENV["RUBY_YJIT_ENABLE"] = @compiled

  TOOL = "#{BUILD}/tests/tools/channel_dump"

  PROGRAM = <<~'RUBY'
    class Shop
      def order(n) = n.times { price(3) }
      def price(n) = tax(n) + tax(n)
      def tax(n) = n
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
      result = viewer(*options, "--", RbConfig.ruby, "#{folder}/shop.rb", go)
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

  def test_methods_in_ruby_only
    traced("--trace-all=ruby", "-t", "30", "-J") do |result,|
      assert_equal 0, result.status.exitstatus, result.err
      whole = JSON.parse(result.out)["whole"]
      assert_equal [100, 1000, 2000], calls(whole).values_at("Shop#order", "Shop#price", "Shop#tax")
      assert_empty whole["methods"].select { |row| row["path"].empty? }
    end
  end

  def test_usage
    assert_match(/--trace-all takes ruby, force, or both with a comma: 'x' is neither/, viewer("--trace-all=x", "-p", "1").err)
    assert_match(/--trace-all needs -p PID or -- COMMAND/, viewer("-b", "-r", "x.rpt", "--trace-all").err)
    assert_match(/--trace-all takes at most 60 s/, viewer("--trace-all", "-t", "90", "-p", "1").err)
    assert_match(/--trace-all tells of its own/, viewer("--trace-all", "--stream", "-p", "1").err)
  end

  def test_yjit
    result = viewer("--trace-all", "-t", "1", "--", RbConfig.ruby, "--yjit", "-e", "30.times { sleep 0.1 }")
    skip "this Ruby has no YJIT" if result.err.match?(/invalid option --yjit/)
    assert_match(/no call was traced: not done: YJIT is on/, result.err)
    assert_equal "", result.out
  end
end
