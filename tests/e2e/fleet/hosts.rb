# Other hosts without a network: an ssh that runs the command here, or fails as hosts do.
require_relative "stream"
require "shellwords"

module Hosts
  include Stream

  # Says which process it is and how it was called, then does what the name of the host says.
  SSH = <<~'SH'.freeze
    #!/bin/sh
    while [ $# -gt 0 ]; do
      case $1 in
      -o) shift 2 ;;
      --) shift; break ;;
      -*) shift ;;
      *) break ;;
      esac
    done
    host=$1
    shift
    echo $$ >"$FAKE/$host.new"
    mv "$FAKE/$host.new" "$FAKE/$host.pid"
    echo "$*" >>"$FAKE/$host.calls"
    if [ -e "$FAKE/$host.away" ]; then
      echo "ssh: connect to host $host port 22: Connection refused" >&2
      exit 255
    fi
    case $host in
    garbage) head -c 100000 /dev/urandom; exec sleep 1000 ;;
    empty) exit 0 ;;
    hostile) printf '\033[2Jfirst\nlast \033]0;title\007 line of it, and %0600d\n' 7 >&2; exit 1 ;;
    talks) while :; do echo "words without an end"; done >&2 ;;
    version) sh -c "$*" | "$RUBY" --disable=gems -e 'head = $stdin.readpartial(64).b; head.setbyte(28, 9); $stdout.write(head); IO.copy_stream($stdin, $stdout)' ;;
    slow) sh -c "$*" | "$RUBY" --disable=gems -e 'loop { $stdout.syswrite($stdin.readpartial(40)); sleep 0.001 }' 2>/dev/null ;;
    *) exec sh -c "exec $*" ;;
    esac
  SH

  # What is watched with -J, update by update.
  Watching = Struct.new(:pid, :out, :folder, :err) do
    def update
      E2E.wait_until("an update of #{@last}", every: 0) { yield @last = JSON.parse(out.gets || raise("it ended: #{File.read(err)}")) }
      @last
    end

    # An update in which each of these hosts is so.
    def states(wanted)
      update { |object| wanted.all? { |host, state| self.class.host(object, host)["state"] == state } }
    end

    def self.host(object, name) = object["hosts"].find { |host| host["host"] == name }
    def client(host) = File.read("#{folder}/#{host}.pid").to_i
    def calls(host) = File.readlines("#{folder}/#{host}.calls").size
  end

  def host(object, name) = Watching.host(object, name)

  def in_network
    Dir.mktmpdir do |folder|
      File.write("#{folder}/ssh", SSH)
      File.chmod(0o755, "#{folder}/ssh")
      yield folder, { "PATH" => "#{folder}:#{ENV["PATH"]}", "FAKE" => folder, "RUBY" => RbConfig.ruby, "TMPDIR" => E2E.logs }
    end
  end

  def ssh(*hosts) = [*hosts.flat_map { |host| ["--ssh", host] }, "--ssh-command", Shellwords.escape(VIEWER)]

  def watching(pid, *hosts, arguments: [])
    in_network do |folder, env|
      hosts.each { |host| yield_before(folder, host) }
      err = "#{folder}/err"
      out, away = IO.pipe
      viewer = spawn(env, VIEWER, "-J", "-d", "0.2", "-F", "0.4", *ssh(*hosts), "-p", pid.to_s, *arguments, out: away, err: err)
      away.close
      begin
        yield Watching.new(viewer, out, folder, err)
      ensure
        Process.kill(:TERM, viewer) rescue nil
        Process.wait(viewer)
        out.close
      end
      hosts.each do |host|
        client = File.read("#{folder}/#{host}.pid").to_i
        wait_until("the end of #{host}") { !group?(client) }
      end
    end
  end

  def replayed(file)
    result = viewer("-J", "-n", "1", "-F", "all", "-r", file)
    result.objects.last if result.status.success? && !result.out.empty?
  end

  # Yields a recording in which each of these hosts has a process that runs.
  def recorded(pid, *hosts)
    in_network do |folder, env|
      file, err = "#{folder}/hosts.rpt", "#{folder}/err"
      recorder = spawn(env, VIEWER, "-o", file, *ssh(*hosts), "-p", pid.to_s, err: err)
      begin
        wait_until("all hosts in it: #{File.read(err)}", every: 0.2) do
          processes = File.size?(file) && replayed(file)&.fetch("processes", nil)
          processes&.size == hosts.size && processes.all? { |one| one["running"].positive? }
        end
      ensure
        Process.kill(:TERM, recorder)
        Process.wait(recorder)
      end
      yield file
    end
  end

  # Hosts that are called so are away at first.
  def yield_before(folder, host)
    File.write("#{folder}/#{host}.away", "") if host.start_with?("away")
  end

  def group?(number)
    Process.kill(0, -number)
    true
  rescue Errno::ESRCH
    false
  end
end
