# A process with all that it forks and spawns: every one of them is there, none counts twice.
require_relative "family"

class TestTrees < Minitest::Test
  include Family

  def seconds(object) = %w[running waiting blocked].sum { |state| object["gvl"][state] } + object["gc"]["marking"] + object["gc"]["sweeping"]

  # What a command made is in one view; what each made alone is the same, together.
  def test_sums_of_a_command
    in_folder do |_, env|
      result = viewer("-J", "-F", "all", "--", RbConfig.ruby, QUICK, FAMILY, env: env.merge("RPERF_TOP_KEEP" => "1"))
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
      stat = viewer("--stat", "-J", "--", RbConfig.ruby, QUICK, FAMILY, env: env).objects.last
      assert_equal 6, stat["processes"].size
      assert_in_delta stat["processes"].sum { |process| process["running"] }, stat["running"], 1e-6
      text = viewer("--stat", "--", RbConfig.ruby, QUICK, FAMILY, env: env).err
      assert_match(/^ +running +waiting +blocked +CPU  6 processes\n/, text)
      %w[first second grandchild late].each { |name| assert_match(/ms  \d+ #{name}: ended by itself$/, text) }
      assert_empty Dir["#{folder}/*"]
    end
  end

  # A process that closes its channel and takes another moment to end was not "stopped": its end is asked for until it is
  # there. Each is found by then, as in programs/family.rb.
  def test_an_end_that_takes_a_moment
    program = "Process.wait(fork { $0 = 'slow'; sleep 0.6; RperfTop.stop; sleep 0.2 })"
    in_folder do |_, env|
      3.times { assert_match(/ms  \d+ slow: ended by itself$/, viewer("--stat", "--", RbConfig.ruby, QUICK, "-e", program, env: env).err) }
      last = "read, write = IO.pipe; fork { $0 = 'daemon'; sleep 0.6; RperfTop.stop; write.close; sleep 3 }; write.close; read.read"
      assert_match(/ms  \d+ daemon: profiling was stopped$/, viewer("--stat", "--", RbConfig.ruby, QUICK, "-e", last, env: env).err)
    end
  end

  # The command goes to the background at once, or after a while; what ends as the daemon does, and nothing before.
  DAEMONS = {
    "Process.daemon(true, true)" => "ended by itself",
    "exit!(0) if fork; Process.setsid; exit!(0) if fork" => "ended by itself",
    "exit if fork; Process.setsid; exit if fork" => "ended by itself",
    "sleep 0.7; Process.daemon(true, true); at_exit { exit!(4) }" => "exit status 4",
  }.freeze

  def test_daemons
    work = "class Background; def work = (s = Process.clock_gettime(2); nil while Process.clock_gettime(2) - s < 0.3); end; "
    in_folder do |_, env|
      DAEMONS.each do |program, told|
        result = viewer("-b", "-J", "-F", "all", "--", RbConfig.ruby, QUICK, "-e", "#{work}#{program}; Background.new.work", env: env)
        assert_predicate result.status, :success?, program
        last = result.objects.last
        assert_equal told, last["end"]["text"], program
        assert method_named(last, "Background#work"), program
        ends = (last["processes"] || []).filter_map { |process| process.dig("end", "text") }
        refute_includes ends, "killed, crashed, exit! or exec", program
      end
    end
  end

  # `exit!` alone is status 1, which is that of the command; what has a session of its own goes on nevertheless.
  def test_a_daemon_whose_first_process_ended_with_status_1
    work = "class Background; def work = (s = Process.clock_gettime(2); nil while Process.clock_gettime(2) - s < 0.3); end; "
    in_folder do |_, env|
      program = "#{work}sleep 0.7; (sleep 0.3; exit!) if fork; Process.setsid; sleep 0.6; Background.new.work"
      result = viewer("-b", "-J", "-F", "all", "--", RbConfig.ruby, QUICK, "-e", program, env: env)
      assert_equal 1, result.status.exitstatus
      last = result.objects.last
      assert_equal "ended by itself", last["end"]["text"]
      assert method_named(last, "Background#work")
    end
  end

  # What a command starts and leaves does not hold those that wait for the command.
  def test_a_command_that_leaves_another_one_behind
    in_folder do |_, env|
      left = "puts fork { [$stdout, $stderr].each { |io| io.reopen(File::NULL) }; sleep }; $stdout.flush; sleep 0.5"
      result = viewer("--stat", "--", RbConfig.ruby, QUICK, "-e", left, env: env)
      assert_predicate result.status, :success?
      assert_match(/ stat: /, result.err)
      assert_equal 1, Process.kill(:KILL, Integer(result.out)), "it is still there"
    end
  end

  def test_files
    in_folder do |folder, env|
      %w[rpt collapsed].each do |ending|
        assert_predicate viewer("-o", "#{folder}/x.#{ending}", "--", RbConfig.ruby, QUICK, FAMILY, env: env).status, :success?
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
