# Who waits for which lock and who has it, as the viewer tells it: text, JSON, screen, and from a recording.
# Waits nearly all of the time
require_relative "support"

class TestLocks < Minitest::Test
  include E2E

  # Three want what one has, which sleeps in it.
  HELD = <<~'RUBY'
    class Billing
      Lock = Mutex.new
      def charge = Lock.synchronize { wait_for_bank }
      def wait_for_bank = sleep
    end
    first = Thread.new { Thread.current.name = "worker-1"; Billing.new.charge }
    Thread.pass until Billing::Lock.locked?
    3.times { |i| Thread.new { Thread.current.name = "worker-#{i + 2}"; Billing.new.charge } }
    loop { sleep 0.002 }
  RUBY

  # Two that wait for each other.
  DEADLOCK = <<~'RUBY'
    A, B = Mutex.new, Mutex.new
    class Account
      def give(first, second) = first.synchronize { Thread.pass until second.locked?; take(second) }
      def take(lock) = lock.synchronize { }
    end
    Thread.new { Thread.current.name = "payer"; Account.new.give(A, B) }
    Thread.new { Thread.current.name = "payee"; Account.new.give(B, A) }
    loop { sleep 0.002 }
  RUBY

  def report(pid, *options) = viewer("-b", "-n", "1", "-p", pid.to_s, *options)

  def thread_named(object, name) = object["threads"].find { |thread| thread["name"] == name }

  def test_a_lock_and_who_has_it
    running("-e", HELD) do |pid|
      object = wait_until("three that wait, for a second") do
        one = report(pid, "-J").objects.first
        one if one["threads"].count { |thread| thread.dig("lock", "holder", "name") == "worker-1" && thread["lock"]["wait"] > 1.2 } == 3 &&
          one["verdict"]["kind"] == "lock"
      end
      waiter, holder = thread_named(object, "worker-3"), thread_named(object, "worker-1")
      assert_equal %w[mutex false], waiter["lock"].values_at("kind", "deadlock").map(&:to_s)
      assert_equal [holder["id"]], waiter["lock"]["chain"].map { |one| one["id"] }
      assert_nil holder["lock"]
      assert_equal [1], object["threads"].filter_map { |thread| thread.dig("lock", "number") }.uniq
      assert_match(/\Alock: 3 threads wait in Thread::Mutex#synchronize < Billing#charge for Mutex #1; worker-1 has it, in Kernel#sleep < Billing#wait_for_bank/,
                   object["verdict"]["text"])
      assert_equal ["worker-1", []], [object["verdict"]["owner"]["name"], object["verdict"]["deadlock"]]
      text = viewer("-b", "-n", "1", "-p", pid.to_s).out
      assert_match(/^Lock worker-\d \+2 waits \S+ ?\w* for Mutex #1 in Billing#charge\n  worker-1 has it, and is in Kernel#sleep < Billing#wait_for_bank$/, text)
      screen = viewer("-p", pid.to_s, "--dump-screen", "120x50", "--view", "threads").out
      3.times { |i| assert_match(/^[ >]\d+ +worker-#{i + 2} .* Mutex #1 of worker-1/, screen) }
    end
  end

  def test_a_deadlock_says_so_with_all_stacks
    running("-e", DEADLOCK) do |pid|
      object = wait_until("a deadlock") do
        one = report(pid, "-J").objects.first
        one if one["verdict"]["deadlock"].size == 2
      end
      assert_equal %w[payee payer], object["verdict"]["deadlock"].map { |one| one["name"] }.sort
      assert_match(/\Adeadlock: pay\w+ waits for pay\w+ in Thread::Mutex#synchronize < Account#take; pay/, object["verdict"]["text"])
      assert_equal [true, true], %w[payer payee].map { |name| thread_named(object, name)["lock"]["deadlock"] }
      recording = "#{Dir.mktmpdir}/deadlock.rpt"
      assert_predicate viewer("-o", recording, "-t", "1", "-p", pid.to_s).status, :success?
      [["-p", pid.to_s], ["-r", recording]].each do |source|
        text = viewer("-b", "-n", "1", *source).out
        assert_match(/^DEADLOCK: /, text)
        %w[payer payee].each { |name| assert_match(/^  #{name} \(\d+\) waits .* for Mutex #\d, which pay\w+ has$/, text) }
        assert_equal 2, text.scan(/^    Account#take  /).size, text
        refute_match(/^Lock/, text) # that is told already
      end
    ensure
      FileUtils.rm_rf(File.dirname(recording)) if recording
    end
  end

  # The program knows by its own clocks what was waited for behind each method. What it waited besides was for the GVL, or a
  # core, when it had the lock; the shares differ by the luck of the moments: four seconds have some thirty of them.
  # One loads a file, two more want it meanwhile; two load files that want each other.
  LOADS = <<~'RUBY'
    class Pages
      def show = require("heavy")
    end
    File.write("heavy.rb", "module Heavy\n  $inside << 1\n  sleep\nend\n")
    File.write("ra.rb", "$inside << 1; $both.pop; require 'rb'")
    File.write("rb.rb", "$inside << 1; $both.pop; require 'ra'")
    $LOAD_PATH << Dir.pwd
    $inside, $both = Queue.new, Queue.new
    def named(name, &block) = Thread.new { Thread.current.name = name; block.call }
    named("loader") { Pages.new.show }
    $inside.pop
    2.times { |i| named("web #{i}") { Pages.new.show } }
    if ARGV == ["deadlock"]
      %w[ra rb].each { |file| named(file) { require file } }
      2.times { $inside.pop }
      2.times { $both << 1 }
    end
    loop { sleep 0.002 }
  RUBY

  def loads(*arguments)
    Dir.mktmpdir { |folder| running("-C", folder, "-e", LOADS, *arguments) { |pid| yield pid } }
  end

  def test_a_file_and_who_loads_it
    loads do |pid|
      wait_until("two that wait for the file") do
        report(pid, "-J").objects.first["threads"].count { |thread| thread.dig("lock", "kind") == "load" && thread.dig("lock", "holder", "name") == "loader" } == 2
      end
      wait_until("who loads it") { viewer("-b", "-n", "1", "-p", pid.to_s).out[/^Lock web \d \+1 waits \S+ ?\w* for file #1 in Pages#show\n  loader loads it, and is in Kernel#sleep < <module:Heavy>$/] }
      wait_until("the verdict") { report(pid, "-J").objects.first["verdict"]["text"][/Pages#show.*; loader loads heavy\.rb, in (Kernel#sleep < )?<module:Heavy>/] }
    end
  end

  def test_files_that_wait_for_each_other
    loads("deadlock") do |pid|
      text = wait_until("a deadlock") { (out = viewer("-b", "-n", "1", "-p", pid.to_s).out) && out[/^DEADLOCK:.*/m] }
      assert_match(/^  ra \(\d+\) waits \S+ ?\w* for file #\d, which rb loads$/, text)
      assert_match(/^  rb \(\d+\) waits \S+ ?\w* for file #\d, which ra loads$/, text)
    end
  end

  # One has the lock and waits until another one ends, which wants it. Without a limit, none can go on; with one, it will.
  JOINS = <<~'RUBY'
    class Pool
      Lock = Mutex.new
      def stop(*limit) = Lock.synchronize { @worker.join(*limit) }
      def start = @worker = Thread.new { Thread.current.name = "worker"; Thread.pass until Lock.locked?; Lock.synchronize { } }
    end
    pool = Pool.new
    pool.start
    Thread.new { Thread.current.name = "stopper"; pool.stop(*ARGV.map(&:to_f)) }
    loop { sleep 0.002 }
  RUBY

  def test_a_lock_and_the_end_of_a_thread
    running("-e", JOINS) do |pid|
      text = wait_until("a deadlock") { (out = viewer("-b", "-n", "1", "-p", pid.to_s).out) && out[/^DEADLOCK:.*/m] }
      assert_match(/^  stopper \(\d+\) waits \S+ ?\w* for worker to end$/, text)
      assert_match(/^  worker \(\d+\) waits \S+ ?\w* for Mutex #1, which stopper has$/, text)
      object = report(pid, "-J").objects.first
      assert_equal ["thread", nil, "worker", true], [thread_named(object, "stopper")["lock"]].flat_map { |one| [one["kind"], one["number"], one["holder"]["name"], one["deadlock"]] }
      assert_equal %w[stopper worker], object["verdict"]["deadlock"].map { |one| one["name"] }.sort
    end
    running("-e", JOINS, "1000000") do |pid|
      wait_until("who has the lock") { thread_named(report(pid, "-J").objects.first, "worker")&.dig("lock", "holder", "name") == "stopper" }
      object = report(pid, "-J").objects.first
      assert_empty object["verdict"]["deadlock"]
      assert_nil thread_named(object, "stopper")["lock"]
    end
  end

  # Timeout will end it: who waits for whom is told, and no deadlock.
  def test_a_circle_within_a_timeout
    running("-rtimeout", "-e", JOINS.sub("@worker.join(*limit)", "Timeout.timeout(100_000) { @worker.join }")) do |pid|
      wait_until("who has the lock") { thread_named(report(pid, "-J").objects.first, "worker")&.dig("lock", "holder", "name") == "stopper" }
      object = wait_until("whom the other one waits for") { (one = report(pid, "-J").objects.first) && thread_named(one, "stopper")["lock"] && one }
      locks = %w[stopper worker].map { |name| thread_named(object, name)["lock"] }
      assert_equal [["worker", false], ["stopper", false]], (locks.map { |lock| [lock["holder"]["name"], lock["deadlock"]] })
      assert_empty object["verdict"]["deadlock"]
      refute_match(/deadlock/i, viewer("-b", "-n", "1", "-p", pid.to_s).out)
    end
  end

  def test_whom_to_blame
    Dir.mktmpdir do |folder|
      result = viewer("--stat", "-J", "--", RbConfig.ruby, *QUICK, "#{PROGRAMS}/bank.rb", "4", "#{folder}/truth")
      stat, truth = JSON.parse(result.out), JSON.parse(File.read("#{folder}/truth"))
      row = stat["waits"].find { |one| one["name"] == "Bank#enter" }
      assert_equal %w[mutex 3], [row["kind"], row["threads"].to_s]
      behind = truth["behind"].values.sum
      assert_includes behind * 0.8..truth["wait"] * 1.05, row["wait"]
      assert_in_delta row["wait"], row["behind"].sum { |one| one["wait"] }, 0.001
      hold = row["behind"].find { |one| one["name"] == "Bank#hold" }
      assert_equal ["Bank#report", "worker"], [hold["took"], hold["thread"]["name"]]
      told = row["behind"].sum { |one| truth["behind"].key?(one["name"]) ? one["wait"] : 0 }
      assert_in_delta truth["behind"]["Bank#hold"] / behind, hold["wait"] / told, 0.35
      refute_includes row["behind"].map { |one| one["name"] }, "Bank#rest"
      assert_operator stat["blocked_on"]["sleep"], :>, 1
      assert_operator stat["blocked_on"]["mutex"], :>=, row["wait"] - 0.001 # the worker waits for it, too
    end
  end
end
