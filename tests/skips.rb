# Has minitest name the tests that were skipped, each with its reason, on a line that tests/run shows and tests/matrix
# counts: "skip: LocksTest#test_monitor: this Ruby has no Monitor".
require "minitest"

module Minitest
  class SkipsReporter < StatisticsReporter
    def record(result)
      super
      return unless result.skipped?
      reason = result.failure.message.to_s.lines.first.to_s.strip
      io.puts "\nskip: #{result.klass}##{result.name}: #{reason}"
    end
  end

  def self.plugin_skips_init(_options)
    reporter << SkipsReporter.new
  end
  extensions << "skips" unless extensions.include?("skips")
end
