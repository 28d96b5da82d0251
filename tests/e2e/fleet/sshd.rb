# Real hosts on loopback: Debian's sshd and ssh, with keys, configuration and ports of their own, as any user.
#
# The test listens, and starts an sshd for each connection as inetd does: so a port is nobody else's, not for a moment, and
# each session can be stopped or killed by itself.
require_relative "hosts"
require "etc"
require "socket"

class Sshd
  PROGRAM = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"].find { |path| File.executable?(path) }
  PRIVILEGES = "/run/sshd" # root's sshd wants this folder, which its service makes

  # Why there is none here, or nil.
  def self.missing
    return "sshd is not installed" unless PROGRAM
    %w[ssh ssh-keygen].each { |name| return "#{name} is not installed" unless client(name) }
    "root cannot make #{PRIVILEGES}, which sshd needs" if Process.uid.zero? && !privileges?
  end

  def self.privileges? = File.directory?(PRIVILEGES) || Dir.mkdir(PRIVILEGES, 0o755).zero? rescue false
  def self.client(name) = ENV["PATH"].split(":").map { |folder| "#{folder}/#{name}" }.find { |path| File.executable?(path) }

  # What a host does with the command that ssh brings, by its name.
  REMOTE = <<~'SH'.freeze
    #!/bin/sh
    echo $$ >>"$FAKE/$RTOP_HOST.sessions"
    case $RTOP_HOST in
    version) "$VIEWER" "$@" | "$RUBY" --disable=gems -e 'head = $stdin.readpartial(64).b; head.setbyte(28, 9); $stdout.write(head); IO.copy_stream($stdin, $stdout)' ;;
    slow) "$VIEWER" "$@" | "$RUBY" --disable=gems -e 'loop { $stdout.syswrite($stdin.readpartial(40)); sleep 0.001 }' 2>/dev/null ;;
    *) exec "$VIEWER" "$@" ;;
    esac
  SH

  attr_reader :folder

  # All hosts are this machine, each with a port of its own. "stranger" shows another key than is known; "locked" lets
  # nobody in.
  def initialize(folder, *hosts)
    @folder = folder
    @sessions = Hash.new { |all, host| all[host] = [] }
    %w[host_key stranger_key user_key].each { |name| made(Sshd.client("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", "#{folder}/#{name}") }
    @listening = hosts.to_h { |host| [host, TCPServer.new("127.0.0.1", 0)] }
    write_configuration
    @accepting = @listening.map { |host, server| Thread.new { accept(host, server) } }
  end

  # As a user would write them: hosts that are configured, and an ssh that is told of them.
  def env = { "PATH" => "#{@folder}/bin:#{ENV["PATH"]}", "TMPDIR" => E2E.logs }
  def command = Shellwords.escape("#{@folder}/remote")

  # Why it lets nobody in here, or nil.
  def problem(host)
    out, status = Open3.capture2e(env, "#{@folder}/bin/ssh", "-o", "BatchMode=yes", host, "true", stdin_data: "")
    return if status.success?
    why = File.readlines("#{@folder}/#{host}.log").grep_v(/^debug|Connection closed/).last
    "an sshd of one's own lets nobody in here: #{why || out}"
  end

  # The process that serves the newest connection.
  def session(host) = @sessions[host].last

  # Nobody answers there any more.
  def down(host)
    @listening[host].close
    Process.kill(:KILL, session(host))
  end

  # Processes that sessions started there: all of them have ended some time after their connection.
  def remote(host) = File.exist?("#{@folder}/#{host}.sessions") ? File.readlines("#{@folder}/#{host}.sessions").map(&:to_i) : []

  def stop
    @listening.each_value { |server| server.close unless server.closed? }
    @accepting.each(&:join)
    @sessions.each_value { |pids| pids.each { |pid| Process.kill(:KILL, pid) rescue nil } }
  end

  private

  def made(*command)
    out, status = Open3.capture2e(*command, stdin_data: "")
    raise "#{command.first}: #{out}" unless status.success?
  end

  def accept(host, server)
    loop do
      client = server.accept
      pid = spawn({ "PATH" => ENV["PATH"] }, PROGRAM, "-i", "-e", "-f", "#{@folder}/#{host}.sshd", in: client, out: client, err: ["#{@folder}/#{host}.log", "a"])
      Process.detach(pid)
      @sessions[host] << pid
      client.close
    end
  rescue IOError, Errno::EBADF
    nil # it is down
  end

  def write_configuration
    FileUtils.mkdir("#{@folder}/bin")
    FileUtils.cp("#{@folder}/user_key.pub", "#{@folder}/known_users")
    File.write("#{@folder}/nobody", "")
    @listening.each_key { |host| File.write("#{@folder}/#{host}.sshd", of_server(host)) }
    File.write("#{@folder}/known_hosts", "hosts #{File.read("#{@folder}/host_key.pub")}")
    File.write("#{@folder}/config", @listening.map { |host, server| of_client(host, server.addr[1]) }.join)
    script("bin/ssh", "#!/bin/sh\nexec #{Shellwords.escape(Sshd.client("ssh"))} -F #{Shellwords.escape("#{@folder}/config")} \"$@\"\n")
    script("remote", REMOTE)
  end

  def script(name, text)
    File.write("#{@folder}/#{name}", text)
    File.chmod(0o755, "#{@folder}/#{name}")
  end

  # What the session finds in its environment, since it has nothing of ours.
  def of_server(host)
    told = { "FAKE" => @folder, "RTOP_HOST" => host, "VIEWER" => E2E::VIEWER, "RUBY" => RbConfig.ruby,
             **ENV.slice("XDG_RUNTIME_DIR", "RPERF_TOP_DIR") }
    <<~TEXT
      HostKey #{@folder}/#{host == "stranger" ? "stranger_key" : "host_key"}
      AuthorizedKeysFile #{@folder}/#{host == "locked" ? "nobody" : "known_users"}
      PidFile none
      StrictModes no
      UsePAM no
      PasswordAuthentication no
      KbdInteractiveAuthentication no
      PermitRootLogin prohibit-password
      SetEnv #{told.map { |name, value| "#{name}=\"#{value}\"" }.join(" ")}
    TEXT
  end

  def of_client(host, port)
    <<~TEXT
      Host #{host}
        HostName 127.0.0.1
        Port #{port}
        User #{Etc.getpwuid.name}
        IdentityFile #{@folder}/user_key
        IdentitiesOnly yes
        IdentityAgent none
        HostKeyAlias hosts
        UserKnownHostsFile #{@folder}/known_hosts
        GlobalKnownHostsFile none
        StrictHostKeyChecking yes
    TEXT
  end
end
