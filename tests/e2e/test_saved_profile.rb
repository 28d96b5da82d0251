# A profile that a program has saved of itself: the viewer shows what the program's own methods tell of it.
require_relative "support"
require "zlib"

class TestSavedProfile < Minitest::Test
  include E2E

  PROGRAM = <<~'RUBY'
    require "rperf_top"
    require "json"
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    def spin(seconds) = (from = now; nil while now - from < seconds)
    def nap(seconds) = sleep(seconds)
    data = RperfTop.profile(hz: 1000, budget: 100) do
      2.times { RperfTop.label(endpoint: "GET /a,b") { spin(0.15) } }
      Thread.new { Thread.current.name = "napper"; nap(0.2) }.join
    end
    data.save(ARGV[0])
    puts JSON.generate(data.to_h)
  RUBY

  def setup
    @folder = Dir.mktmpdir("rperf-top-saved.", File.writable?("/dev/shm") ? "/dev/shm" : nil)
    @path = "#{@folder}/saved.json"
    out, err, status = Open3.capture3({ "RPERF_TOP" => "0", "RPERF_TOP_DIR" => @folder, "RUBYLIB" => E2E::BUILD },
                                      RbConfig.ruby, QUICK, "-e", PROGRAM, @path)
    assert_predicate status, :success?, err
    @truth = JSON.parse(out)
  end

  def teardown = FileUtils.rm_rf(@folder)

  def report(path, *options) = viewer("-b", "-J", "-F", "all", "-m", "wall", "-r", path, *options).objects.last

  STATES = %w[running waiting blocked].freeze

  def assert_same(object)
    assert_equal "replay", object["state"]
    assert_in_delta @truth["duration"] / 1e9, object["frame"], 1e-6
    STATES.each { |state| assert_in_delta @truth["cost"][state] / 1e9, object["gvl"][state], 1e-6, state }
    assert_equal @truth["gc"]["allocations"], object["allocations"]
    %w[Object#spin Object#nap].each do |name|
      told, seen = @truth["methods"].find { |row| row["name"] == name }, method_named(object, name)
      STATES.each { |state| assert_in_delta told["total"][state] / 1e9, seen[state], 1e-6, "#{name} #{state}" }
      assert_in_delta told["total"].values_at("running", "waiting", "blocked", "marking", "sweeping").sum / 1e9, seen["total"], 1e-6, name
      assert_equal told["line"], seen["line"]
    end
    assert_equal @truth["threads"].map { |row| row["name"] }.sort, object["threads"].map { |row| row["name"] }.sort
    label = object["labels"].find { |row| row["value"] == "GET /a,b" }
    assert_equal 2, label["count"]
    assert_in_delta @truth["labels"][0]["cost"]["running"] / 1e9, label["running"], 1e-6
  end

  def test_what_the_viewer_tells
    assert_same report(@path)
    assert_match(/Object#spin .*-e:4/, viewer("-b", "-F", "all", "-r", @path).out)
  end

  # Each export has the method; a recording of it tells the same as it does.
  def test_exports
    result = viewer("-r", @path, "-o", "#{@folder}/again.rpt")
    assert_predicate result.status, :success?, result.err
    assert_same report("#{@folder}/again.rpt")
    %w[pb.gz collapsed json json.gz txt csv svg html trace.json speedscope.json].each do |ending|
      out = "#{@folder}/out.#{ending}"
      result = viewer("-r", @path, "-o", out)
      assert_predicate result.status, :success?, "#{ending}: #{result.err}"
      text = ending.end_with?("gz") ? Zlib.gunzip(File.binread(out)) : File.binread(out)
      assert_includes text, "Object#spin", ending
    end
    weights = File.readlines("#{@folder}/out.collapsed", chomp: true).map { |line| [line, line[/\d+\z/].to_i] }
    spin = weights.sum { |line, weight| line.include?("Object#spin") ? weight : 0 }
    told = @truth["methods"].find { |row| row["name"] == "Object#spin" }["total"].values_at(*STATES).sum
    assert_in_delta told.to_f / @truth["cost"].values_at(*STATES).sum, spin.to_f / weights.sum { |_, weight| weight }, 0.02
  end

  # It does not tell at which rate it was made.
  def test_no_rate
    assert_match(/^Thr .* \d+ samples$/, viewer("-b", "-F", "all", "-r", @path).out)
    refute viewer("-J", "-F", "all", "-r", @path).objects.last["sampler"].key?("hz")
    refute_match(/\b0 ?Hz/, viewer("--dump-screen=160x50", "-F", "all", "-r", @path).out)
    stat = viewer("--stat", "-r", @path)
    assert_match(/^  \d[\d,]* samples\b/, stat.err)
    refute_match(/\b0 ?Hz/, stat.err)
  end

  def test_two_compared
    same = viewer("-b", "-F", "all", "-r", @path, "-r", @path)
    assert_predicate same.status, :success?, same.err
    assert_includes same.out, "Object#spin"
  end

  def test_what_is_refused
    whole = File.read(@path)
    File.write(@path, whole[0, whole.size / 2])
    result = viewer("-b", "-r", @path)
    assert_equal 1, result.status.exitstatus
    assert_match(/saved\.json is damaged near line 1$/, result.err)
    File.write(@path, JSON.generate(JSON.parse(whole).merge("format" => "rperf_top profile 1").except("calls")))
    assert_match(/saved without its calls: only RperfTop.load reads it$/, viewer("-b", "-r", @path).err)
  end
end
