# Runs beside one other: where all cores are busy the ticks come when the scheduler lets them, which is no longer by chance.
# Threads as servers have them: short waits beside long ones, bursts of work, a lock. What methods take is what the
# program itself measured, whatever the machine does meanwhile.
#
# How far a right rule may be off by chance, and what a rule is off that gives time to the stack that happens to be
# known, or to the last one of a window:
#   waits   taken at every release they are exact; chosen by length with one stack per T, the deviation is
#           sqrt(T / sum of the short waits): 2.6 % for the smallest sum here (15 s) and T = 10 ms, far more than the
#           budget of stacks asks for. Held are 12 % of those and of the lock (7 was seen), and 2 % of the others (0.3);
#           such a rule is off by 29 to 72 %, and for the lock by up to 1500 %.
#   bursts  n instants found a thread running, a share p of the work is in the method: the deviation is
#           sqrt((1 - p) / pn), 1.5 to 2.5 % at 1000 Hz, 4 to 8 % at 100 Hz. What the program measured holds a little
#           more than the work (our own at an instant, and measuring with cold caches: 1.5 % at 1000 Hz), and 2 % are
#           missing for reasons not known (19 and 24 runs). Held are five deviations and 4 %; such a rule is off by
#           20 to 46 % and by 82 to 91 %.
require_relative "mixture"
require_relative "../../chance"

class MixturesTest < Minitest::Test
  include Support
  include Chance
  include Mixture

  WAITS = { known: 0.02, lock: 0.12, chosen: 0.12 }.freeze
  DEVIATIONS = 5
  KNOWN = 0.04

  def waits_off(kind, threads, hz, env)
    off = nil
    mixture(kind, threads, hz, env) do |truth, dump|
      assert_operator truth.keys.size, :>=, 2
      off = truth.to_h { |name, (_, wall, _)| [name, dump.total(on_stack: name).fdiv(wall) - 1] }
      yield dump if block_given?
    end
    off
  end

  # In the mean of so many runs.
  def assert_waits(kind, threads, hz, env = {}, within: :known, runs: 1, &block)
    found = Array.new(runs) { waits_off(kind, threads, hz, env, &block) }
    off = found.first.to_h { |name, _| [name, found.sum { |one| one[name] } / runs] }
    assert off.values.all? { |value| value.abs <= WAITS.fetch(within) }, "#{off.transform_values { |value| (100 * value).round(1) }} % of #{found}"
  end

  def assert_bursts(threads, hz, kind: "burst", method: "Work#step")
    mixture(kind, threads, hz, { "RPERF_TOP_BUDGET" => "100" }) do |truth, dump|
      running = dump.total(:cpu, state: "running")
      unknown = dump.cells.sum { |cell| cell.state == "running" && unknown?(dump, cell.node) ? cell.cpu : 0 }
      share = truth[method][2].fdiv(running)
      found = dump.total(:cpu, state: "running", on_stack: method).fdiv(running - unknown)
      met = running * instants_per_ns(dump)
      bound = KNOWN + DEVIATIONS * Math.sqrt((1 - share) / (share * met))
      assert_in_delta 0, found / share - 1, bound, "#{(100 * found).round(1)} % of the work, of #{(100 * share).round(1)}"
    end
  end

  # As if evenly spread: an instant stands for the more time the fewer there are.
  def instants_per_ns(dump)
    rows = dump.windows.map { |window| [window["end_ns"] - window["start_ns"], window["counters"]["ticks"]] }
    rows.sum(&:first).to_f / rows.sum { |ns, ticks| ns * ns / [ticks, 0.5].max }
  end

  # Short of everything that a stack could be: threads that no instant has met yet.
  def unknown?(dump, node) = dump.stack(node).last.to_s.match?(/\A\((not sampled|stack not)/)

  [100, 1000].each do |hz|
    define_method("test_waits_of_30_threads_at_#{hz}_hz") { assert_waits("web", 30, hz) }
    define_method("test_waits_of_100_threads_at_#{hz}_hz") { assert_waits("web", 100, hz) }
    define_method("test_bursts_of_200_threads_at_#{hz}_hz") { assert_bursts(200, hz) }
  end

  def test_work_between_waits_of_30_threads = assert_bursts(30, 1000, kind: "mixed", method: "Page#compute")

  # Most waits are chosen by their length. One run has a deviation of 4 % where all cores are busy.
  def test_waits_beyond_the_budget
    assert_waits("web", 100, 100, { "RPERF_TOP_BUDGET" => "0.1" }, within: :chosen, runs: 3) do |dump|
      assert_operator dump.counter("samples"), :<, dump.counter("gvl_releases") / 2
    end
  end

  def test_a_lock_of_30_threads = assert_waits("lock", 30, 1000, within: :lock)
end
