# The page of results is what the benchmarks kept (tests/bench/results.rb), and short.
require "json"
require "minitest/autorun"
require "tmpdir"
require_relative "../bench/results"

class ResultsTest < Minitest::Test
  HERE = File.expand_path("../bench", __dir__)
  # The programs that tests/bench/run starts, and those that they measure with.
  SOURCES = Dir["#{HERE}/**/*.{rb,sh}"] + ["#{HERE}/run"]

  def setup = ENV.delete("BENCH_KEEP")

  def lines = File.readlines(Results::FILE).map { |text| JSON.parse(text) }

  def test_the_page_is_written_from_the_figures
    assert_equal Results.page, File.read(Results::PAGE), "run tests/bench/results"
  end

  def test_the_page_is_short
    page = File.readlines(Results::PAGE)
    assert_operator page.size, :<=, 120
    rows = page.grep(/^\|/).drop(2)
    assert_equal Results.measures.size, rows.size
    rows.each { |row| assert_equal 8, row.chomp.split(" | ", -1).size, row }
  end

  def test_each_figure_says_when_and_where_it_was_measured
    lines.each do |line|
      assert Results.measures.key?(line["measure"]), line.inspect
      assert_match(/\A\h{8,}\+?\z|\Aunknown\z/, line["commit"], line.inspect)
      assert_match(/\A20\d\d-\d\d-\d\d\z/, line["date"], line.inspect)
      %w[machine ruby load now].each { |key| refute_nil line[key], line.inspect }
    end
  end

  # What repeats a measure is a part of tests/bench/run, and a program keeps that measure.
  def test_each_measure_is_of_a_benchmark
    run = File.read("#{HERE}/run")
    parts = run.scan(/^  (\w+)\)/).flatten
    rooms = SOURCES.flat_map { |path| File.read(path).scan(%r{\bkeep\(?\s*"([\w#{}-]+)/}) }.flatten.uniq
    Results.measures.each_value do |measure|
      part = measure.command[/\ABENCH=(\w+) .*make bench\z/, 1]
      assert_includes parts, part, measure.key
      room = measure.key[%r{\A[^/]+}]
      assert rooms.include?(room) || (part == "mixtures" && mixtures.include?(room)), "#{measure.key}: nothing keeps it"
    end
  end

  # A benchmark runs for minutes before it keeps anything: what can be known before is seen here.
  def test_each_benchmark_is_a_program_and_keeps_measures_that_there_are
    named = SOURCES.grep(/rb\z/).flat_map do |path|
      text = File.read(path)
      RubyVM::InstructionSequence.compile(text, path)
      text.scan(/\bkeep\("([^"#]+)"/).flatten
    end
    assert_operator named.size, :>=, 20
    assert_empty named.uniq - Results.measures.keys
  end

  def mixtures = File.read("#{HERE}/accuracy/mixtures.rb")[/^MIXTURES = (.+?)\.freeze/m, 1].scan(/[a-z]+-\d+/)

  def keeping
    Dir.mktmpdir do |folder|
      ENV["BENCH_KEEP"], ENV["BENCH_LOAD"] = "#{folder}/results", "1.5"
      yield "#{folder}/results"
    end
  ensure
    ENV.delete("BENCH_KEEP")
    ENV.delete("BENCH_LOAD")
  end

  def test_an_unknown_measure_is_an_error_always
    assert_raises(ArgumentError) { Results.keep("idle/nobody", 1) }
    keeping do |file|
      assert_raises(ArgumentError) { Results.keep("idle/nobody", 1) }
      refute_path_exists file
      File.write(file, JSON.generate({ "measure" => "idle/nobody", "now" => 1 }))
      assert_raises(ArgumentError) { Results.page(file) }
    end
  end

  def test_nothing_is_kept_unless_asked_for
    before = File.read(Results::FILE)
    Results.keep("idle/publisher", 1, at: "10 threads")
    assert_equal before, File.read(Results::FILE)
  end

  def test_what_is_kept_is_in_the_table_and_the_last_counts
    keeping do |file|
      Results.keep("idle/publisher", 9, at: "10 threads")
      Results.keep("idle/publisher", 0.5, at: "5000 threads", of: 0.25)
      Results.keep("idle/publisher", [1.0, 2.0, 3.0, nil], at: "10 threads", beside: { "other" => [2.0, 4.0], "text" => "none", "gone" => nil })
      Results.keep("blame/maker", Results.range([1.0, 4.0]))
      Results.keep("server/again", Results.median([0.9, 1.0, 1.1]))
      Results.keep("blame/thinker", [nil])
      page = Results.page(file)
      assert_includes page, "| 10 threads: 2.00 ± 0.58; 5000 threads: 0.50 of 0.25 (3 runs) | other: 3.0 ± 1.0 (10 threads); text: none (10 threads) |"
      assert_includes page, "| 2.5 (1.0 to 4.0) (2 runs) |"
      assert_match(/\| 1\.000? ± 0\.0\d+ \(3 runs\) \|/, page)
      last = JSON.parse(File.readlines(file)[2])
      assert_equal [[1.0, 2.0, 3.0], 1.5, RUBY_VERSION], [last["each"], last["load"], last["ruby"][/\S+/]]
      assert_equal 5, File.readlines(file).size
    end
  end

  def test_negative_figures_have_a_sign_of_minus
    keeping do |file|
      Results.keep("web-30/request", [-0.123456, -0.1], at: "100 Hz")
      assert_includes Results.page(file), "| 100 Hz: −0.11 ± 0.01 (2 runs) |"
    end
  end

  # As recording.sh does, whose figures no Ruby program has.
  def test_a_script_keeps_figures
    keeping do |file|
      IO.popen([RbConfig.ruby, "#{HERE}/results", "keep", "recording/open", "open"], "w") { |io| io.puts "12.5" }
      assert_predicate $?, :success?
      assert_equal ["recording/open", "open", 12.5], JSON.parse(File.read(file)).values_at("measure", "case", "now")
      assert_includes IO.popen([RbConfig.ruby, "#{HERE}/results", file], &:read), "| open: 12.5 |"
    end
  end
end
