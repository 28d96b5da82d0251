# Exceptions by class and place, from the program through a recording to JSON and text.
require_relative "support"

class TestExceptions < Minitest::Test
  include E2E

  PROGRAM = <<~'RUBY'
    class Missing < StandardError; end
    def find = raise(Missing)
    def number = Integer("none")
    def quiet = begin; yield; rescue StandardError; nil; end
    25.times { quiet { find } }
    10.times { quiet { number } }
    sleep 0.3
  RUBY

  def test_recorded_and_replayed
    Dir.mktmpdir do |folder|
      File.write("#{folder}/shop.rb", PROGRAM)
      recorded = viewer("-o", "#{folder}/shop.rpt", "--", RbConfig.ruby, QUICK, "#{folder}/shop.rb")
      assert recorded.status.success?, recorded.err
      replay = viewer("-r", "#{folder}/shop.rpt", "-b", "-J", "-F", "all", "-n", "1")
      told = JSON.parse(replay.out)
      raised = told["raised"].to_h { |row| [row["class"], row.values_at("name", "path", "line", "by", "count")] }
      assert_equal ["Object#find", "#{folder}/shop.rb", 2, nil, 25], raised["Missing"]
      assert_equal ["Object#number", "#{folder}/shop.rb", 3, "Kernel#Integer", 10], raised["ArgumentError"]
      assert_equal told["exceptions"], told["raised"].sum { |row| row["count"] } + told["raised_untold"]
      told["raised"].each { |row| assert_includes told["time"] - told["frame"]..told["time"], row["first"] }
      text = viewer("-r", "#{folder}/shop.rpt", "-b", "-F", "all", "-n", "1").out
      assert_match(/^ +25 +\d+\.\d  Missing at shop\.rb:2 in Object#find$/, text)
      assert_match(/^ +10 +\d+\.\d  ArgumentError at shop\.rb:3 in Object#number, by Kernel#Integer$/, text)
    end
  end
end
