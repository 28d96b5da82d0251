# Labels and marks of a program, seen through the viewer.
require_relative "support"

class TestLabels < Minitest::Test
  include E2E

  PROGRAM = <<~'RUBY'
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    def users = (t = now; nil while now - t < 0.03)
    def orders = (t = now; nil while now - t < 0.01)
    loop do
      RperfTop.label(endpoint: "/users", shop: 1) { users }
      RperfTop.label(endpoint: "/orders", shop: 1) { orders }
    end
  RUBY

  def with_program
    Dir.mktmpdir do |dir|
      program = "#{dir}/labels.rb"
      File.write(program, PROGRAM)
      running(program) do |pid|
        options = ["-b", "-J", "-n", "2", "-p", pid.to_s]
        yield ->(*more) { viewer(*options, *more).objects.last }
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
      share = only["gvl"]["running"] / only["frame"]
      assert_in_delta 0.75, share, 0.08
      assert_equal names(look.call("--label", "shop=?", "--label", "endpoint=/o*")) & %w[Object#users Object#orders],
                   %w[Object#orders]
      assert_empty look.call("--label", "shop=2")["methods"]

      merged = look.call("--merge", "label")
      rows = merged["methods"].to_h { |row| [row["name"], row["self"]] }
      assert_in_delta 0.75, rows["endpoint=/users,shop=1"], 0.08
      assert_in_delta 0.25, rows["endpoint=/orders,shop=1"], 0.08
    end
  end
end
