# Many hosts on one screen: who is there, who is away and why, and what each does.
# Waits nearly all of the time
require_relative "hosts"
require_relative "../tmux"

class TestHostsScreen < Minitest::Test
  include Hosts

  def screen(pid, *hosts, arguments: [], size: [120, 24])
    skip "tmux is not installed" unless Tmux.there?
    in_network do |folder, env|
      hosts.each { |host| yield_before(folder, host) }
      words = env.map { |name, value| "#{name}=#{Shellwords.escape(value)}" }
      tmux = Tmux.new(*size, ["env", *words, "sh", "-c", "\"$@\"; echo $? >\"$FAKE/status\"", "sh", VIEWER, *ssh(*hosts), "-p", pid.to_s, *arguments])
      begin
        yield tmux, folder
        clients = hosts.map { |host| File.read("#{folder}/#{host}.pid").to_i }
        tmux.keys("q")
        assert_equal "0\n", wait_until("the end") { File.read("#{folder}/status") if File.size?("#{folder}/status") }
        clients.each { |client| wait_until("the end of a client") { !group?(client) } }
      ensure
        tmux.close
      end
    end
  end

  def test_who_is_there_and_who_is_not
    counting do |pid|
      screen(pid, "web1", "deploy@web2", "away1") do |tmux, folder|
        tmux.wait_for(/#{pid}@web[12] .*\(\+1\).*\[2 OF 3 HOSTS\]/)
        tmux.wait_for(/Object#count/)
        tmux.keys("H")
        tmux.wait_for(/by process/)
        tmux.keys("3")
        tmux.wait_for(/#{pid}@web1 .*^.*#{pid}@web2 |#{pid}@web2 .*^.*#{pid}@web1 /m)
        tmux.keys("H")
        tmux.wait_for(/PID HOST .* VERDICT.*-\s+away1 .*away: ssh: connect to/m)
        tmux.wait_for(/#{pid} web1 .* live /)
        tmux.wait_for(/#{pid} deploy@web2 /)
        Process.kill(:STOP, -File.read("#{folder}/deploy@web2.pid").to_i)
        tmux.wait_for(/#{pid} deploy@web2 .*nothing came for \d+ s/)
        File.unlink("#{folder}/away1.away")
        tmux.wait_for(/#{pid} away1 /)
        Process.kill(:CONT, -File.read("#{folder}/deploy@web2.pid").to_i)
        tmux.wait_for(/\[3 HOSTS\]/)
      end
    end
  end

  def test_nobody_is_there
    screen(1, "away1", "away2") do |tmux, _|
      tmux.wait_for(/away1, away2.*\[0 OF 2 HOSTS\]|away1, away2.*\[STARTING\]/)
      tmux.wait_for(/no process on any host yet: away1: ssh: connect to host away1 port 22: Connection\s+refused/)
    end
  end

  # The names stand where they stood while it was made.
  def test_a_recording_of_hosts
    skip "tmux is not installed" unless Tmux.there?
    counting do |pid|
      recorded(pid, "web1", "web2") do |file|
        tmux = Tmux.new(120, 24, [VIEWER, "-r", file, "-F", "all"])
        tmux.wait_for(/#{pid}@web[12] .*\(\+1\)/)
        tmux.keys("H")
        tmux.wait_for(/by process/)
        tmux.keys("3")
        tmux.wait_for(/#{pid}@web1 .*^.*#{pid}@web2 |#{pid}@web2 .*^.*#{pid}@web1 /m)
        tmux.keys("H")
        tmux.wait_for(/PID HOST .*#{pid} web1 .*#{pid} web2 |PID HOST .*#{pid} web2 .*#{pid} web1 /m)
      ensure
        tmux&.close
      end
    end
  end
end
