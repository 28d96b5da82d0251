# Calls that the extension makes while a program lives its life fail, one here and there, all of a kind from some
# moment on, and many at random: the program does not see it.
require_relative "../faults/support"

class FaultsLifeTest < Minitest::Test
  include Faults

  PARKED = { "RPERF_TOP_RECORD_HZ" => "0" }.freeze
  AT_RANDOM = FULL ? 1000 : 40

  # So many of each kind, spread evenly; which ones differs from run to run.
  def spread(counts, of_each, many: FULL)
    counts.flat_map do |kind, count|
      step = FULL ? 1 : [count / of_each, 1].max
      step = [step, count / 100].max # clocks
      (1 + rand(step)).step(count, step).flat_map { |number| faults(kind, number, 1, many: many) }
    end
  end

  def from_then_on(counts)
    counts.flat_map do |kind, count|
      (FULL ? [1, 1 + count / 4, 1 + count / 2, 1 + count * 3 / 4] : [1 + rand(count)]).uniq.flat_map do |first|
        faults(kind, first, many: FULL)
      end
    end
  end

  # Some are as rare as a bad day, some kill most of what is tried.
  def at_random
    AT_RANDOM.times.map { "*:#{rand(1 << 30)}:#{[1, 3, 10, 30, 100].sample}:0" }
  end

  def test_one_call_fails
    assert_law("life", spread(calls("life", runtime: true), 2), runtime: true)
  end

  def test_all_of_a_kind_fail_from_then_on
    assert_law("life", from_then_on(calls("life")))
  end

  def test_calls_fail_at_random
    assert_law("life", at_random)
  end

  def test_parked
    counts = calls("parked", env: PARKED)
    assert_law("parked", spread(counts, 1) + from_then_on(counts), env: PARKED)
  end
end
