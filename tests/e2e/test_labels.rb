# Labels and marks of a program, seen through the viewer.
require_relative "support"

class TestLabels < Minitest::Test
  include E2E

  PROGRAM = <<~'RUBY'
    def work(n) = (i = 0; i += 1 while i < n)
    def users = work(300_000)
    def orders = work(100_000)
    loop do
      RperfTop.label(endpoint: "/users", shop: 1) { users }
      RperfTop.label(endpoint: "/orders", shop: 1) { orders }
    end
  RUBY

  # The program, then what it left: of that every look is at the same time.
  def with_program
    Dir.mktmpdir do |dir|
      program = "#{dir}/labels.rb"
      File.write(program, PROGRAM)
      running(program, env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" }) do |pid|
        options = ["-b", "-J", "-n", "2", "-p", pid.to_s]
        yield ->(*more) { viewer(*options, *more).objects.last }
        Process.kill(:KILL, pid)
        Process.wait(pid)
        yield ->(*more) { viewer("-b", "-J", "-F", "all", "-p", pid.to_s, *more).objects.last }
      end
    end
  end

  def names(object) = object["methods"].map { |row| row["name"] }

  def test_labels_filter_and_merge
    with_program do |look|
      everything = look.call
      assert_includes names(everything), "Object#users"
      assert_empty names(everything).grep(/endpoint=/)
      assert_equal "<main>", everything["threads"].first["stack"].last[/<main>/]

      only = look.call("--label", "endpoint=/users")
      assert_includes names(only), "Object#users"
      refute_includes names(only), "Object#orders"
      assert_equal names(look.call("--label", "shop=?", "--label", "endpoint=/o*")) & %w[Object#users Object#orders],
                   %w[Object#orders]
      assert_empty look.call("--label", "shop=2")["methods"]

      merged = look.call("--merge", "label")
      users, orders = %w[/users /orders].map { |name| method_named(merged, "endpoint=#{name},shop=1") }
      # Three to one in work, so in CPU; which of the two meets another's time slice is a matter of chance.
      cpu = users["cpu"] + orders["cpu"]
      chance = 5 * Math.sqrt(0.75 * 0.25 / (users["samples"] + orders["samples"]))
      assert_in_delta 0.75, users["cpu"] / cpu, chance
      next unless everything["state"] == "dead"
      assert_operator chance, :<, 0.2
      assert_in_delta users["self"], only["gvl"]["running"], 0.001
      assert_in_delta everything["gvl"]["running"], merged["methods"].sum { |row| row["running"] }, 0.001
    end
  end
end
