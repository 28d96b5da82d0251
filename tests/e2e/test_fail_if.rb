# Conditions on latency decide by the exit status: the release before and the one now, each a recording.
require_relative "support"

class TestFailIf < Minitest::Test
  include E2E

  # Requests of one endpoint sleep for so many milliseconds, those of another one for ten; it ends by itself.
  PROGRAM = <<~'RUBY'
    60.times do
      RperfTop.label(endpoint: "GET /orders") { sleep Integer(ARGV[0]) / 1000.0 }
      RperfTop.label(endpoint: "GET /health") { sleep 0.01 }
    end
  RUBY

  def record(folder, milliseconds)
    File.write("#{folder}/requests.rb", PROGRAM)
    file = "#{folder}/#{milliseconds}.rpt"
    result = viewer("-o", file, "--", RbConfig.ruby, "#{folder}/requests.rb", milliseconds.to_s)
    assert_equal 0, result.status.exitstatus, result.err
    file
  end

  def judge(*arguments) = viewer("-b", "-F", "all", "-n", "1", *arguments)

  def assert_judged(status, said, *arguments)
    result = judge(*arguments)
    assert_equal status, result.status.exitstatus, result.err
    said == "" ? assert_empty(result.err) : assert_match(said, result.err)
  end

  def test_two_releases
    Dir.mktmpdir do |folder|
      before, now = record(folder, 1), record(folder, 60)
      assert_judged 0, "", "-r", before, "--fail-if", "p50 > 5s"
      assert_judged 3, /\Aendpoint=GET \/orders: p50 [\d.]+ ms of 60; the limit is 45\.0 ms\n\z/, "-r", now, "--fail-if", "p50 > 45ms"
      assert_judged 3, /\Aendpoint=GET \/orders: p50 [\d.]+ ms of 60, [\d.]+ times the [\d.]+ ms of 60 before; the limit is 2 times\n\z/,
                    "-r", before, "-r", now, "--fail-if", "p50 > 2x"
      assert_judged 0, "", "-r", now, "-r", before, "--fail-if", "p50 > 5x"
      assert_judged 1, /no label has work that ended, here and before/, "-r", now, "--fail-if", "p50 > 5x"
      assert_judged 2, /--fail-if: 'p98 > 2x': it begins with p50, p90, p99 or max/, "-r", now, "--fail-if", "p98 > 2x"
    end
  end

  # A mark between two releases within one recording: latency before and after it, beside the program's own clock.
  def test_since_a_mark
    Dir.mktmpdir do |folder|
      File.write("#{folder}/requests.rb", <<~'RUBY')
        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        def median(seconds)
          took = Array.new(40) { began = now; RperfTop.label(endpoint: "GET /orders") { sleep seconds }; now - began }
          took.sort[19]
        end
        before = median(0.03)
        RperfTop.mark "deploy 3f2a1"
        File.write(ARGV[0], [before, median(0.15)].inspect)
      RUBY
      result = viewer("-o", "#{folder}/marked.rpt", "--", RbConfig.ruby, "#{folder}/requests.rb", "#{folder}/truth")
      assert_equal 0, result.status.exitstatus, result.err
      before, after = JSON.parse(File.read("#{folder}/truth"))
      replay = ["-b", "-F", "all", "-r", "#{folder}/marked.rpt"]
      since = viewer("-J", *replay).objects.last["since_mark"]
      assert_equal ["deploy 3f2a1", 1, "GET /orders"], since.values_at("mark", "judged", "label")
      counts = since.values_at("requests_before", "requests_now") # requests of the mark's window count by its parts
      assert_equal 80, counts.sum
      counts.each { |count| assert_in_delta 40, count, 4 }
      assert_includes %w[p50 p99], since["quantile"]
      assert_in_delta before, since["before"], 0.02 * before if since["quantile"] == "p50"
      assert_in_delta after, since["now"], 0.02 * after if since["quantile"] == "p50"
      assert_equal "sleep", since["cause"]
      assert_match(/^since deploy 3f2a1, [\w. ]+ ago: GET \/orders p\d\d \S+ \w+, before \S+ \w+; sleep \+/, viewer(*replay).out)
    end
  end

  # The status of the command counts when no condition holds.
  def test_a_command
    Dir.mktmpdir do |folder|
      File.write("#{folder}/requests.rb", "#{PROGRAM}\nexit 7\n")
      command = ["--", RbConfig.ruby, "#{folder}/requests.rb", "60"]
      found = viewer("-b", "--fail-if", "p90 > 45ms", *command)
      assert_equal 3, found.status.exitstatus, found.err
      assert_match(/^endpoint=GET \/orders: p90 [\d.]+ ms of 60; the limit is 45\.0 ms$/, found.err)
      found = viewer("-b", "--fail-if", "p90 > 60s", *command)
      assert_equal 7, found.status.exitstatus, found.err
      refute_includes found.err, "endpoint="
    end
  end
end
