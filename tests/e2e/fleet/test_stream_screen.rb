# Another host: what --stream writes is the live screen where it is read, and that says how the way is.
# Waits nearly all of the time
require_relative "stream"
require_relative "../tmux"

class TestStreamScreen < Minitest::Test
  include Stream

  # The screen of what the stream of this command brings, in a folder of its own; yields the terminal, the pid of the
  # writer and the folder.
  def screen(*arguments, size: [100, 30])
    skip "tmux is not installed" unless Tmux.there?
    Dir.mktmpdir do |folder|
      File.chmod(0o777, folder) # root reads and records a stream as nobody
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
        tmux.keys("!")
        tmux.wait_for(/deploy.*\n.*deploy/)
        tmux.keys("!")
        tmux.keys("(")
        tmux.wait_for(/\[FROZEN -\d/)
        tmux.keys("z")
        tmux.wait_for(/\[STREAM/)
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
end
