# A real puma under load: its routes measure themselves, and the channel must agree, whatever the machine does.
require_relative "support"
require_relative "../bench/server/rig"
require_relative "../bench/server/shares"

class TestPuma < Minitest::Test
  REQUESTS = 5000
  WALL_OFF = 0.03 # most of it are waits, which are exact; the least route has twice as much
  CPU_OFF = 0.02

  def served(threads:, workers: 0, watched: false)
    skip "the gem puma is not here" unless (lib = E2E.gem_folder("puma"))
    rig = Rig.new(build: E2E::BUILD, gems: File.expand_path("../../..", lib), threads: threads, workers: workers,
                  connections: threads * [workers, 1].max, arguments: ["-I", E2E::BUILD, "-r", "rperf_top"],
                  env: { "RPERF_TOP_SIZE" => "32", "RPERF_TOP_BUDGET" => "100" })
    watched ? rig.watched([]) { rig.ask(REQUESTS) } : rig.ask(REQUESTS)
    yield rig.read
  ensure
    rig&.stop
  end

  # Of CPU within two points, or five deviations of what chance leaves of so many instants.
  def assert_shares(processes)
    rows, met = Shares.of(processes)
    [WALL_OFF, [CPU_OFF, 5 * Shares.chance(met)].max].each_with_index do |most, clock|
      Shares::ROUTES.each do |route|
        real, found = Shares.share(rows, route, clock)
        assert_in_delta real, found, most, "#{route}, #{%w[wall CPU][clock]}, #{met.round} instants; #{rows}"
      end
    end
  end

  def test_five_threads_watched
    served(threads: 5, watched: true) { |processes| assert_shares(processes) }
  end

  def test_thirty_two_threads_recorded
    served(threads: 32) { |processes| assert_shares(processes) }
  end

  def test_a_cluster_of_two_watched
    served(threads: 5, workers: 2, watched: true) do |processes|
      assert_equal 2, processes.count { |told, _| told["routes"].values.all? { |calls,| calls.positive? } }
      assert_shares processes
    end
  end
end
