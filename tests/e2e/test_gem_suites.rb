# The tests of well-known gems, as they were published with them: the same pass and the same fail whether the extension
# is loaded, and samples at 10,000 Hz whatever that costs, or not. RTOP_GEM_SUITES=full takes larger gems, too.
require_relative "support"
require "dump"
require "fileutils"

class GemSuitesTest < Minitest::Test
  SUITES = { "minitest" => "5.25.4", "connection_pool" => "2.2.5", "sexp_processor" => "4.17.6" }.freeze
  LARGE = { "ruby_parser" => "3.22.0" }.freeze
  FULL = ENV["RTOP_GEM_SUITES"] == "full"
  # The whole rate, no governor, a segment that stays.
  PROFILED = { "RUBYOPT" => "-rrperf_top", "RUBYLIB" => E2E::BUILD, "RPERF_TOP_RECORD_HZ" => "10000", "RPERF_TOP_BUDGET" => "100",
               "RPERF_TOP_KEEP" => "1" }.freeze

  def setup
    @folder = Dir.mktmpdir("rperf-top-suites.")
  end

  def teardown
    FileUtils.rm_rf(@folder)
  end

  def gems
    @@gems ||= IO.popen(["#{E2E::ROOT}/.setup/gems", RbConfig.ruby, *SUITES.merge(FULL ? LARGE : {}).map { |pair| pair.join(":") }],
                        err: File::NULL, &:readlines).first.chomp
  end

  Outcome = Struct.new(:results, :status, :seconds, :output)

  def run_suite(name, version, env)
    started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    output, status = Open3.capture2e(env, RbConfig.ruby, "#{__dir__}/programs/gem_suite.rb", "#{@folder}/results", gems, name, version)
    lines = File.readlines("#{@folder}/results", chomp: true)
    assert_equal "ended", lines.pop, output
    Outcome.new(lines.sort, status.exitstatus || status.to_s, Process.clock_gettime(Process::CLOCK_MONOTONIC) - started, output)
  end

  def samples
    Dir["#{@folder}/rperf-top.*"].grep_v(/\.ctl\z/).sum { |path| Dump.read(path).windows.sum { |window| window["counters"]["samples"] } }
  end

  SUITES.merge(FULL ? LARGE : {}).each do |name, version|
    define_method("test_#{name}") do
      skip "the gem #{name} #{version} cannot be had here" unless Dir.exist?("#{gems}/gems/#{name}-#{version}/test")
      plain = run_suite(name, version, {})
      profiled = run_suite(name, version, PROFILED.merge("RPERF_TOP_DIR" => @folder))
      assert_operator plain.results.size, :>, 30, plain.output
      assert_empty profiled.results - plain.results, profiled.output
      assert_empty plain.results - profiled.results, profiled.output
      assert_equal [plain.results.size, plain.status], [profiled.results.size, profiled.status]
      taken = samples
      assert_operator taken, :>, 100, "it was hardly sampled"
      codes = profiled.results.map { |line| line[-1] }.tally
      puts format("%s %s: %d tests, %d passed, %d failed, %d skipped; %.1f s, %.1f s with %d samples", name, version, profiled.results.size,
                  codes.fetch(".", 0), codes.fetch("F", 0) + codes.fetch("E", 0), codes.fetch("S", 0), plain.seconds, profiled.seconds, taken)
    end
  end
end
