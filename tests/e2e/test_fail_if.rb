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
