# ext/rperf_top.rb: what a program sees when the extension can be loaded and when it cannot.
# Run by the Ruby in use; the parts that need an older Ruby look for one in PATH and skip without.
require "minitest/autorun"
require_relative "../skips"
require "fileutils"
require "open3"
require "rbconfig"
require "tmpdir"

class ShimTest < Minitest::Test
  SOURCE = File.expand_path("../../ext/rperf_top.rb", __dir__)
  SERIES = RUBY_VERSION[/\A\d+\.\d+/]

  def setup
    @folder = Dir.mktmpdir("rperf-top-shim")
    write_shim(SERIES)
  end

  def teardown
    FileUtils.rm_rf(@folder)
  end

  def write_shim(series, path = "@RUBY_PATH@")
    File.write("#{@folder}/rperf_top.rb", File.read(SOURCE).sub("@RUBY_SERIES@", series).sub("@RUBY_PATH@", path))
  end

  def run_ruby(*arguments, ruby: RbConfig.ruby, env: {}, input: "")
    clean = { "RUBYOPT" => nil, "RUBYLIB" => nil, "BUNDLE_GEMFILE" => nil }.merge(env)
    Open3.capture3(clean, ruby, *arguments, stdin_data: input)
  end

  # Loaded by the interpreter: the program runs as it would, with one line on stderr.
  def assert_goes_on(pattern, *options, ruby: RbConfig.ruby, env: {})
    out, err, status = run_ruby(*options, "-e", "puts :ran; p defined?(RperfTop)", ruby: ruby, env: env)
    assert status.success?, err
    assert_equal "ran\n\"constant\"\n", out
    assert_equal 1, err.lines.size, err
    assert_match(/\Arperf_top: .*#{pattern}.*; the program runs without it$/, err)
  end

  # Required by the program: a LoadError that says why, and no half-made RperfTop.
  def assert_load_error(pattern, ruby: RbConfig.ruby)
    program = "begin; require 'rperf_top'; rescue LoadError => e; puts e.message; end; p defined?(RperfTop)"
    out, err, status = run_ruby("-I", @folder, "-e", program, ruby: ruby)
    assert status.success?, err
    assert_equal 2, out.lines.size, out
    assert_match(/\Arperf_top cannot be used: .*#{pattern}/, out)
    assert_equal "nil\n", out.lines.last
    assert_empty err
  end

  def both_ways(pattern, ruby: RbConfig.ruby)
    assert_load_error(pattern, ruby: ruby)
    assert_goes_on(pattern, "-I", @folder, "-rrperf_top", ruby: ruby)
    assert_goes_on(pattern, ruby: ruby, env: { "RUBYOPT" => "-r#{@folder}/rperf_top" })
    assert_goes_on(pattern, "--disable-gems", "-I", @folder, "-rrperf_top", ruby: ruby)
  end

  def older_rubies
    candidates = ENV.fetch("PATH", "").split(":").flat_map { |folder| Dir["#{folder}/ruby{,[1-9]*}"] }
    candidates.map { |path| File.realpath(path) }.uniq.select do |path|
      out, _, status = run_ruby("--disable-gems", "-e", "print RUBY_VERSION", ruby: path)
      status.success? && out =~ /\A\d+\.\d+\.\d+\z/ && (out.split(".").map(&:to_i) <=> [3, 3, 1]) < 0
    end
  end

  def test_native_file_missing
    both_ways(/its native part does not load \(cannot load such file/)
  end

  def test_native_file_damaged
    File.write("#{@folder}/rperf_top.so", "no shared object")
    both_ways(/its native part does not load/)
  end

  def test_built_for_another_ruby
    write_shim("9.9")
    File.write("#{@folder}/rperf_top.so", "never opened")
    both_ways(/it was built for Ruby 9\.9, this is #{Regexp.escape(RUBY_VERSION)}: build it again/)
  end

  def test_too_old_ruby
    rubies = older_rubies
    skip "no Ruby older than 3.3.1 in PATH" if rubies.empty?
    rubies.each { |ruby| both_ways(/it needs Ruby 3\.3\.1 or newer, this is [0-9.]+/, ruby: ruby) }
  end

  # The one that it was built for is named if it is there.
  def test_too_old_ruby_and_one_that_will_do
    old = "#{@folder}/old.rb"
    File.write(old, "Object.send(:remove_const, :RUBY_VERSION); RUBY_VERSION = '3.1.2'")
    { RbConfig.ruby => "; #{RbConfig.ruby} will do", "/nonexistent/ruby" => "", "@RUBY_PATH@" => "" }.each do |path, words|
      write_shim(SERIES, path)
      assert_goes_on(/it needs Ruby 3\.3\.1 or newer, this is 3\.1\.2#{Regexp.escape(words)}/, "-r#{old}", "-I", @folder, "-rrperf_top")
      _, err, = run_ruby("-r#{old}", "-I", @folder, "-rrperf_top", "-e", "")
      assert_equal words.empty?, !err.include?("will do")
    end
  end

  def test_another_implementation
    File.write("#{@folder}/other.rb", "Object.send(:remove_const, :RUBY_ENGINE); RUBY_ENGINE = 'truffleruby'")
    program = "begin; require 'rperf_top'; rescue LoadError => e; puts e.message; end"
    out, = run_ruby("-I", @folder, "-r#{@folder}/other.rb", "-e", program)
    assert_equal "rperf_top cannot be used: it needs CRuby 3.3.1 or newer, this is truffleruby\n", out
  end

  def test_program_is_recognised_without_a_main_frame
    File.write("#{@folder}/library.rb", "require 'rperf_top'\n")
    _, err, status = run_ruby("-I", @folder, "-rlibrary", "-e", "puts :not_reached")
    refute status.success?
    assert_match(/LoadError/, err)
    program = "def go; require 'rperf_top'; end; t = Thread.new(&method(:go)); t.report_on_exception = false; " \
              "begin; t.join; rescue LoadError; puts :raised; end"
    out, = run_ruby("-I", @folder, "-e", program)
    assert_equal "raised\n", out
  end

  def test_program_from_stdin_or_file_goes_on
    File.write("#{@folder}/program.rb", "puts :ran")
    out, = run_ruby("-I", @folder, "-rrperf_top", input: "puts :ran")
    assert_equal "ran\n", out
    out, = run_ruby("-I", @folder, "-rrperf_top", "#{@folder}/program.rb")
    assert_equal "ran\n", out
  end

  def test_stand_in_answers_and_does_nothing
    program = "p RperfTop.running?, RperfTop.start(hz: 100), RperfTop.stop, RperfTop.mark('x'), " \
              "RperfTop.label(job: 1) { 5 }, RperfTop.label(job: 2), RperfTop.labels, RperfTop.snapshot('x'), " \
              "RperfTop.profile(hz: 7) { 6 }, RperfTop.label_ahead(a: 1) { 7 }, RperfTop.load('x'), RperfTop.snapshot(clear: true)"
    out, err, status = run_ruby("-I", @folder, "-rrperf_top", "-e", program)
    assert status.success?, err
    assert_equal %w[false nil nil nil 5 nil {} nil 6 7 nil nil], out.split
  end
end
