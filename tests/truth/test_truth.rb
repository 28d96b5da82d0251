# Twenty programs that nobody wrote, by fixed seeds: laws that hold in every run. `make truth` tries new ones, and judges figures too.
require "minitest/autorun"
require_relative "../skips"
require_relative "judge"

class TestTruth < Minitest::Test
  SEEDS, LENGTH_S, LONGEST_US = (1..20), 2, 100_000

  SEEDS.each do |seed|
    define_method("test_program_#{seed}") do
      skip "no #{Dump::TOOL}: run make tools" unless File.executable?(Dump::TOOL)
      run = Truth::Run.new(Truth::Program.draw(seed, longest_us: LONGEST_US), LENGTH_S)
      assert_nil run.error
      judge = Truth::Judge.new(run)
      judge.laws
      self.assertions += judge.assertions
    end
  end
end
