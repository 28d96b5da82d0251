# Stalls of a real program: found, blamed on the right method, acted upon once.
# Runs beside one other: a method takes over by what is sampled of it, which comes late where a thread waits for a core.
require_relative "support"
require_relative "tmux"

class TestStalls < Minitest::Test
  include E2E

  def watched(*options, program: "stall.rb")
    Dir.mktmpdir do |folder|
      command = "env | grep ^RPERF_TOP_STALL >> #{folder}/found; echo noise; echo more >&2"
      result = viewer("-b", "-J", "--on-stall", command, "--save-on-stall", folder, "--stall-method", "off",
                      "--stall-waiting", "off", "--stall-stopped", "off", *options, "--", RbConfig.ruby, QUICK, "#{PROGRAMS}/#{program}",
                      env: { "TMPDIR" => folder })
      found = File.exist?("#{folder}/found") ? File.read("#{folder}/found") : ""
      yield result, found, folder
    end
  end

  def test_a_sleep_within_work_is_found
    watched do |result, found, folder|
      assert_predicate result.status, :success?
      assert_equal 1, found.scan(/^RPERF_TOP_STALL_CAUSE=blocked$/).size, found
      assert_match(/^RPERF_TOP_STALL_CULPRIT=Kernel#sleep < Handler#slow$/, found)
      assert_match(/^RPERF_TOP_STALL_PID=\d+$/, found)
      assert_match(/^RPERF_TOP_STALL_START=\d{10}\.\d+$/, found)
      refute_includes result.out, "noise"
      assert_equal result.out.lines.size, result.objects.size      # nothing but JSON
      logs = Dir["#{folder}/rperf-top-*-stall-*.log"]
      assert_equal 1, logs.size
      assert_equal "noise\nmore\n", File.read(logs.first)
      recordings = Dir["#{folder}/stall-*-blocked-*.rpt"]
      assert_equal 1, recordings.size
      replay = viewer("-b", "-J", "-F", "all", "-r", recordings.first)
      slow = replay.objects.last["methods"].find { |row| row["name"] == "Handler#slow" }
      assert_operator slow["total"], :>, 1.5
    end
  end

  # Not the layer that every request comes through, and once.
  def test_a_method_that_takes_over
    watched("--stall-method", "on", "--stall-blocked", "off", program: "takes_over.rb") do |result, found, _|
      assert_predicate result.status, :success?
      assert_equal %w[method], found.scan(/^RPERF_TOP_STALL_CAUSE=(.*)$/).flatten, found
      assert_match(/^RPERF_TOP_STALL_CULPRIT=(Billing#reindex|Billing#step|Object#spin)$/, found)
    end
  end

  # The call is over before anybody can look: what was found out later is what is said.
  def test_a_long_call_of_c_is_blamed_for_itself
    watched("--stall-blocked", "off", "--stall-gc", "off", program: "long_call.rb") do |result, found, folder|
      assert_predicate result.status, :success?
      causes = found.scan(/^RPERF_TOP_STALL_CAUSE=(.*)$/).flatten
      long = File.readlines("#{folder}/calls").count { |seconds| seconds.to_f > 0.4 }
      assert_includes 1..long, causes.size, found
      assert_equal ["no-safepoint"], causes.uniq
      assert_match(/^RPERF_TOP_STALL_CULPRIT=(String#index < Work\.find|last seen in .+)$/, found)
    end
  end

  # Recorded and opened again, the time is that of the call; the stack of the thread in its midst as well.
  def test_what_is_known_later_is_so_in_the_past
    Dir.mktmpdir do |folder|
      file = "#{folder}/long.rpt"
      viewer("-o", file, "--", RbConfig.ruby, QUICK, "#{PROGRAMS}/long_call.rb", env: { "TMPDIR" => folder })
      object = viewer("-b", "-J", "-F", "all", "-r", file).objects.last
      index = object["methods"].find { |row| row["name"] == "String#index" }
      assert_operator index["self"], :>, 0.75, object["methods"].to_h { |row| [row["name"], row["self"]] }.inspect
      object["threads"].each { |thread| assert_includes [true, false], thread["stack_current"] }
    end
  end

  # Nobody is to blame, whatever ran when it was stopped.
  def test_a_process_that_was_stopped
    Dir.mktmpdir do |folder|
      found = "#{folder}/found"
      command = [VIEWER, "-b", "-J", "-d", "0.2", "--stall-method", "off", "--stall-waiting", "off", "--on-stall",
                 "echo $RPERF_TOP_STALL_WORDS >> #{found}"]
      running("#{PROGRAMS}/fib.rb") do |pid|
        IO.popen([{ "TMPDIR" => folder }, *command, "-p", pid.to_s]) do |watching|
          watching.gets
          stop(pid, 0.8)
          watching.gets until File.size?(found)
        ensure
          Process.kill(:TERM, watching.pid)
        end
      end
      assert_match(/\Astopped \d\.\d s\n\z/, File.read(found))
    end
  end

  def stop(pid, seconds)
    Process.kill(:STOP, pid)
    sleep seconds
  ensure
    Process.kill(:CONT, pid)
  end

  # The screen is frozen while nobody knows what the call is. No key is needed to be told when it has ended.
  def test_a_frozen_stall_is_told_when_it_is_known
    skip "tmux is not here" unless Tmux.there?
    Dir.mktmpdir do |folder|
      input, line = IO.pipe
      env = { "RPERF_TOP_DIR" => folder, "RUBYLIB" => BUILD, "RUBYOPT" => "-rrperf_top" }
      pid = spawn(env, RbConfig.ruby, "#{PROGRAMS}/one_long_call.rb", in: input)
      wait_until("its channel") { Dir["#{folder}/rperf-top.*.#{pid}.*"].any? }
      screen = Tmux.new(100, 30, [VIEWER, "-p", pid.to_s], env: env.slice("RPERF_TOP_DIR"))
      screen.wait_for(/^idle: .*IO#gets/)
      line.puts
      wait_until("a stall that goes on") do
        screen.keys("(")
        next true if screen.shows_soon?(/\[FROZEN.*last seen in IO#gets/m, rows: 30, seconds: 1)
        screen.keys("z")
        nil
      end
      culprit = "String#rindex < Export#run"
      screen.wait_for(/\[FROZEN.*^(?:running|no CPU|GVL held)[^\n]*#{culprit}.*^> +[\d.]+ +[\d.]+ .*(?:String#rindex|Export#run) .*#{culprit} held the GVL\s+for/m)
      refute_match(/last seen/, screen.text)
    ensure
      screen&.close
      Process.kill(:KILL, pid) && Process.wait(pid) if pid
      [input, line].each { |io| io&.close }
    end
  end

  # Its master and all threads of its workers wait for what comes, each in its own way, from the first second on.
  def test_a_server_without_requests_is_none
    skip "the gem puma is not here" unless (lib = E2E.gem_folder("puma"))
    Dir.mktmpdir do |folder|
      env = { "GEM_PATH" => File.expand_path("../../..", lib), "RPERF_TOP_DIR" => folder, "TMPDIR" => folder }
      pid = spawn(env.merge("RUBYLIB" => "#{lib}:#{BUILD}", "RUBYOPT" => "-rrperf_top", "SOCKET" => "#{folder}/socket"), RbConfig.ruby,
                  "-e", "load '#{File.dirname(lib)}/bin/puma'", "--", "-C", "#{PROGRAMS}/cluster.rb", "-w", "2", pgroup: true, out: File::NULL)
      wait_until("its channels") { Dir["#{folder}/rperf-top.*.ctl"].size >= 3 }
      result = viewer("-b", "-J", "-d", "0.5", "-n", "10", "--stall-stopped", "off", "--stall-waiting", "off", "--stall-method", "off",
                      "--on-stall", "echo $RPERF_TOP_STALL_WORDS >> #{folder}/found", "-p", pid.to_s, env: env)
      assert_predicate result.status, :success?, result.err
      assert_operator result.objects.last["threads"].size, :>=, 10
      assert_equal "", File.exist?("#{folder}/found") ? File.read("#{folder}/found") : ""
    ensure
      Process.kill(:KILL, -pid)
      Process.wait(pid)
    end
  end

  def test_the_pool_at_rest_is_none
    watched("--stall-blocked", "2.8") do |_, found, folder|
      assert_equal "", found
      assert_empty Dir["#{folder}/*.rpt"]
    end
  end
end
