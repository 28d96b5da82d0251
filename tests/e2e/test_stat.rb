# --stat: the sum of a whole run, beside a command whose own output is left alone.
require_relative "support"

class TestStat < Minitest::Test
  include E2E

  def test_a_command
    result = viewer("--stat", "--", RbConfig.ruby, "-e", "puts :out; warn :err; sleep 0.5; exit 7")
    assert_equal 7, result.status.exitstatus
    assert_equal "out\n", result.out
    assert_match(/^err$/, result.err)
    assert_match(/^ rperf-top stat: .*ruby -e puts :out/, result.err)
    [/ ms +real$/, / ms +user$/, / ms +sys$/, /% +blocked: /, /GC runs \(/, /objects allocated$/, /threads$/,
     /resident memory at most$/, /context switches \(/, /disk I\/O \(/, /samples, /, /profiling took /].each do |line|
      assert_match line, result.err
    end
    refute_match(/output of the command/, result.err)
  end

  def json(*arguments)
    result = viewer("--stat", "-J", *arguments)
    [JSON.parse(result.out), result.status.exitstatus]
  end

  def test_figures
    program = "20.times { Thread.new { 1 }.join }; GC.start; 10_000.times { Object.new }; " \
              "t = Process.clock_gettime(1); nil while Process.clock_gettime(1) - t < 0.6; sleep 0.7"
    stat, status = json("--", RbConfig.ruby, QUICK, "-e", program)
    assert_equal [0, 0], [status, stat["status"]]
    assert_operator stat["real"], :>, 1.3
    # Each has what the program takes of it, and no more than the other leaves.
    assert_includes 0.55..stat["real"] - 0.65, stat["running"]
    assert_includes 0.65..stat["real"] - 0.55, stat["blocked"]
    assert_operator stat["user"] + stat["sys"], :>, 0.05
    assert_operator stat["gc"]["major"], :>, 0
    assert_operator stat["allocations"], :>, 9000
    assert_equal 21, stat["threads"]
    assert_operator stat["max_rss"], :>, 5_000_000
    assert_operator stat["context_switches"]["voluntary"], :>, 0
  end

  # It ends before the first windows are due: all that it did is told.
  def test_a_short_command
    stat, = json("--", RbConfig.ruby, QUICK, "-e", "400_000.times { Object.new }; sleep 0.1")
    assert_operator stat["real"], :<, 5
    assert_operator stat["allocations"], :>=, 400_000
    assert_operator stat["gc"].values_at("minor", "major").sum, :>, 0
  end

  # Into a file of any name: the command writes where it always did.
  def test_into_a_file
    Dir.mktmpdir do |dir|
      result = viewer("--stat", "-o", "#{dir}/summary", "--", RbConfig.ruby, "-e", "puts :out; exit 3")
      assert_equal [3, "out\n"], [result.status.exitstatus, result.out]
      refute_match(/stat:/, result.err)
      assert_match(/^ rperf-top stat: .*ruby -e puts :out/, File.read("#{dir}/summary"))
      result = viewer("--stat", "-J", "-o", "#{dir}/summary", "--", RbConfig.ruby, "-e", "puts :out")
      assert_equal "out\n", result.out
      assert_equal 0, JSON.parse(File.read("#{dir}/summary"))["status"]
      result = viewer("--stat", "-o", "-", "--", "sh", "-c", "echo out")
      assert_match(/\A\s+rperf-top stat: sh -c/, result.out)
      refute_match(/^out$/, result.out)
      result = viewer("--stat", "-o", "#{dir}/no/such", "--", RbConfig.ruby, "-e", "puts :out")
      assert_equal [1, ""], [result.status.exitstatus, result.out], "the command is not started in vain"
      assert_match(%r{cannot write .*/no/such: No such file}, result.err)
    end
  end

  def test_a_command_that_is_no_ruby
    stat, status = json("--", "sh", "-c", "exit 3")
    assert_equal [3, 3], [status, stat["status"]]
    refute stat.key?("running")
    assert stat.key?("user")
  end

  def test_a_process_that_runs
    running("#{PROGRAMS}/fib.rb") do |pid|
      stat, status = json("-t", "1", "-p", pid.to_s)
      assert_equal 0, status
      assert_equal pid, stat["pid"]
      assert_in_delta stat["real"], stat["running"], 0.4
      assert_operator stat["user"], :<, stat["real"] + 0.5
      refute stat.key?("status")
    end
  end

  def test_time_is_up
    stat, status = json("-t", "0.5", "--", RbConfig.ruby, QUICK, "#{PROGRAMS}/fib.rb")
    assert_equal 0, status
    refute stat.key?("status")
    assert_operator stat["running"], :>, 0.2
  end
end
