# Process trees as they are listed, found by name, and told apart.
# Waits nearly all of the time
require_relative "family"

class TestTreesNames < Minitest::Test
  include Family

  # Children stand below their parents, in the list and where one is chosen.
  def test_the_list
    in_folder do |_, env|
      family(env) do |pid|
        header, *lines = viewer("-l", env: env).out.lines
        rows = lines.map do |line|
          [line.to_i, line[header.index("COMMAND")..][/\A */].size, line[/(first|second|grandchild|late|spawned|family.rb)$/]]
        end
        assert_equal [pid, 0], rows.first.first(2)
        assert_equal({ "first" => 2, "second" => 2, "late" => 2, "grandchild" => 4, "spawned" => 2 }, rows.drop(1).to_h { |_, indent, name| [name, indent] })
        names = rows.map(&:last)
        assert_equal names.index("second") + 1, names.index("grandchild")
      end
    end
  end

  # What one process has of a method stands in a row of its own.
  def test_told_apart
    in_folder do |folder, env|
      family(env) do |pid|
        second = nil
        viewer("-J", "-n", "1", "-F", "all", "--by-process", "-p", pid.to_s, env: env).objects.last.then do |object|
          second = object["processes"].find { |process| process["command"] == "second" }["pid"]
          rows = object["methods"].select { |row| row["name"] == "Object#compute" }
          assert_equal object["pids"].sort, rows.map { |row| row["pid"] }.sort
          alone = viewer("-J", "-n", "1", "-F", "all", "--no-follow", "-p", second.to_s, env: env).objects.last
          assert_in_delta method_named(alone, "Object#compute")["total"], rows.find { |row| row["pid"] == second }["total"], 1e-6
        end
        %w[csv collapsed txt].each { |ending| assert viewer("-o", "#{folder}/x.#{ending}", "-t", "0.3", "-F", "all", "--by-process", "-p", pid.to_s, env: env).status.success? }
        assert_match(/^process #{second};.*Object#in_second;Object#compute/, File.read("#{folder}/x.collapsed"))
        assert_match(/ #{second} Object#compute /, File.read("#{folder}/x.txt"))
        header, *rows = File.readlines("#{folder}/x.csv", chomp: true)
        assert_includes header.split(","), "pid"
        assert_equal 6, rows.count { |row| row.start_with?("Object#compute,") }
        screen = viewer("-p", pid.to_s, "-F", "all", "--by-process", "--dump-screen", "100x40", env: env).out
        assert_match(/ #{second} Object#compute /, screen)
        tree = viewer("-p", pid.to_s, "-F", "all", "--by-process", "--view", "tree", "--dump-screen", "100x160", env: env).out
        assert_match(/ #{second} <main> /, tree)
      end
    end
  end

  # By a part of its command line; and again when it was restarted.
  def test_a_name
    in_folder do |_, env|
      result = viewer("-J", "-n", "1", "-p", "family.rb", env: env)
      assert_equal [1, "rperf-top: no process that can be watched is called 'family.rb' (--list shows those that can)\n"],
                   [result.status.exitstatus, result.err]
      reader = first = second = nil
      family(env) do |pid|
        first = pid
        reader = IO.popen([env, VIEWER, "-J", "-d", "0.3", "-p", "family.rb", err: File::NULL])
        object = JSON.parse(reader.gets)
        assert_equal [pid, 6], [object["pid"], object["pids"].size]
      end
      wait_until("its end") { JSON.parse(reader.gets)["state"] == "dead" }
      FileUtils.rm_f(Dir["#{env["RPERF_TOP_DIR"]}/*"])
      family(env) do |pid|
        second = pid
        object = nil
        wait_until("the new ones") { (object = JSON.parse(reader.gets))["processes"].count { |process| process["state"] == "live" } == 6 }
        assert_equal [second], object["processes"].drop(6).reject { |process| process.key?("parent") }.map { |process| process["pid"] }
        assert_equal 12, viewer("-J", "-n", "1", "-p", "all", env: env).objects.last["pids"].size + 6
      end
    ensure
      Process.kill(:TERM, reader.pid) if reader
      reader&.close
    end
  end
end
