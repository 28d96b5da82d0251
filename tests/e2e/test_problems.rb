# More problems than those of test_first_look.rb, on real servers: puma, a cluster of it, sidekiq. The culprit's name, the
# application's own, is at the top of the screen without a key while it happens, and after one key when it is over.
# RTOP_PROBLEMS=full: also those that take much CPU, or a neighbour that does.
# Waits nearly all of the time
require_relative "watched"
require_relative "../bench/server/redis"

class TestProblems < Minitest::Test
  include E2E
  include Watched
  parallelize_me!

  FULL = ENV["RTOP_PROBLEMS"] == "full"
  LEAST = 3 # seconds that it lasts: a verdict is about one

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  def with_site(*workers, &) = watched("problems.rb", *workers, shows: "Problems.page", &)

  # The last thing that was wrong is where the key goes.
  def assert_key_goes_to(screens, culprit)
    screens.each { |screen| screen.keys("(") }
    assert_seen(screens, /\[FROZEN.*#{culprit}/m, 1)
  end

  # The verdict is another one; a stall at its right may tell of it still.
  def out_of_sight(screens, culprit)
    screens.each do |screen|
      wait_until("#{culprit} to be gone at #{screen.size}", every: Tmux::EVERY) { !screen.text.lines[1].to_s[/\A[^\[]*/].match?(culprit) }
    end
  end

  # `at_once`: what the screen says while it goes on.
  def assert_named(culprit, *paths, at_once: culprit)
    with_site do |site|
      began = now
      site.asking(*paths) do
        assert_seen(site.screens, at_once, 0)
        sleep 0.1 while now - began < LEAST
      end
      out_of_sight(site.screens, culprit)
      assert_key_goes_to(site.screens, culprit)
    end
  end

  # Of what goes on for ever the key goes to the beginning.
  def assert_named_for_ever(culprit, *paths)
    with_site do |site|
      site.start_asking(*paths)
      assert_seen(site.screens, culprit, 0)
      wait_until("a stall") { site.screens.all? { |screen| screen.text.match?(/ STUCK|\[\(\]/) || at_stall?(screen) } }
      site.screens.each { |screen| screen.keys("z") if screen.text.include?("[FROZEN") }
      assert_key_goes_to(site.screens, culprit)
    end
  end

  def at_stall?(screen) = screen.keys("(") && screen.shows_soon?(/\[FROZEN/, rows: 1, seconds: 2)

  # The pool is named as such, and who has its connection.
  def test_a_pool_without_a_free_connection
    assert_named(/Dashboard#/, *["/dashboard"] * 4, at_once: /wait for a connection .*Dashboard#show; .*Dashboard#render/)
  end

  def test_a_deadlock = assert_named_for_ever(/Transfer#(?:there|back)/, "/there", "/back")
  def test_a_condition_that_nobody_signals = assert_named_for_ever(/Inbox#await/, "/inbox", "/inbox")
  def test_a_slow_call_off_the_gvl = assert_named(/Resolver#lookup/, *["/lookup?2"] * 2)
  def test_a_queue_that_is_full = assert_named(/Newsletter#enqueue/, *["/enqueue"] * 4)
  def test_a_worker_that_all_wait_for = assert_named(/Signup#create/, *["/signup"] * 4)
  def test_a_file_that_all_load = assert_named(/Plugin#start/, *["/plugin"] * 3)

  if FULL
    def test_calls_in_c_that_hold_the_gvl = assert_named(/Digits#count/, *["/digits"] * 3)
    def test_collections_that_are_asked_for = assert_named(/Cleanup#tidy/, *["/cleanup"] * 2)
    def test_many_exceptions = assert_named(/Import#/, *["/import"] * 2)

    # What is computed again and again, and who asks for it each time.
    def test_what_is_computed_again_and_again = assert_named(/Tax#table/, *["/cart"] * 2)

    # Its threads are there for good: no key is needed afterwards.
    def test_threads_that_never_end
      with_site do |site|
        site.asking("/visit") { assert_seen(site.screens, /Tracker#/, 0) }
        assert_seen(site.screens, /^idle: .* \d+ in .*Tracker#poll/, 0)
      end
    end

    # Its neighbours have the cores, so that whatever it does takes long.
    def test_neighbours_that_take_the_cores
      with_site do |site|
        Process.setpriority(Process::PRIO_PGRP, site.pid, 19)
        neighbours = Array.new(2 * Etc.nprocessors) { spawn(RbConfig.ruby, QUICK, "-e", "loop {}") }
        site.asking("/search?2") { assert_seen(site.screens, /^(?:\d+: )?no CPU \d+% of the time: other processes; .*Search#/, 0) }
      ensure
        neighbours&.each { |pid| Process.kill(:KILL, pid) && Process.wait(pid) }
      end
    end

    # The verdict is about the worker that is wrong, of two, and says which.
    def test_one_bad_worker_of_many
      with_site("2") do |site|
        site.asking(*["/search?2"] * 4) { assert_seen(site.screens, /^\d+: .*Search#/, 0) }
        out_of_sight(site.screens, /Search#/)
        assert_key_goes_to(site.screens, /Search#/)
      end
    end
  end

  # Forty screens of a live server, whatever it does: what stands at the top says something, and each thing once.
  if FULL
    def test_screens_of_a_live_server
      with_site do |site|
        [[], %w[/lookup?1 /search?1 /cart], ["/dashboard"] * 3, %w[/import /signup /signup]].each do |paths|
          site.asking(*paths) do
            5.times { site.screens.each { |screen| assert_first_table(screen) } }
          end
        end
      end
    end
  end

  # In its first rows none is of zeros alone, the first row is the first, and the details say what the row of the cursor says.
  def assert_first_table(screen)
    text = screen.settled
    heading, *rows = text.lines(chomp: true).drop_while { |line| !line.match?(/SELF%.*METHOD/) }
    assert heading, "no table at #{screen.size} in\n#{text}"
    assert_equal 1, (heading[/(\d+)-\d+ of \d+/, 1] || 1).to_i, "below its top at #{screen.size} in\n#{text}"
    zeros = rows.first(15).grep(/\A[> ](?: +0\.0){3} /)
    assert_empty zeros, "at #{screen.size} in\n#{text}"
    row, pane = rows.grep(/\A>/).first, text[/(?:self|waits) +(\S+)%  total/, 1]
    assert_equal row[1..].split.first, pane, "two figures at #{screen.size} in\n#{text}" if row && pane
  end

  def test_a_job_that_sleeps
    with_sidekiq do |screens|
      assert_seen(screens, /Legacy#wait_for_it/, 0)
      wait_until("a stall") { screens.all? { |screen| screen.text.match?(/ STUCK|\[\(\]/) } }
      assert_key_goes_to(screens, /Legacy#wait_for_it/)
    end
  end

  private

  def frameworks
    home = "#{`#{ROOT}/.setup/gems -p #{RbConfig.ruby}`.lines.first.to_s.chomp}/frameworks"
    Dir["#{home}/gems/sidekiq-[0-9]*"].any? ? home : skip("the gem sidekiq is not here")
  end

  def start_redis(folder)
    skip "redis is not here" unless RedisServer::PROGRAM
    pid = RedisServer.spawn(folder)
    wait_until("redis: #{File.read("#{folder}/redis.out")}") { File.socket?("#{folder}/redis") }
    pid
  end

  # Sidekiq with a job that takes for ever.
  def with_sidekiq
    skip "tmux is not installed" unless Tmux.there?
    home, folder, pids, screens = frameworks, Dir.mktmpdir("rperf-top-problems."), [], []
    env = { "GEM_PATH" => home, "GEM_HOME" => home, "RUBYLIB" => BUILD, "RUBYOPT" => nil, "RPERF_TOP_DIR" => folder,
            "REDIS_URL" => "unix://#{folder}/redis" }
    pids << start_redis(folder)
    jobs = ["-r", "#{PROGRAMS}/problems.rb"]
    assert system(env.merge("RPERF_TOP" => "0"), RbConfig.ruby, *jobs, "-e", "ProblemJob.perform_async('legacy', 600)", err: "#{folder}/err"), File.read("#{folder}/err")
    pids << spawn(env, RbConfig.ruby, "-rrperf_top", "#{home}/bin/sidekiq", *jobs, "-c", "2", pgroup: true,
                  out: "#{folder}/out", err: %i[child out])
    wait_until("its channel: #{File.read("#{folder}/out")}") { Dir["#{folder}/rperf-top.*.#{pids.last}.*"].any? }
    yield screens.concat(Watched.screens(pids.last, env))
  ensure
    screens&.each(&:close)
    pids&.each { |pid| Process.kill(:KILL, -pid) && Process.wait(pid) }
    FileUtils.rm_rf(folder) if folder
  end
end
