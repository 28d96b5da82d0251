# --allocations: where objects are made, as text, JSON, in summaries and recordings.
# Waits nearly all of the time
require_relative "support"
require_relative "terminal"

class TestAllocations < Minitest::Test
  include E2E

  TOOL = "#{BUILD}/tests/tools/channel_dump"

  PROGRAM = <<~'RUBY'
    class Item; end
    class Shop
      def order = Array.new(3) { Item.new }
    end
    File.write("#{ARGV[0]}.pid.new", Process.pid)
    File.rename("#{ARGV[0]}.pid.new", "#{ARGV[0]}.pid")
    sleep 0.01 until File.exist?(ARGV[0])
    100.times { Shop.new.order; sleep 0.003 }
  RUBY

  # The program waits for a file that is made when its objects are sampled.
  def sampled(*options)
    Dir.mktmpdir do |folder|
      File.write("#{folder}/shop.rb", PROGRAM)
      go = "#{folder}/go"
      maker = Thread.new { wait_until("sampling") { sampled?(go) } && File.write(go, "") }
      result = viewer(*options, "--", RbConfig.ruby, QUICK, "#{folder}/shop.rb", go)
      maker.join
      yield result, folder
    end
  end

  def sampled?(go)
    return false unless File.exist?("#{go}.pid")
    channel = channels(File.read("#{go}.pid").to_i).first or return false
    out, = Open3.capture2(TOOL, channel, err: File::NULL)
    out.start_with?("{") && JSON.parse(out)["windows"].last&.fetch("exact")&.any? { |_, what, _, value| what == 48 && value == 1 }
  end

  def item(sites) = sites["sites"].find { |row| row["class"] == "Item" }

  def assert_items(sites)
    row = item(sites)
    assert_equal ["Shop#order", 3], row.values_at("method", "line")
    assert_equal "shop.rb", File.basename(row["path"])
    assert_in_delta 300, row["objects"], 5 * row["error"] + 1
    assert_operator row["bytes"], :>=, 40 * row["objects"]
    assert_nil row["alive"]
  end

  def test_json_of_a_command
    sampled("--allocations", "-t", "30", "-J") do |result,|
      assert_equal 0, result.status.exitstatus, result.err
      sites = JSON.parse(result.out)["allocation_sites"]
      assert_equal "no_gc", sites["state"]
      assert_operator sites["objects"], :>, 500
      assert_operator sites["sampled"], :>, 0.2
      assert_operator sites["cost"], :>, 0
      assert_items(sites)
      assert_equal sites["sites"].sum { |row| row["samples"] }, sites["samples"]
    end
  end

  def test_text
    sampled("--allocations=bytes") do |result,|
      assert_equal 0, result.status.exitstatus, result.err
      assert_match(/^Allocation sites: [\d.]+ s, \d+ objects, \d+ samples \(.*\), own cost [\d.]+% of the time\n  what is alive is not known: no major GC came in time\n +OBJECTS +\+- +BYTES +ALIVE +ALIVE B  CLASS +WHERE/, result.out)
      assert_match(/^ +\d+ +(exact|\d+) +\S+ +- +-  Item +Shop#order \(shop.rb:3\)$/, result.out)
    end
  end

  def test_recordings_and_summaries
    sampled("-o", "/dev/shm/sites-#{$$}.rpt", "--allocations") do |result,|
      assert_equal 0, result.status.exitstatus, result.err
      assert_items(viewer("-b", "-J", "-F", "all", "-r", "/dev/shm/sites-#{$$}.rpt").objects.last["allocation_sites"])
    ensure
      File.delete("/dev/shm/sites-#{$$}.rpt") rescue nil
    end
    sampled("--stat", "-J", "--allocations") { |result,| assert_items(JSON.parse(result.out)["allocation_sites"]) }
  end

  STAYS = <<~'RUBY'
    class Kept; end
    class Lost; end
    def keep(all) = all << Kept.new
    def lose = Lost.new
    all = []
    loop { 20.times { keep(all); lose; sleep 0.002 }; GC.start }
  RUBY

  # The program goes on; the viewer ends by itself, when a major GC has shown what is alive.
  def test_alive
    Dir.mktmpdir do |folder|
      File.write("#{folder}/stays.rb", STAYS)
      result = viewer("--allocations", "-t", "1", "-J", "--", RbConfig.ruby, QUICK, "#{folder}/stays.rb")
      sites = JSON.parse(result.out)["allocation_sites"]
      assert_equal "done", sites["state"], result.err
      kept, lost = %w[Kept Lost].map { |name| sites["sites"].find { |row| row["class"] == name } }
      assert_operator kept["objects"], :>, 10
      assert_in_delta kept["objects"], kept["alive"], 1
      assert_operator lost["alive"], :<, 0.2 * lost["objects"] + 3
    end
  end

  # On the screen: M begins, and shows what is alive in the end; again, it begins anew, and ends.
  def test_the_key
    Dir.mktmpdir do |folder|
      File.write("#{folder}/stays.rb", STAYS)
      running("#{folder}/stays.rb") { |pid| Terminal.open("-p", pid.to_s, rows: 30, columns: 100) { |terminal| press(terminal) } }
    end
  end

  def press(terminal)
    terminal.wait_for("GC.start") # what keeps takes too little to have a row of its own
    terminal.type("M")
    terminal.wait_for("sampling new objects")
    wait_until("sites") { terminal.repainted.match?(/Sites\].*it goes on.*OBJECTS.*Kept.*Object#keep/m) }
    wait_until("what is alive") { terminal.repainted.then { |text| text.match?(/cost.*Kept/m) && !text.match?(/it goes on|known yet|not all/) } }
    from = terminal.size
    terminal.type("M")
    terminal.wait_for("sampling new objects", from: from)
    terminal.type("M")
    terminal.wait_for("objects are sampled no more", from: from)
    terminal.type("Q")
  end

  def test_usage
    assert_match(/--allocations takes bytes, for their order: 'x' is not/, viewer("--allocations=x", "-p", "1").err)
    assert_match(/--allocations needs -p PID or -- COMMAND/, viewer("-b", "-r", "x.rpt", "--allocations").err)
    assert_match(/--allocations takes at most 60 s/, viewer("--allocations", "-t", "90", "-p", "1").err)
    assert_match(/--trace-all and --allocations cannot be combined/, viewer("--allocations", "--trace-all", "-p", "1").err)
  end
end
