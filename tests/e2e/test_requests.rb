# Requests of a real puma and jobs of a real Sidekiq, with planted faults: the log that the program keeps is the truth of
# what the viewer says.
#
# Each piece lies between two pairs of clock readings: those within its labels are not longer than it, those around them
# not shorter. So whatever the machine does, counts are equal, sums, the longest and each quantile lie between those of
# the two, and causes add up. How near that is to the truth on a machine at rest says the benchmark `requests`.
# Waits nearly all of the time
require_relative "support"
require_relative "../bench/server/faults"
require_relative "../bench/server/queue_rig"
require_relative "../bench/server/rig"
require_relative "../bench/server/truth"

class TestRequests < Minitest::Test
  include E2E

  COUNT = 600
  A_SECOND = 200
  BUCKET = 0.008 # the middle of a bucket is within 0.8 % of every length in it
  ROUNDED = 2e-9 # what is left of nanoseconds in JSON
  ENV_OF_ALL = { "RPERF_TOP_SIZE" => "32" }.freeze

  CONNECTIONS = 40 # each rests for so long that an answer's time hardly matters
  THINK_MS = 1000.0 * CONNECTIONS / A_SECOND

  def served(threads:, workers: 0)
    skip "the gem puma is not here" unless (lib = gem_folder("puma"))
    rig = Rig.new(build: BUILD, gems: File.expand_path("../../..", lib), threads: threads, workers: workers, connections: CONNECTIONS,
                  arguments: ["-I", BUILD], application: "FaultyApp", env: ENV_OF_ALL)
    latencies = rig.ask(COUNT, THINK_MS, Faults::MIX.map { |name| "/#{name}" })["latencies"]
    yield rig, Truth.new(rig.told_by_all) { |name| "GET /#{name}" }, latencies
  ensure
    rig&.stop
  end

  # All pieces, once they are there.
  def rows(rig, pids, truth)
    wait_until("all of the log", every: 0.1) { Truth.rows(BUILD, rig.folder, pids).then { |found| found if truth.all?(found, Faults::NAMES) } }
  end

  def assert_between(low, value, high, text)
    assert_operator value, :>=, low - ROUNDED, text
    assert_operator value, :<=, high + ROUNDED, text
  end

  def assert_latency(truth, name, latency)
    within, around = truth.pieces(name).transpose
    assert_equal within.size, latency["ended"], name
    assert_equal 0, latency["open"], name
    assert_between within.sum, latency["sum"], around.sum, "sum of #{name}"
    assert_between within.max, latency["max"], around.max, "longest #{name}"
    Truth::SHARES.each do |key, share|
      assert_between Truth.quantile(within, share) * (1 - BUCKET), latency[key], Truth.quantile(around, share) * (1 + BUCKET), "#{key} of #{name}"
    end
    causes = latency["causes"].values.sum { |cause| cause["sum"] }
    assert_in_delta latency["sum"], causes, latency["causes"].size * ROUNDED, "causes of #{name}"
  end

  def sums(rows, truth, name) = (rows.dig(truth.label(name), "latency", "causes") || {}).transform_values { |cause| cause["sum"] }

  # Waits for the GVL are behind somebody or nobody, all of them, and so are waits for locks.
  def assert_all_waits_are_behind(truth, rows, name)
    row, causes = rows[truth.label(name)], sums(rows, truth, name)
    { %w[gvl gc handover] => %w[gvl gc_others], %w[lock] => %w[lock] }.each do |behind, of|
      found = (row["waits_behind"] || []).sum { |wait| behind.include?(wait["cause"]) ? wait["time"] : 0 }
      assert_in_delta causes.values_at(*of).compact.sum, found, 100 * ROUNDED, "#{name} waits behind #{row["waits_behind"]}"
    end
  end

  # Who asked for the lock while another had it has waited behind that one.
  def assert_lock(truth, rows)
    behind = truth.behind(rows, :lock)
    assert_operator behind["stretches"], :>=, truth.met(:lock)
    assert_operator behind["time"], :<=, truth.asked(:lock, "stock") + ROUNDED
  end

  # What one wanted while another had it was waiting, but for what it did itself meanwhile, and what the other one lost.
  def assert_gvl(truth, rows)
    own, others = sums(rows, truth, "health"), sums(rows, truth, "report")
    gaps = own.except("gvl", "gc_others").values.sum + 5 * others.except("running").values.sum
    unknown = (rows[truth.label("health")]["waits_behind"] || []).sum { |wait| wait["holder"] ? 0 : wait["time"] }
    assert_operator truth.behind(rows, :gvl)["time"], :>=, truth.overlap(:gvl) - gaps - unknown
  end

  def assert_truth(truth, rows)
    Faults::NAMES.reject { |name| truth.pieces(name).empty? }.each do |name|
      assert_latency truth, name, rows[truth.label(name)]["latency"]
      assert_all_waits_are_behind truth, rows, name
    end
    assert_lock truth, rows
    assert_gvl truth, rows
    assert_operator sums(rows, truth, "checkout").fetch("sleep", 0), :>=, truth.pieces("checkout").size * 0.0079
  end

  def assert_counts(latencies, truth)
    assert_equal latencies.to_h { |path, times| [path.delete_prefix("/"), times.size] },
                 Faults::NAMES.to_h { |name| [name, truth.pieces(name).size] }.slice(*latencies.keys.map { |path| path.delete_prefix("/") })
    assert_equal COUNT, latencies.values.sum(&:size)
    # A client waits for all of a request.
    latencies.each do |path, times|
      assert_operator times.sum / 1000, :>=, truth.pieces(path.delete_prefix("/")).sum(&:first) - times.size * 0.001
    end
  end

  def test_five_threads
    served(threads: 5) do |rig, truth, latencies|
      assert_counts latencies, truth
      assert_truth truth, rows(rig, rig.serving, truth)
    end
  end

  # Of each worker, and of both together.
  def test_a_cluster_of_two
    served(threads: 5, workers: 2) do |rig, truth, latencies|
      assert_counts latencies, truth
      assert_truth truth, rows(rig, rig.serving, truth)
      rig.told_by_all.each do |told|
        own = Truth.new([told]) { |name| truth.label(name) }
        assert_truth own, rows(rig, [told["pid"]], own)
      end
    end
  end

  def test_sidekiq
    home = "#{File.expand_path("../../..", gem_folder("puma") || skip("the gems are not here"))}/frameworks"
    skip "the gem sidekiq is not here" if Dir["#{home}/gems/sidekiq-[0-9]*"].empty?
    skip "redis is not here" unless RedisServer::PROGRAM
    rig = QueueRig.new(build: BUILD, gems: home, env: ENV_OF_ALL)
    rig.push(COUNT, A_SECOND)
    truth = Truth.new(rig.told(COUNT)) { |name| "#{name.capitalize}Job" }
    assert_equal COUNT, Faults::NAMES.sum { |name| truth.pieces(name).size }
    assert_truth truth, rows(rig, [rig.pid], truth)
  ensure
    rig&.stop
  end
end
