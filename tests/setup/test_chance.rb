# Tests whose figures chance decides fail when two of three runs do (tests/chance.rb).
require "minitest/autorun"
require "open3"
require "rbconfig"

class ChanceTest < Minitest::Test
  CHANCE = File.expand_path("../chance", __dir__)

  # Runs one test with this body, where `run` counts its runs, and prints how many there were.
  def outcome(body)
    program = <<~RUBY
      require "minitest/autorun"
      require #{CHANCE.dump}
      $run = 0
      class T < Minitest::Test
        include Chance
        def run = ($run += 1; super)
        def test_it = (run = $run; #{body})
      end
      Minitest.after_run { puts "runs: \#{$run}" }
    RUBY
    out, = Open3.capture2e(RbConfig.ruby, "-e", program)
    counts = out[/\d+ failures, \d+ errors, \d+ skips/].scan(/\d+/).map(&:to_i)
    [Integer(out[/runs: (\d+)/, 1]), *counts, out]
  end

  def assert_outcome(expected, body)
    *found, out = outcome(body)
    assert_equal expected, found, out
    out
  end

  def test_what_passes_runs_once = assert_outcome([1, 0, 0, 0], "assert true")

  def test_one_failure_of_three_passes_and_is_told
    assert_match(/^chance: T#test_it failed once in 3 runs: late$/, assert_outcome([3, 0, 0, 0], 'assert run != 1, "late"'))
  end

  def test_two_failures_fail
    assert_outcome([2, 1, 0, 0], "assert run > 2")
    assert_outcome([3, 1, 0, 0], "assert run == 2")
  end

  def test_errors_and_skips_are_no_chance
    assert_outcome([1, 0, 1, 0], 'raise "broken"')
    assert_outcome([2, 0, 1, 0], 'run == 1 ? flunk : raise("broken")')
    assert_outcome([1, 0, 0, 1], "skip")
  end
end
