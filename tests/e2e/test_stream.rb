# Another host: what --stream writes is the live screen where it is read, and both sides end as they should. The way
# between them is a pipe, as that of ssh is.
require_relative "tmux"

class TestStream < Minitest::Test
  include E2E

  COUNTING = <<~RUBY
    def count(n) = n.times { |i| @sum = i }
    Thread.new { loop { sleep 0.01 } }
    loop { count(10_000); sleep 0.001 }
  RUBY

  def counting(&block)
    Dir.mktmpdir do |folder|
      File.write("#{folder}/counting.rb", COUNTING)
      running("#{folder}/counting.rb", &block)
    end
  end

  # The screen of what the stream of this command brings, in a folder of its own; yields the terminal, the pid of the
  # writer and the folder.
  def screen(*arguments, size: [100, 30])
    skip "tmux is not installed" unless Tmux.there?
    Dir.mktmpdir do |folder|
      shell = "cd #{folder}; { #{VIEWER} --stream \"$@\" 2> err & echo $! > writer; wait $!; echo $? > status; } | " \
              "#{VIEWER} -r -; echo $? > reader"
      tmux = Tmux.new(*size, ["sh", "-c", shell, "sh", *arguments.map(&:to_s)])
      begin
        yield tmux, wait_until("the writer") { File.read("#{folder}/writer").to_i.nonzero? rescue nil }, folder
      ensure
        tmux.close
      end
    end
  end

  def status_in(folder, name) = wait_until("the end of #{name}") { File.read("#{folder}/#{name}")[/\d+\n/]&.to_i rescue nil }

  def test_the_live_screen
    counting do |pid|
      screen("-p", pid) do |tmux, writer, folder|
        tmux.wait_for(/Object#count/)
        tmux.wait_for(/#{pid}@#{Regexp.escape(`hostname`.strip[/\A[^.]*/])} .*\[STREAM \d+\.\d s behind\]/)
        tmux.keys("z")
        tmux.wait_for(/\[FROZEN -\d/)
        tmux.keys("[", "[")
        tmux.keys("z")
        tmux.wait_for(/\[STREAM/)
        { "2" => /Object#count/, "3" => /main/, "7" => /\d\d:\d\d:\d\d/, "1" => /Object#count/ }.each do |key, text|
          tmux.keys(key)
          tmux.wait_for(text)
        end
        tmux.keys("r")
        tmux.wait_for(/recording to rperf-top-#{pid}-\S+\.rpt/)
        wait_until("a recording of the stream") { Dir["#{folder}/*.rpt"].any? { |file| File.size(file) > 1000 } }
        tmux.keys("r")
        tmux.wait_for(/recorded rperf-top-#{pid}/)
        object = viewer("-J", "-F", "all", "-r", Dir["#{folder}/*.rpt"].first).objects.last
        assert_equal pid, object["pid"]
        assert method_named(object, "Object#count")
        tmux.keys("q")
        assert_equal 0, status_in(folder, "reader")
        assert_equal 0, status_in(folder, "status")
        assert_empty File.read("#{folder}/err")
        assert_raises(Errno::ESRCH) { Process.kill(0, writer) }
      end
    end
  end

  def test_the_process_ends
    counting do |pid|
      screen("-p", pid, size: [120, 30]) do |tmux, _, folder|
        tmux.wait_for(/Object#count/)
        Process.kill(:KILL, pid)
        tmux.wait_for(/killed by signal 9.*\[STREAM ENDED\]/)
        assert_equal 0, status_in(folder, "status")
        assert_match(/Object#count/, tmux.text)
        tmux.keys("z")
        tmux.wait_for(/\[FROZEN/)
        tmux.keys("q")
        assert_equal 0, status_in(folder, "reader")
      end
    end
  end

  def test_the_way_breaks
    counting do |pid|
      screen("-p", pid) do |tmux, writer, folder|
        tmux.wait_for(/Object#count/)
        Process.kill(:STOP, writer)
        tmux.wait_for(/\[STREAM stalled for \d+ s\]/)
        Process.kill(:CONT, writer)
        tmux.wait_for(/\[STREAM \d+\.\d s behind\]/)
        Process.kill(:KILL, writer)
        tmux.wait_for(/\[STREAM BROKEN OFF\]/)
        tmux.keys("q")
        assert_equal 0, status_in(folder, "reader")
      end
    end
  end

  # The process there stands still; its stream does not, and says so.
  def test_the_process_stalls
    counting do |pid|
      screen("-p", pid) do |tmux,|
        tmux.wait_for(/Object#count/)
        Process.kill(:STOP, pid)
        tmux.wait_for(/\[STREAM: stalled\]/)
        Process.kill(:CONT, pid)
        tmux.wait_for(/\[STREAM \d+\.\d s behind\]/)
      end
    end
  end

  def pipe_to(*reader, writer:, stop: nil)
    out, away = IO.pipe
    said = Tempfile.new
    there = spawn(VIEWER, "--stream", *writer, out: away, err: said.path)
    away.close
    result = nil
    thread = Thread.new { result = viewer_reading(out, *reader) }
    if stop
      wait_until("the stream") { yield }
      Process.kill(stop, there)
    end
    thread.join
    out.close
    [result, Process.wait2(there).last, said.tap(&:rewind).read]
  ensure
    said&.close!
  end

  def viewer_reading(input, *arguments)
    out, err = Tempfile.new, Tempfile.new
    pid = spawn({ "TMPDIR" => E2E.logs }, VIEWER, "-r", "-", *arguments, in: input, out: out.path, err: err.path)
    status = Process.wait2(pid).last
    E2E::Result.new(out.read, err.read, status)
  ensure
    [out, err].each(&:close!)
  end

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
      %w[--stream -p 1 -o x.rpt] => /--stream and -o cannot/, %w[--stream -r x.rpt] => /--stream needs -p/ }.each do |arguments, words|
      result = viewer(*arguments)
      assert_equal 2, result.status.exitstatus
      assert_match words, result.err
    end
  end
end
