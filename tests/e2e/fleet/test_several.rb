# Several processes as a shell names them; what they call themselves; one of them dies while the others live.
require_relative "../support"

class TestSeveral < Minitest::Test
  include E2E

  def workers(count, started = [], &block)
    return yield(started) if started.size == count
    running("#{PROGRAMS}/worker.rb", started.size.to_s) do |pid|
      E2E.wait_until("its name") { File.read("/proc/#{pid}/cmdline").start_with?("puma") }
      workers(count, started + [pid], &block)
    end
  end

  def test_names
    workers(1) do |(pid)|
      name = "puma: cluster worker 0: 42 [shop]"
      assert_equal name, viewer("-b", "-J", "-n", "1", "-p", pid.to_s).objects.last["command"]
      assert_match(/^ *#{pid} +\S+ +live .* #{Regexp.escape(name)}$/, viewer("-l").out)
      assert_includes viewer("-p", pid.to_s, "--dump-screen", "100x24").out, "#{pid} #{name}"
      reader, writer = IO.pipe
      watching = spawn(VIEWER, "-b", "-J", "-d", "0.2", "-F", "0.2", "-p", pid.to_s, out: writer, err: File::NULL)
      writer.close
      assert_equal name, JSON.parse(reader.gets)["command"]
      Process.kill(:USR1, pid)
      E2E.wait_until("the new name") { JSON.parse(reader.gets)["command"] == "#{name} (shutting down)" }
    ensure
      Process.kill(:TERM, watching)
      Process.wait(watching)
    end
  end

  def test_lines_of_pgrep
    workers(3) do |pids|
      [pids.map(&:to_s), [pids.join("\n")], [pids.join(",")], ["#{pids[0]},#{pids[0]}", "-p", pids.drop(1).join(" ")]].each do |words|
        object = viewer("-p", *words, "-b", "-J", "-n", "1", "-F", "0.3").objects.last
        assert_equal pids, object["pids"]
        assert_equal pids, object["processes"].map { |process| process["pid"] }
        assert_equal %w[live], object["processes"].map { |process| process["state"] }.uniq
      end
      none = spawn("sleep", "60")
      result = viewer("-b", "-J", "-n", "1", "-F", "0.3", "-p", none.to_s, *pids.map(&:to_s))
      assert_equal pids, result.objects.last["pids"]
      assert_match(/\Arperf-top: process #{none} is not a Ruby process/, result.err)
      result = viewer("-b", "-J", "-p", none.to_s, none.to_s, "1")
      assert_equal 1, result.status.exitstatus
      assert_match(/\Arperf-top: none of 2 processes can be watched: /, result.err)
      result = viewer("-p")
      assert_equal 2, result.status.exitstatus
      assert_includes result.err, "-p needs a process number or a name"
    ensure
      Process.kill(:KILL, none)
      Process.wait(none)
    end
  end

  def test_one_dies
    workers(3) do |pids|
      reader, writer = IO.pipe
      watching = spawn(VIEWER, "-J", "-d", "0.2", "-F", "0.2", "-p", *pids.map(&:to_s), out: writer, err: File::NULL)
      writer.close
      refute JSON.parse(reader.gets)["processes"].any? { |process| process.key?("end") }
      before = Time.now.to_f
      Process.kill(:KILL, pids[1])
      object = E2E.wait_until("its death") do
        read = JSON.parse(reader.gets)
        read if read["processes"][1].key?("end")
      end
      assert_equal "live", object["state"], "the others live"
      assert_equal %w[live dead live], object["processes"].map { |process| process["state"] }
      assert_in_delta before, object["processes"][1]["end"]["time"], 5
      refute object.key?("end")
      text = viewer("-b", "-n", "1", "-F", "0.3", "-p", *pids.map(&:to_s)).out
      assert_match(/^rperf-top  #{pids[0]} \(\+2\) puma/, text)
      assert_match(/^END #{pids[1]} killed.*  last window \d{4}-/, text)
      screen = viewer("-p", *pids.map(&:to_s), "--dump-screen", "132x24").out
      assert_match(/#{pids[0]} puma: cluster.*  \(\+1\)  #{pids[1]} killed.* \d\d:\d\d:\d\d/, screen)
    ensure
      Process.kill(:TERM, watching)
      Process.wait(watching)
    end
  end
end
