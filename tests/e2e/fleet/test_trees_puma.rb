# A real puma with workers: they are found, replaced one by one, killed, and the server becomes another one.
require_relative "../support"
require_relative "../tmux"
require "socket"

class TestTreesPuma < Minitest::Test
  include E2E

  Served = Struct.new(:pid, :env, :socket)

  # Until all workers answer; `load` keeps asking until the block ends.
  def serving(workers)
    skip "the gem puma is not here" unless (lib = E2E.gem_folder("puma"))
    gems = File.expand_path("../../..", lib)
    Dir.mktmpdir("rperf-top-trees.", "/dev/shm") do |folder|
      env = { "RPERF_TOP_DIR" => folder, "GEM_PATH" => gems, "GEM_HOME" => gems, "SOCKET" => "#{folder}/socket" }
      pid = spawn(env.merge("RUBYLIB" => "#{lib}:#{BUILD}", "RUBYOPT" => "-rrperf_top"), RbConfig.ruby, "#{File.dirname(lib)}/bin/puma",
                  "-C", "#{PROGRAMS}/cluster.rb", "-w", workers.to_s, pgroup: true, out: "#{folder}/out", err: "#{folder}/err")
      served = Served.new(pid, env, env["SOCKET"])
      load = Thread.new { (ask(served.socket) rescue sleep 0.05) while served.pid }
      wait_until("#{workers} workers") { answering(served, workers) }
      yield served
    ensure
      served.pid = nil if served
      load&.join
      Process.kill(:KILL, -pid) rescue nil
      Process.wait(pid) if pid
    end
  end

  def ask(socket)
    UNIXSocket.open(socket) do |io|
      io.write("GET / HTTP/1.0\r\n\r\n")
      io.read[/of (\d+)/, 1]&.to_i
    end
  end

  def answering(served, count)
    pids = 40.times.map { ask(served.socket) rescue nil }.compact.uniq
    pids.sort if pids.size == count
  end

  # The lines of a viewer on the server, one after the other.
  def watching(served, *options)
    reader = IO.popen([served.env, VIEWER, "-J", "-d", "0.3", "-F", "1", *options, "-p", served.pid.to_s, err: "#{File.dirname(served.socket)}/viewer"])
    yield(-> { JSON.parse(reader.gets || raise("the viewer ended: #{File.read("#{File.dirname(served.socket)}/viewer")}")) })
  ensure
    Process.kill(:TERM, reader.pid) if reader
    reader&.close
  end

  def living(object) = object.fetch("processes").select { |process| process["state"] == "live" }.map { |process| process["pid"] }

  def works?(object) = object["methods"].any? { |row| row["name"].end_with?("answer") }

  def test_workers_and_what_replaces_them
    serving(3) do |served|
      before = wait_until("three") { answering(served, 3) }
      watching(served) do |line|
        object = line.call
        assert_equal served.pid, object["pid"], "the master first"
        assert_equal [served.pid, *before].sort, living(object).sort
        assert_equal [nil, served.pid, served.pid, served.pid], object["processes"].map { |process| process["parent"] }
        assert_match(/\Apuma .*\[shop\]\z/, object["command"])
        wait_until("work") { works?(line.call) }
        Process.kill(:KILL, before.first)
        wait_until("its death") do
          object = line.call
          object["processes"].find { |process| process["pid"] == before.first }["state"] == "dead"
        end
        wait_until("the one that replaces it") { living(object = line.call).size == 4 }
        assert_equal "live", object["state"]
        assert_equal 5, object["processes"].size, "the dead one stays"
        now = living(object) - [served.pid]
        Process.kill(:USR1, served.pid)
        wait_until("the phased restart") { ((living(object = line.call) - [served.pid]) & now).empty? && living(object).size == 4 }
        assert_equal 8, object["processes"].size, object["processes"].inspect
        assert_equal "live", object["state"]
        wait_until("work of the new ones") { works?(line.call) }
        refute object["processes"].drop(5).any? { |process| process["parent"] != served.pid }
      end
    end
  end

  # A hot restart: the master becomes another program, and makes new workers.
  def test_a_hot_restart
    serving(2) do |served|
      before = wait_until("two") { answering(served, 2) }
      watching(served) do |line|
        assert_equal [served.pid, *before].sort, living(line.call).sort
        Process.kill(:USR2, served.pid)
        object = nil
        wait_until("new workers") { (pids = living(object = line.call)).size == 3 && (pids & before).empty? }
        assert_includes living(object), served.pid
        assert_equal 1, object["processes"].count { |process| process["pid"] == served.pid }, "the master is one process"
        assert_equal "live", object["state"]
        wait_until("work of the new ones") { works?(line.call) }
      end
      alone = watching(served, "--no-follow") { |line| line.call }
      refute alone.key?("processes")
      refute works?(alone)
    end
  end

  def test_the_screen
    skip "tmux is not here" unless Tmux.there?
    serving(2) do |served|
      tmux = Tmux.new(80, 24, [VIEWER, "-p", served.pid.to_s], env: served.env)
      tmux.wait_for(/^ rperf-top  #{served.pid} puma [\d.]+ \[sh[op~]*\]?  \(\+2 children\) /)
      tmux.wait_for(/\.answer/)
      Process.kill(:KILL, wait_until("two") { answering(served, 2) }.first)
      tmux.wait_for(/^ process \d+ joined: puma: cluster worker/)
      tmux.wait_for(/^ rperf-top  #{served.pid} puma .* \(\+2.* gone/)
    ensure
      tmux&.close
    end
  end
end
