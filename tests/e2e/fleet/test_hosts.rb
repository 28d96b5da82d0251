# Many hosts, one report: streams through an ssh that is ours; one host is killed, away, silent or mad, and no other waits.
# Waits nearly all of the time
require_relative "hosts"

class TestHosts < Minitest::Test
  include Hosts

  # On one clock, two views of a process tell the same of a span.
  def same_time?(processes)
    one, other = processes.map { |process| process["running"] }
    one.positive? && (one - other).abs < 0.05 * one
  end

  # Both see the same process, so even its number is the same: hosts tell them apart.
  def test_two_hosts_are_merged
    counting do |pid|
      watching(pid, "web1", "deploy@web2") do |seen|
        object = seen.states("web1" => "connected", "deploy@web2" => "connected")
        object = seen.update { |it| it["processes"].size == 2 && same_time?(it["processes"]) }
        assert_equal [[pid, "deploy@web2"], [pid, "web1"]], object["processes"].map { |one| one.values_at("pid", "host") }.sort
        assert method_named(object, "Object#count")
        object["hosts"].each do |host|
          assert_equal [1, 1], host.values_at("processes", "attempts")
          assert_operator host["skew"].abs, :<, 60, "both clocks are ours"
          refute host.key?("reason")
        end
      end
    end
  end

  def test_killed_and_back
    counting do |pid|
      watching(pid, "web1", "web2") do |seen|
        seen.states("web1" => "connected", "web2" => "connected")
        seen.update { |it| it["processes"].size == 2 }
        File.write("#{seen.folder}/web2.away", "")
        Process.kill(:KILL, -seen.client("web2"))
        object = seen.update { |it| host(it, "web2")["reason"]&.include?("refused") }
        assert_equal ["connected", "away"], %w[web1 web2].map { |name| host(object, name)["state"] }
        assert_equal ["ssh: connect to host web2 port 22: Connection refused", 1], host(object, "web2").values_at("reason", "processes")
        assert_equal "stalled", object["processes"].find { |one| one["host"] == "web2" }["state"]
        File.unlink("#{seen.folder}/web2.away")
        object = seen.states("web2" => "connected")
        assert_operator host(object, "web2")["attempts"], :>, 2
        object = seen.update { |it| it["processes"].all? { |one| one["state"] == "live" && one["running"].positive? } }
        assert_equal 2, object["processes"].size, "it is the process that it was"
        assert_equal ["rperf-top: web2 is away: ssh was killed by signal 9", "rperf-top: web2 is away: ssh: connect to host web2 port 22: Connection refused", "rperf-top: web2 is there again"],
                     File.readlines(seen.err, chomp: true).grep(/web2/)
      end
    end
  end

  # One recording of all: it says of each process where it ran.
  def test_recorded
    counting do |pid|
      recorded(pid, "web1", "deploy@web2") do |file|
        object = replayed(file)
        assert_equal [[pid, "deploy@web2"], [pid, "web1"]], object["processes"].map { |one| one.values_at("pid", "host") }.sort
        text = viewer("-b", "-n", "1", "-F", "all", "-r", file).out
        assert_match(/^rperf-top +#{pid}@web[12] \(\+1\)/, text)
        assert_match(/^ +rperf-top +#{pid}@web[12] .*\(\+1\)/, viewer("-r", file, "-F", "all", "--dump-screen", "120x30").out)
      end
    end
  end

  # A host that is frozen is silent, and keeps nobody waiting; nor does it when the viewer quits.
  def test_paused
    counting do |pid|
      watching(pid, "web1", "web2") do |seen|
        seen.states("web1" => "connected", "web2" => "connected")
        seen.update { |it| it["processes"].size == 2 }
        client = seen.client("web2")
        Process.kill(:STOP, -client)
        seen.states("web1" => "connected", "web2" => "silent")
        3.times { seen.update { |it| it["processes"].find { |one| one["host"] == "web1" }["running"].positive? } }
        Process.kill(:CONT, -client)
        seen.states("web2" => "connected")
        object = seen.update { |it| it["processes"].all? { |one| one["state"] == "live" } }
        assert_equal 1, host(object, "web2")["attempts"]
        Process.kill(:STOP, -client)
      end
    end
  end

  # Each of these is away for a reason of its own, or late; the one that is well is shown all the while.
  def test_hosts_that_are_not_well
    counting do |pid|
      watching(pid, "web1", "away1", "garbage", "empty", "hostile", "talks", "version", "slow") do |seen|
        object = seen.update do |it|
          it["processes"].any? { |one| one["host"] == "slow" } &&
            %w[away1 garbage empty hostile version].all? { |name| host(it, name)["state"] == "away" && host(it, name)["reason"] }
        end
        reasons = %w[away1 garbage empty version].map { |name| host(object, name)["reason"] }
        assert_equal ["ssh: connect to host away1 port 22: Connection refused", "it sent something other than a stream of rperf-top",
                      "the connection ended",
                      "its rperf-top is of another version: it writes streams that this one cannot read"], reasons
        hostile = host(object, "hostile")["reason"]
        assert_match(/\Alast \?\]0;title\? line of it, and 0+/, hostile)
        assert_operator hostile.bytesize, :<, 200
        assert_equal "connected", host(object, "web1")["state"]
        assert_equal %w[slow web1], object["processes"].map { |one| one["host"] }.sort
        seen.update { |it| it["processes"].find { |one| one["host"] == "slow" }["running"].positive? }
        refute_match(/\e/, File.read(seen.err))
      end
    end
  end

  # All that is asked for is what is told there.
  def test_the_process_ends
    counting do |pid|
      in_network do |folder, env|
        out, err = "#{folder}/out", "#{folder}/errors"
        viewer = spawn(env, VIEWER, "-J", "-d", "0.2", *ssh("web1", "web2"), "-p", pid.to_s, out: out, err: err)
        wait_until("both hosts") { File.readlines(out).any? { |line| JSON.parse(line)["hosts"].all? { |one| one["state"] == "connected" } rescue false } }
        Process.kill(:KILL, pid)
        assert_equal 0, Process.wait2(viewer).last.exitstatus, File.read(err)
        last = JSON.parse(File.readlines(out).last)
        assert_equal [%w[ended ended], %w[dead dead]], [last["hosts"].map { |one| one["state"] }, last["processes"].map { |one| one["state"] }]
        assert_match(/killed by signal 9/, last["processes"].first["end"]["text"])
        assert_empty File.read(err)
      end
    end
  end

  # Words reach the other side as they are, whatever a shell would make of them.
  def test_words_are_quoted
    in_network do |folder, env|
      File.write("#{folder}/args", "#!/bin/sh\nfor word; do echo \"<$word>\"; done >\"$FAKE/words\"\n")
      File.chmod(0o755, "#{folder}/args")
      name = "it's $(touch #{folder}/broken) `id` \\ \"a\"; exit *"
      viewer = spawn(env, VIEWER, "-b", "--ssh", "web1", "--ssh-command", "args", "--no-follow", "--hz", "250",
                     "--trace", "A::B#c=", "-p", name, err: File::NULL, out: File::NULL)
      words = wait_until("the words") { File.readlines("#{folder}/words", chomp: true) rescue nil }
      Process.kill(:TERM, viewer)
      Process.wait(viewer)
      assert_equal ["<--stream>", "<--hz>", "<250>", "<--no-follow>", "<--trace>", "<A::B#c=>", "<-p>", "<#{name}>"], words
      refute File.exist?("#{folder}/broken")
    end
  end

  def test_no_ssh
    Dir.mktmpdir do |folder|
      result = viewer("-b", "--ssh", "web1", "-p", "puma", env: { "PATH" => folder })
      assert_equal [1, "rperf-top: --ssh: ssh cannot be started: No such file or directory\n"], [result.status.exitstatus, result.err]
    end
  end

  def test_hosts_of_a_file
    counting do |pid|
      in_network do |folder, env|
        File.write("#{folder}/hosts", "# ours\nweb1\n\n  web2  # the other\nweb1\r\n")
        result = viewer("-J", "-n", "1", "--hosts", "#{folder}/hosts", *ssh, "-p", pid.to_s, env: env)
        assert_equal %w[web1 web2], result.objects.last["hosts"].map { |one| one["host"] }
      end
    end
  end

  def test_what_is_refused
    Dir.mktmpdir do |folder|
      File.write("#{folder}/bad", "web1\n-oProxyCommand=x\n")
      File.write("#{folder}/none", "# nobody\n")
      {
        ["--ssh", "-oProxyCommand=id", "-p", "1"] => "'-oProxyCommand=id' begins with '-'",
        ["--ssh", "a@-x", "-p", "1"] => "'a@-x' begins with '-'",
        ["--ssh", "a b", "-p", "1"] => "'a b' has blanks or control characters in it",
        ["--ssh", "", "-p", "1"] => "'' is empty",
        ["--hosts", "#{folder}/bad", "-p", "1"] => "'-oProxyCommand=x' begins with '-'",
        ["--hosts", "#{folder}/none", "-p", "1"] => "names no host",
        ["--hosts", "#{folder}/nowhere", "-p", "1"] => "cannot read",
        ["--ssh", "web1"] => "--ssh needs -p PID or -p NAME",
        ["--ssh", "web1", "--", "true"] => "--ssh needs -p PID or -p NAME",
        ["--ssh-command", "x", "-p", "1"] => "--ssh-command needs --ssh HOST or --hosts FILE",
        ["--ssh", "web1", "--stream", "-p", "1"] => "--ssh and --stream cannot be combined",
        ["--ssh", "web1", "--inject", "-p", "1"] => "--ssh and --inject cannot be combined",
      }.each do |arguments, text|
        result = viewer(*arguments)
        assert_includes result.err, text, arguments.inspect
        assert_equal 2, result.status.exitstatus
      end
    end
  end
end
