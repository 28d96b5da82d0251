# A process with all that it forks and spawns: every one of them is there, none counts twice.
require_relative "support"

class TestTrees < Minitest::Test
  include E2E

  FAMILY = "#{PROGRAMS}/family.rb".freeze
  METHODS = %w[in_master in_first in_second in_grandchild in_spawned in_late].map { |name| "Object##{name}" }.freeze

  def in_folder
    Dir.mktmpdir("rperf-top-trees.", "/dev/shm") { |folder| yield folder, { "RPERF_TOP_DIR" => folder } }
  end

  # Until its last child is there.
  def family(env)
    running(FAMILY, env: env.merge("HOLD" => "1", "XDG_RUNTIME_DIR" => nil)) do |pid|
      wait_until("the whole family") { Dir["#{env["RPERF_TOP_DIR"]}/rperf-top.*"].grep_v(/ctl\z/).size == 6 }
      yield pid
    ensure
      Dir["#{env["RPERF_TOP_DIR"]}/rperf-top.*"].each { |path| Process.kill(:KILL, path[/\.(\d+)\.\h{16}/, 1].to_i) rescue nil }
    end
  end

  def running(*program, env:)
    pid = spawn({ "RUBYLIB" => BUILD, "RUBYOPT" => "-rrperf_top" }.merge(env), RbConfig.ruby, *program, out: File::NULL)
    yield pid
  ensure
    Process.wait(pid)
  end

  def seconds(object) = %w[running waiting blocked].sum { |state| object["gvl"][state] } + object["gc"]["marking"] + object["gc"]["sweeping"]

  # What a command made is in one view; what each made alone is the same, together.
  def test_sums_of_a_command
    in_folder do |_, env|
      result = viewer("-J", "-F", "all", "--", RbConfig.ruby, FAMILY, env: env.merge("RPERF_TOP_KEEP" => "1"))
      assert_predicate result.status, :success?
      all = result.objects.last
      processes = all["processes"]
      assert_equal 6, processes.size, "#{processes}; #{result.err}"
      master = processes.first
      assert_equal all["pid"], master["pid"], "the command comes first"
      refute master.key?("parent")
      names = processes.to_h { |process| [process["pid"], process["command"]] }
      parents = processes.drop(1).to_h { |process| [process["command"][/first|second|grandchild|late|spawned/], names[process["parent"]]] }
      assert_equal({ "grandchild" => "second" }, parents.reject { |_, parent| parent == master["command"] })
      assert_equal %w[first grandchild late second spawned], parents.keys.sort
      assert_empty processes.map { |process| process.dig("end", "cause") } - %w[closed stopped]
      METHODS.each { |name| assert_operator method_named(all, name)["total"], :>, 0.3, name }
      each = processes.map { |process| viewer("-J", "-n", "1", "-F", "all", "--no-follow", "-p", process["pid"].to_s, env: env).objects.last }
      assert_in_delta each.sum { |one| seconds(one) }, seconds(all), 1e-6
      assert_in_delta processes.sum { |process| %w[running waiting blocked gc].sum { |key| process[key] } }, seconds(all), 1e-6
      assert_equal each.sum { |one| one["allocations"] }, all["allocations"]
      METHODS.each do |name|
        alone = each.sum { |one| method_named(one, name)&.fetch("total") || 0 }
        assert_in_delta alone, method_named(all, name)["total"], 1e-6, name
      end
      processes.zip(each) { |process, one| assert_in_delta one["gvl"]["running"], process["running"], 1e-6 }
    end
  end

  def test_a_summary
    in_folder do |folder, env|
      stat = viewer("--stat", "-J", "--", RbConfig.ruby, FAMILY, env: env).objects.last
      assert_equal 6, stat["processes"].size
      assert_in_delta stat["processes"].sum { |process| process["running"] }, stat["running"], 1e-6
      text = viewer("--stat", "--", RbConfig.ruby, FAMILY, env: env).err
      assert_match(/^ +running +waiting +blocked +CPU  6 processes\n/, text)
      %w[first second grandchild late].each { |name| assert_match(/ms  \d+ #{name}: ended by itself$/, text) }
      assert_empty Dir["#{folder}/*"]
    end
  end

  def test_files
    in_folder do |folder, env|
      %w[rpt collapsed].each do |ending|
        assert_predicate viewer("-o", "#{folder}/x.#{ending}", "--", RbConfig.ruby, FAMILY, env: env).status, :success?
      end
      METHODS.each { |name| assert_includes File.read("#{folder}/x.collapsed"), name }
      replay = viewer("-J", "-F", "all", "-r", "#{folder}/x.rpt").objects.last
      assert_equal 6, replay["processes"].size
      METHODS.each { |name| assert method_named(replay, name), name }
    end
  end

  # By the process above all, by one in the middle, by a shell that has no channel; and each alone.
  def test_attached
    in_folder do |_, env|
      family(env) do |pid|
        all = viewer("-J", "-n", "1", "-F", "all", "-p", pid.to_s, env: env).objects.last
        assert_equal 6, all["pids"].size
        assert_equal pid, all["pid"]
        second = all["processes"].find { |process| process["command"] == "second" }
        part = viewer("-J", "-n", "1", "-F", "all", "-p", second["pid"].to_s, env: env).objects.last
        assert_equal %w[second grandchild], part["processes"].map { |process| process["command"] }
        alone = viewer("-J", "-n", "1", "-F", "all", "--no-follow", "-p", pid.to_s, env: env).objects.last
        refute alone.key?("pids")
        refute method_named(alone, "Object#in_first")
        two = viewer("-J", "-n", "1", "-p", "#{second["pid"]},#{pid}", env: env).objects.last
        assert_equal [second["pid"], pid], two["pids"].first(2)
        assert_equal 6, two["pids"].uniq.size
        assert_equal 6, two["pids"].size
      end
    end
  end

  # Children stand below their parents, in the list and where one is chosen.
  def test_the_list
    in_folder do |_, env|
      family(env) do |pid|
        rows = viewer("-l", env: env).out.lines.drop(1).map do |line|
          [line.to_i, line[/#{Regexp.escape(RUBY_VERSION)} +/].size - 9, line[/(first|second|grandchild|late|spawned|family.rb)$/]]
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
        tree = viewer("-p", pid.to_s, "-F", "all", "--by-process", "--view", "tree", "--dump-screen", "100x80", env: env).out
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

  # A shell is no Ruby process, but what it runs is.
  def test_a_shell_that_is_watched
    in_folder do |folder, env|
      shell = spawn(env.merge("RUBYLIB" => BUILD, "RUBYOPT" => "-rrperf_top", "HOLD" => "1"), "sh", "-c", "#{RbConfig.ruby} #{FAMILY} spawned; :")
      channel = wait_until("a channel") { Dir["#{folder}/rperf-top.*"].grep_v(/ctl\z/).first }
      object = viewer("-J", "-n", "1", "-F", "all", "-p", shell.to_s, env: env).objects.last
      assert_equal channel[/\.(\d+)\.\h{16}/, 1].to_i, object["pid"]
      result = viewer("-J", "-n", "1", "--no-follow", "-p", shell.to_s, env: env)
      assert_equal 1, result.status.exitstatus
      assert_match(/is not a Ruby process/, result.err)
    ensure
      Process.kill(:KILL, channel[/\.(\d+)\.\h{16}/, 1].to_i) if channel
      Process.wait(shell)
    end
  end
end
