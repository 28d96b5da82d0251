# Another host without a screen: reports and files of what --stream writes, and both sides end as they should.
# Waits nearly all of the time
require_relative "family"
require_relative "stream"
require_relative "../terminal"

class TestStream < Minitest::Test
  include Stream

  def test_reports_of_a_stream
    counting do |pid|
      result, writer, said = pipe_to("-J", "-n", "3", writer: ["-p", pid.to_s])
      assert_predicate result.status, :success?, result.err
      assert_equal 3, result.objects.size
      assert_equal ["live"], result.objects.map { |object| object["state"] }.uniq
      result.objects.each { |object| assert_operator method_named(object, "Object#count")["total"], :>, 0.01 }
      assert_equal 0, writer.exitstatus, "who reads no more is no error"
      assert_empty said
    end
  end

  # A stream that ended is a recording; what it brings is the same through a pipe, from a file as standard input, and by
  # the file's name.
  def test_files_of_a_stream
    counting do |pid|
      Dir.mktmpdir do |folder|
        system(VIEWER, "--stream", "-t", "1.5", "-p", pid.to_s, out: "#{folder}/a.rpt") or flunk
        by_name = viewer("-J", "-F", "all", "-r", "#{folder}/a.rpt").objects.last
        assert method_named(by_name, "Object#count")
        File.open("#{folder}/a.rpt") { |file| assert_equal by_name, viewer_reading(file, "-J", "-F", "all").objects.last }
        %w[b.rpt b.collapsed b.html].each do |name|
          IO.popen(["cat", "#{folder}/a.rpt"]) do |file|
            result = viewer_reading(file, "-o", "#{folder}/#{name}")
            assert_predicate result.status, :success?, result.err
          end
        end
        assert_equal by_name["methods"], viewer("-J", "-F", "all", "-r", "#{folder}/b.rpt").objects.last["methods"]
        assert_equal viewer("-r", "#{folder}/a.rpt", "-o", "#{folder}/c.collapsed").status.exitstatus, 0
        assert_equal File.readlines("#{folder}/c.collapsed").sort, File.readlines("#{folder}/b.collapsed").sort
        assert_includes File.read("#{folder}/b.html"), "Object#count"
        IO.popen(["cat", "#{folder}/a.rpt"]) do |file|
          object = viewer_reading(file, "-J", "-F", "all").objects.last
          assert_equal by_name["methods"], object["methods"]
          assert_equal ["ended", "stream"], [object["state"], object.dig("end", "cause")]
        end
      end
    end
  end

  def test_it_is_interrupted_there
    counting do |pid|
      Dir.mktmpdir do |folder|
        file = "#{folder}/a.rpt"
        result, writer, said = pipe_to("-o", file, writer: ["-p", pid.to_s], stop: :INT) { File.size?(file).to_i > 2000 }
        assert_predicate result.status, :success?, result.err
        assert_match(/\Arperf-top: wrote \S+ \(\S+\)\n\z/, result.err)
        assert_equal [130, ""], [writer.exitstatus, said]
        result, writer, said = pipe_to("-o", "#{folder}/b.rpt", writer: ["-p", pid.to_s], stop: :KILL) { File.size?("#{folder}/b.rpt").to_i > 2000 }
        assert_equal 1, result.status.exitstatus
        assert_match(/the stream broke off/, result.err)
        assert method_named(viewer("-J", "-F", "all", "-r", "#{folder}/b.rpt").objects.last, "Object#count")
        assert_equal [9, ""], [writer.termsig, said]
      end
    end
  end

  # Ctrl-C here: what came is saved.
  def test_it_is_interrupted_here
    counting do |pid|
      Dir.mktmpdir do |folder|
        out, away = IO.pipe
        there = spawn(VIEWER, "--stream", "-p", pid.to_s, out: away)
        here = spawn(VIEWER, "-r", "-", "-o", "#{folder}/a.rpt", in: out, err: "#{folder}/err")
        [out, away].each(&:close)
        wait_until("some of it") { File.size?("#{folder}/a.rpt").to_i > 2000 }
        Process.kill(:INT, here)
        assert_equal [0, 0], [here, there].map { |process| Process.wait2(process).last.exitstatus }
        assert_match(/\Arperf-top: wrote \S+ \(\S+\)\n\z/, File.read("#{folder}/err"))
      end
    end
  end

  # A process that takes another name while it is recorded has that one in the end.
  def test_another_name
    Dir.mktmpdir do |folder|
      File.write("#{folder}/first.rb", "sleep 0.01 until File.exist?('#{folder}/go'); $0 = 'another name'; sleep")
      running("#{folder}/first.rb") do |pid|
        here = spawn(VIEWER, "-o", "#{folder}/a.rpt", "-p", pid.to_s, err: File::NULL)
        wait_until("a beginning") { File.size?("#{folder}/a.rpt").to_i > 500 }
        File.write("#{folder}/go", "")
        name = -> { viewer("-J", "-F", "all", "-r", "#{folder}/a.rpt").objects.last["command"] }
        assert_match(/first\.rb/, name.call)
        wait_until("the other name") { name.call == "another name" }
        Process.kill(:INT, here)
        assert_equal 0, Process.wait2(here).last.exitstatus
      end
    end
  end

  # Who does not read holds nobody up; and a disk that is full is said.
  def test_nobody_reads
    counting do |pid|
      out, away = IO.pipe
      away.fcntl(1031, 4096) # F_SETPIPE_SZ: of one page, which the first write takes
      there = spawn(VIEWER, "--stream", "-p", pid.to_s, out: away, err: File::NULL)
      away.close
      wait_until("a full pipe") { [0].pack("i").tap { |count| out.ioctl(0x541b, count) }.unpack1("i").positive? }
      Process.kill(:TERM, there)
      Process.kill(:TERM, there) while Process.wait(there, Process::WNOHANG).nil? && sleep(0.05)
      assert_equal 143, $?.exitstatus
      out.close
      said = Tempfile.new
      there = spawn(VIEWER, "--stream", "-p", pid.to_s, out: "/dev/full", err: said.path)
      assert_equal 1, Process.wait2(there).last.exitstatus
      assert_equal "rperf-top: cannot write the stream: No space left on device\n", said.read
    end
  end

  def test_terminals_are_no_streams
    Terminal.open(shell: "#{VIEWER} -r -") do |terminal|
      terminal.wait_for("standard input is a terminal: pipe a recording")
      assert_equal 1, terminal.ended.exitstatus
    end
    Terminal.open("--stream", "-p", "1") do |terminal|
      terminal.wait_for("a stream is not for a terminal")
      assert_equal 1, terminal.ended.exitstatus
    end
  end

  def test_what_is_no_stream
    { "" => /nothing came on standard input/, "Permission denied (publickey).\n" => /standard input is no recording/,
      Random.new(3).bytes(100_000) => /standard input is no recording/ }.each do |input, words|
      [["-b"], ["-J"], ["-o", "/nowhere/x.rpt"]].each do |arguments|
        out, err, status = Open3.capture3(VIEWER, "-r", "-", *arguments, stdin_data: input)
        assert_equal [1, "", 1], [status.exitstatus, out, err.lines.size], err
        assert_match words, err
      end
    end
  end

  # One that says why it cannot be watched is the only one that speaks.
  def test_nothing_to_stream
    result, writer, said = pipe_to("-b", writer: ["-p", "999999999"])
    assert_equal [1, 1], [result.status.exitstatus, writer.exitstatus]
    assert_match(/\Arperf-top: .*999999999.*\n\z/, said)
    assert_equal "rperf-top: nothing came on standard input: there is no stream\n", result.err
  end

  def test_bad_usage
    { %w[--stream] => /--stream needs -p PID or -- COMMAND/, %w[--stream -p 1 -b] => /--stream and -b cannot/,
      %w[-r - -r x.rpt] => /standard input cannot be what is compared with/,
      %w[--stream -p 1 -o x.rpt] => /--stream and -o cannot/, %w[--stream -r x.rpt] => /--stream needs -p/ }.each do |arguments, words|
      result = viewer(*arguments)
      assert_equal 2, result.status.exitstatus
      assert_match words, result.err
    end
  end
end

# A process with all that it forks and spawns: every one of them comes through, with its place in the tree and its end.
class TestStreamTrees < Minitest::Test
  include Stream
  include Family

  NAMES = /first|second|grandchild|late|spawned/

  # Yields what says the next line of the reader, and the writer's pid; both have ended afterwards.
  def streaming(env, *watched)
    out, away = IO.pipe
    there = spawn({ "TMPDIR" => E2E.logs }.merge(env), VIEWER, "--stream", *watched, out: away, err: File::NULL)
    reader = IO.popen([VIEWER, "-r", "-", "-J", "-d", "0.3", "-F", "all", in: out])
    [out, away].each(&:close)
    yield(-> { (line = reader.gets) && JSON.parse(line) }, there)
    wait_until("the end of the stream") { reader.gets.nil? }
    reader.close
    assert_equal 0, $?.exitstatus
  ensure
    reader.close unless reader.nil? || reader.closed?
  end

  def all_six(line)
    wait_until("all six") do
      seen = line.call or flunk "the stream ended"
      seen["processes"]&.size == 6 && seen["processes"].drop(1).all? { |process| process["command"][NAMES] } && METHODS.all? { |name| method_named(seen, name) } && seen
    end
  end

  # They join while it goes on, and the end of each is told.
  def test_a_command
    in_folder do |_, env|
      last = nil
      streaming(env.merge("HOLD" => "1"), "--", RbConfig.ruby, QUICK, FAMILY) do |line, there|
        all = all_six(line)
        names = all["processes"].to_h { |process| [process["pid"], process["command"]] }
        master = all["processes"].first
        parents = all["processes"].drop(1).to_h { |process| [process["command"][NAMES], names[process["parent"]]] }
        assert_equal({ "grandchild" => "second" }, parents.reject { |_, parent| parent == master["command"] })
        assert_equal %w[first grandchild late second spawned], parents.keys.sort
        names.keys.drop(1).each { |pid| Process.kill(:KILL, pid) }
        while (seen = line.call)
          last = seen
        end
        assert_equal 0, Process.wait2(there).last.exitstatus, "that of the command, which waits for its children"
      end
      assert_equal ["ended", *["dead"] * 5], last["processes"].map { |process| process["state"] }
      last["processes"].drop(1).each { |process| assert_match(/killed/, process["end"]["text"]) }
    end
  end

  # What is there when it begins, and what dies meanwhile.
  def test_attached
    in_folder do |_, env|
      family(env) do |pid|
        streaming(env, "-p", pid.to_s) do |line, there|
          second = all_six(line)["processes"].find { |process| process["command"] == "second" }["pid"]
          Process.kill(:KILL, second)
          object = wait_until("its end") do
            seen = line.call
            seen["processes"].find { |process| process["pid"] == second }["state"] == "dead" && seen
          end
          assert_match(/killed/, object["processes"].find { |process| process["pid"] == second }["end"]["text"])
          assert_equal "live", object["state"]
          Process.kill(:INT, there)
          assert_equal 130, Process.wait2(there).last.exitstatus
        end
      end
    end
  end
end
