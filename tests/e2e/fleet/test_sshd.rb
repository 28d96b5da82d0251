# Many hosts through a real ssh and real sshds on loopback: what test_hosts.rb shows with an ssh of ours, and what only a
# real one does.
# Waits nearly all of the time
require_relative "sshd"

class TestSshd < Minitest::Test
  include Hosts

  # Sessions there are ended by their connection, which is closed however this ends.
  def over_ssh(pid, *hosts, arguments: [])
    why = Sshd.missing and skip why
    Dir.mktmpdir do |folder|
      sshd = Sshd.new(folder, *hosts)
      why = sshd.problem("web1") and skip why
      out, away = IO.pipe
      err = "#{folder}/err"
      viewer = spawn(sshd.env, VIEWER, "-J", "-d", "0.2", "-F", "0.4", *hosts.flat_map { |host| ["--ssh", host] }, "--ssh-command", sshd.command,
                     "-p", pid.to_s, *arguments, out: away, err: err)
      away.close
      begin
        yield Watching.new(viewer, out, folder, err), sshd
      ensure
        Process.kill(:TERM, viewer) rescue nil
        Process.wait(viewer)
        out.close
      end
      hosts.each { |host| wait_until("the end of all there, #{host}") { sshd.remote(host).none? { |one| there?(one) } } }
    ensure
      sshd&.stop
    end
  end

  def there?(pid)
    Process.kill(0, pid)
    true
  rescue Errno::ESRCH
    false
  end

  def live(object, host) = object["processes"].any? { |one| one["host"] == host && one["state"] == "live" && one["running"].positive? }

  # One of them is away for good, one comes back, one is silent for a while; the others go on.
  def test_killed_and_paused
    counting do |pid|
      over_ssh(pid, "web1", "refuses", "comes-back", "pauses") do |seen, sshd|
        seen.update { |it| %w[web1 refuses comes-back pauses].all? { |host| live(it, host) } }
        sshd.down("refuses")
        Process.kill(:KILL, sshd.session("comes-back"))
        paused = sshd.session("pauses")
        Process.kill(:STOP, paused)
        object = seen.update do |it|
          host(it, "refuses")["reason"]&.include?("refused") && host(it, "pauses")["state"] == "silent" &&
            host(it, "comes-back").then { |one| one["state"] == "connected" && one["attempts"] > 1 } && live(it, "comes-back")
        end
        assert_equal %w[connected away], %w[web1 refuses].map { |name| host(object, name)["state"] }
        assert_match(/\Assh: connect to host 127\.0\.0\.1 port \d+: Connection refused\z/, host(object, "refuses")["reason"])
        3.times { seen.update { |it| live(it, "web1") } }
        Process.kill(:CONT, paused)
        object = seen.update { |it| host(it, "pauses")["state"] == "connected" && live(it, "pauses") }
        assert_equal [1, 1], %w[web1 pauses].map { |name| host(object, name)["attempts"] }
        assert_match(/^rperf-top: comes-back is there again$/, File.read(seen.err))
        assert_equal 4, object["processes"].size, "each host has one"
      end
    end
  end

  # What ssh says is the reason, and what is there is shown.
  def test_hosts_that_are_not_well
    counting do |pid|
      over_ssh(pid, "web1", "slow", "version", "stranger", "locked") do |seen, _|
        object = seen.update do |it|
          %w[version stranger locked].all? { |name| host(it, name)["state"] == "away" && host(it, name)["reason"] } && live(it, "web1") && live(it, "slow")
        end
        assert_equal "its rperf-top is of another version: it writes streams that this one cannot read", host(object, "version")["reason"]
        assert_equal "Host key verification failed.", host(object, "stranger")["reason"]
        assert_match(/: Permission denied \(publickey\)\.\z/, host(object, "locked")["reason"])
        assert_equal %w[slow web1], object["processes"].map { |one| one["host"] }.sort
      end
    end
  end
end
