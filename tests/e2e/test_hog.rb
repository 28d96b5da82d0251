# A thread that keeps the GVL from others: on top of the threads, with the blame that it has by its own account.
require_relative "terminal"

class TestHog < Minitest::Test
  include E2E
  VICTIMS = 4
  CALLS = 2

  # A recording of all that the program did, and how long its calls took by its own clock.
  def recorded
    Dir.mktmpdir do |folder|
      viewer("-o", "#{folder}/hog.rpt", "--", RbConfig.ruby, QUICK, "#{PROGRAMS}/hog.rb", "#{folder}/calls", CALLS.to_s,
             env: { "TMPDIR" => folder })
      calls = File.readlines("#{folder}/calls").map { |line| line.split.map(&:to_f) }
      assert_equal CALLS, calls.size
      object = viewer("-b", "-J", "-F", "all", "-r", "#{folder}/hog.rpt").objects.last
      yield object, calls.sum { |began, ended| ended - began }
    end
  end

  # While a call goes on all the others wait for it; while one of them runs, its like do, and the hog if it does not
  # sleep. What nobody is to blame for is what it takes to hand the GVL over.
  def test_blame_is_what_the_others_waited
    recorded do |object, truth|
      threads = object["threads"].to_h { |thread| [thread["name"], thread] }
      hog, victims = threads["nightly export"], threads.values_at(*Array.new(VICTIMS) { |i| "puma #{i}" })
      assert_operator truth, :>, CALLS * 0.2
      assert_in_delta truth, hog["held"], 0.03 * truth + 0.02
      assert_in_delta VICTIMS * truth, hog["blame"], 0.05 * VICTIMS * truth
      victims.each do |victim|
        assert_in_delta 3.5 * victim["held"], victim["blame"], 0.7 * victim["held"] + 0.05
      end
      waited, blamed = object["gvl"]["waiting"], threads.sum { |_, thread| thread["blame"] }
      assert_includes 0.85 * waited..waited, blamed
    end
  end

  # Words of a new picture, in order.
  def words(terminal) = terminal.repainted.gsub(/\e\[[0-9;?]*[A-Za-z]|[\r\n]/, " ").squeeze(" ")

  def test_it_is_on_top
    row = /BLAME%v .*? ON \(leaf\) ?>?nightly export \w+ ([\d.]+) ([\d.]+) /
    Tempfile.create("hog") do |calls|
      running("#{PROGRAMS}/hog.rb", calls.path) do |pid|
        wait_until("a call") { File.size?(calls.path) }
        Terminal.open("-p", pid.to_s) do |terminal|
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

  # Threads that only compute: two keep the GVL held as well as six do; with two there is nothing to advise.
  def test_fewer_threads_would_do
    computes = "class Sums; def add = 1000.times { |i| i * i }; end; Array.new(%d) { Thread.new { loop { Sums.new.add } } }.each(&:join)"
    many, few = [6, 2].map { |threads| watch(3, "-e", computes % threads).objects.filter_map { |one| one.dig("verdict", "advice") } }
    assert_empty few
    assert many.any? { |advice| advice.start_with?("2 threads would do the work of these 6: ") }, many.inspect
  end
end
