# A process that forks far more children, one after the other, than can be watched at a time (a server that recycles its
# workers, a queue that forks for each job): all of them are told.
require_relative "family"

class TestTreesShort < Minitest::Test
  include Family

  CHILDREN = 400

  def test_children_that_come_and_go
    in_folder do |_, env|
      result = viewer("--stat", "-J", "--", RbConfig.ruby, QUICK, "#{PROGRAMS}/short_lived.rb", CHILDREN.to_s, env: env)
      assert_predicate result.status, :success?, result.err
      stat = result.objects.last
      gone = stat["processes_gone"] || { "count" => 0, "running" => 0 }
      assert_equal CHILDREN + 1, stat["processes"].size + gone["count"], result.err
      assert_operator gone["count"], :>, 0
      assert_in_delta stat["running"], stat["processes"].sum { |process| process["running"] } + gone["running"], 1e-6
      # Two processors for sixteen at a time: not all of the wall time is spent with the GVL by the clock of the CPU.
      assert_operator stat["running"], :>, CHILDREN * 0.05 * 0.8
    end
  end
end
