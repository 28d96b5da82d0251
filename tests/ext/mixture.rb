# A server's mixture of work and waits (tests/bench/accuracy/mixture.rb), watched: what it measured itself, and what was
# found.
require_relative "support"

# Beside Support.
module Mixture
  PROGRAM = File.read(File.expand_path("../bench/accuracy/mixture.rb", __dir__))
  SECONDS = 2.5

  def mixture(kind, threads, hz, env = {}, seconds: SECONDS)
    program = start(PROGRAM, arguments: [kind, threads, seconds].map(&:to_s),
                             env: { "RPERF_TOP_RECORD_HZ" => hz.to_s, "RPERF_TOP_KEEP" => "1", "RPERF_TOP_SIZE" => "32", **env })
    assert_equal "ready", program.line
    program.channel
    program.puts
    truth = JSON.parse(program.line)["methods"]
    program.finish
    assert_empty program.err
    yield truth, Dump.read(program.channel)
  end
end
