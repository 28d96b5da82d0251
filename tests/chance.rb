# For tests whose figures chance decides: what was sampled is compared with the truth. A bound that chance breaks once in forty
# runs breaks every second run of all such tests together, and one that it never breaks sees nothing. So the bound stays
# close, and such a test fails when two of three runs fail: by chance once in five hundred then, and as surely as before where
# what was found is wrong. A run that failed alone is told. Errors are no chance: the first one decides.
#
#   class MixturesTest < Minitest::Test
#     include Support
#     include Chance
require "minitest"

module Chance
  def run
    return super if @once
    results = [super]
    results << again while undecided?(results)
    failed = results.reject(&:passed?)
    return results.last if failed.size != 1 || results.size == 1
    puts "\nchance: #{self.class}##{name} failed once in #{results.size} runs: #{failed.first.failure.message}"
    results.find(&:passed?)
  end

  protected

  attr_writer :once

  private

  def again
    test = self.class.new(name)
    test.once = true
    test.run
  end

  # Two that agree decide, and so does whatever is no assertion: an error, a skip, a test that passes at once.
  def undecided?(results)
    return false unless results.any? { |result| result.failure.instance_of?(Minitest::Assertion) }
    return false if results.any? { |result| result.error? || result.skipped? }
    results.map(&:passed?).tally.values.max < 2
  end
end
