# A thread that keeps the GVL from others: on top of the threads, with the blame that it has by its own account.
# Runs alone: the hog needs a core for its calls, and so does who measures it.
require_relative "terminal"

class TestHog < Minitest::Test
  include E2E
  VICTIMS = 4

  def hog
    Tempfile.create("hog") do |calls|
      running("#{PROGRAMS}/hog.rb", calls.path) do |pid|
        wait_until("some calls") { File.foreach(calls.path).count >= 3 }
        yield pid.to_s, calls.path
      end
    end
  end

  # Seconds of this stretch that the calls took: from both ends, for the last one goes on maybe.
  def called(path, from, to)
    calls = File.readlines(path).map { |line| line.split.map(&:to_f) }
    assert_operator calls.last.last, :>=, to
    calls.sum { |began, ended| [[ended, to].min - [began, from].max, 0].max }
  end

  def test_blame_is_what_the_others_waited
    hog do |pid, path|
      objects = viewer("-b", "-J", "-n", "4", "-d", "1", "-p", pid).objects
      ends = objects.last["time"]
      wait_until("a call after that") { File.readlines(path).last.split.last.to_f >= ends }
      frames = objects.sum { |object| object["frame"] }
      truth = objects.sum { |object| called(path, object["time"] - object["frame"], object["time"]) }
      threads = objects.map { |object| object["threads"].find { |thread| thread["name"] == "nightly export" } }
      held, blame = threads.sum { |thread| thread["held"] }, threads.sum { |thread| thread["blame"] }
      assert_operator truth, :>, 0.1 * frames, "the hog hardly ran"
      assert_in_delta truth, held, 0.1 * frames
      assert_in_delta VICTIMS * truth, blame, VICTIMS * 0.1 * frames
      objects.each do |object|
        waited, blamed = object["gvl"]["waiting"], object["threads"].sum { |thread| thread["blame"] }
        assert_in_delta waited, blamed, 0.1 * waited + 0.1, "waiting is somebody's blame"
      end
    end
  end

  # Words of a new picture, in order.
  def words(terminal) = terminal.repainted.gsub(/\e\[[0-9;?]*[A-Za-z]|[\r\n]/, " ").squeeze(" ")

  def test_it_is_on_top
    row = /BLAME%v .*? ON \(leaf\) ?>?nightly export \w+ ([\d.]+) ([\d.]+) /
    hog do |pid, _path|
      Terminal.open("-p", pid) do |terminal|
        terminal.wait_for("[LIVE]")
        terminal.type("3")
        wait_until("the hog on top", seconds: 30) { words(terminal) =~ row && $2.to_f > 50 && $2.to_f > 2 * $1.to_f }
        assert_match(/█/, terminal.repainted)
        assert_match(/▒/, terminal.repainted)
      rescue RuntimeError => error
        raise "#{error.message}: #{words(terminal)}"
      end
    end
  end
end
