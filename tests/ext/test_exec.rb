# exec replaces the program: its channel is over at once, the next one has its own.
require_relative "support"

class ExecTest < Minitest::Test
  include Support

  def test_exec_of_another_program
    program = run_program("window_over; 1000.times { Object.new }; exec 'echo', 'replaced'")
    assert_equal "replaced\n", program.out
    left = channels(program.pid).map { |path| Dump.read(path).state }
    assert_empty left - ["dead"]
    assert_empty program.err
  end

  def test_exec_of_ruby_with_the_extension
    program = start(<<~'RUBY', env: { "RUBYOPT" => "-I#{BUILD} -rrperf_top" }, with: false)
      require "rbconfig"
      $stdout.sync = true
      window_over
      exec RbConfig.ruby, "-e", "def after_exec = loop { sleep 0.001 }; $stdout.sync = true; puts Process.pid; Thread.new { gets; exit!(0) }; after_exec"
    RUBY
    assert_equal program.pid, program.line.to_i
    dump = wait_for("the new channel") do
      dumps = channels(program.pid).filter_map { |path| Dump.read(path) }
      dumps.find { |d| d.state == "live" && d.main && d.labels.include?("Object#after_exec") }
    end
    assert_equal program.pid, dump.main.native_id
    program.finish
  end

  def test_no_descriptor_is_inherited
    program = run_program("sleep 0.2 until Dir[ENV['RPERF_TOP_DIR'] + '/rperf-top.*.????????????????'].any?\nexec 'ls', '-l', '/proc/self/fd'")
    refute_match(/rperf-top\.\d|statm/, program.out)
  end
end
