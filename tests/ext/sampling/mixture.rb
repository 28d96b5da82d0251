# A server's mixture of work and waits (tests/bench/accuracy/mixture.rb), watched: what it measured itself, and what was
# found.
require_relative "../support"

# Beside Support.
module Mixture
  PROGRAM = File.read(File.expand_path("../../bench/accuracy/mixture.rb", __dir__))
  SECONDS = 2.5

  def mixture(...) = yield(*end_mixture(begin_mixture(...)))

  # Several may go on at once.
  def begin_mixture(kind, threads, hz, env = {}, seconds: SECONDS)
    program = start(PROGRAM, arguments: [kind, threads, seconds].map(&:to_s),
                             env: { "RPERF_TOP_RECORD_HZ" => hz.to_s, "RPERF_TOP_KEEP" => "1", "RPERF_TOP_SIZE" => "32", **env })
    assert_equal "ready", program.line
    program.channel
    program.puts
    program
  end

  # What it measured itself, by method, and what was found.
  def end_mixture(program)
    truth = JSON.parse(program.line)["methods"]
    program.finish
    assert_empty program.err
    [truth, Dump.read(program.channel)]
  end
end
