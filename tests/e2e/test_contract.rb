# What the JSON says of programs whose behaviour is known, and that it has the shape that was promised.
require_relative "support"

class TestContract < Minitest::Test
  include E2E

  def test_one_thread_computing
    result = watch(3, "#{PROGRAMS}/fib.rb")
    assert_predicate result.status, :success?
    objects = result.objects
    assert_equal 3, objects.size
    objects.each do |object|
      assert_in_delta 1.0, method_named(object, "Object#fib")["self"], 0.12
      assert_in_delta 1.0, object["gvl"]["running"], 0.12
    end
    last = objects.last
    assert_operator last["sampler"]["samples"], :>, 50 * method_named(last, "Object#fib")["cpu"]
  end

  def test_four_threads_computing
    object = watch(2, "#{PROGRAMS}/threads.rb").objects.last
    held = object["gvl"]["running"] + object["threads"].sum { |thread| thread["gc"] }
    # From one to the next it goes as fast as the kernel gives them a core.
    assert_in_delta 4.0, held + object["gvl"]["waiting"], 0.15
    assert_operator held, :<=, 1.05
    assert_operator held, :>=, object["threads"].sum { |thread| thread["cpu"] } - 0.05
    blame = object["methods"].map { |row| row["blame"] }.max
    assert_operator blame, :>, 2.0 * held, "somebody held the GVL while the others waited"
  end

  def test_a_sleeper_is_seen_while_it_sleeps
    Dir.mktmpdir do |dir|
      program = "#{dir}/nap.rb"
      File.write(program, "def doze = sleep(3600)\ndoze\n")
      running(program) do |pid|
        object = viewer("-b", "-J", "-n", "2", "-p", pid.to_s).objects.last
        assert_in_delta 1.0, method_named(object, "Object#doze")["blocked"], 0.1
        assert_in_delta 1.0, method_named(object, "Kernel#sleep")["self"], 0.1
        main = object["threads"].first
        assert_equal "blocked", main["state"]
        assert_equal "Kernel#sleep (C)", main["stack"].first
      end
    end
  end

  KEYS = {
    [] => %w[schema time pid command ruby state frame mode windows gaps sampler losses verdict gvl gc allocations exceptions lock_waits blocked_on waits
             threads methods],
    ["sampler"] => %w[hz samples dropped cost governed releases storm],
    ["losses"] => %w[nodes frames strings threads labels marks samples windows],
    ["gvl"] => %w[running waiting blocked held holder waiters wait],
    ["verdict"] => %w[kind text method caller last_seen share spread thread owner behind since lasts threads_at_work threads_resting gc objects deadlock advice],
    ["gc"] => %w[marking sweeping minor major],
    ["blocked_on"] => %w[unknown mutex monitor queue sized_queue condition io sleep thread child other],
    ["threads", 0] => %w[id name native_id state running waiting blocked gc cpu held blame stack stack_current
                         stack_age lock],
    ["methods", 0] => %w[name path line self total ratio threads running waiting blocked gc cpu blame
                         allocations samples],
  }.freeze

  def test_shape
    object = watch(1, "#{PROGRAMS}/mixed.rb").objects.first
    KEYS.each do |path, keys|
      part = path.empty? ? object : object.dig(*path)
      assert_equal keys.sort, part.keys.sort, "keys of #{path.inspect}"
    end
    assert_equal "rperf-top/1", object["schema"]
    assert_equal RUBY_VERSION, object["ruby"]
    assert_in_delta Time.now.to_f, object["time"], 60
  end

  # Every nanosecond of a thread has one owner: states of threads and of methods add up. Each state is right
  # to within one sampling period, which is the recorder's in the first frame, and 2 ms when governed.
  def test_times_add_up
    watch(3, "#{PROGRAMS}/mixed.rb").objects.each_with_index do |object, index|
      object["threads"].each do |thread|
        whole = thread.values_at("running", "waiting", "blocked", "gc").sum
        assert_operator whole, :<=, object["frame"] + (index.zero? ? 0.05 : 0.015), thread["name"]
      end
      total = object["gvl"].values_at("running", "waiting", "blocked").sum + object["gc"].values_at("marking", "sweeping").sum
      assert_in_delta total, object["methods"].sum { |row| row["self"] }, 0.001 + total * 0.001
      blocked = object["gvl"]["blocked"]
      assert_in_delta blocked, object["blocked_on"].values.sum, 1e-6
      assert_in_delta blocked, object["waits"].sum { |row| row["wait"] }, 1e-6
    end
  end

  def test_garbage_collection_is_seen
    object = watch(2, "#{PROGRAMS}/gc.rb").objects.last
    assert_operator object["gc"]["minor"], :>, 0
    assert_operator object["gc"]["marking"] + object["gc"]["sweeping"], :>, 0.01
    assert_operator object["allocations"], :>, 1000
  end

  # More sets of labels than any table has rows for.
  def test_what_finds_no_room_is_counted
    running("#{PROGRAMS}/many_labels.rb") do |pid|
      object = E2E.wait_until("the table to be full") do
        read = viewer("-b", "-J", "-n", "1", "-F", "0.3", "-p", pid.to_s).objects.last
        read if read["losses"]["labels"].positive?
      end
      assert_equal 0, object["losses"]["threads"]
      assert_match(/^No room since the start for: \d+ labels$/, viewer("-b", "-n", "1", "-F", "0.3", "-p", pid.to_s).out)
      [80, 140].each do |columns|
        screen = viewer("-p", pid.to_s, "--dump-screen", "#{columns}x30").out
        assert_match(/no room: \S+ labels/, screen, "#{columns} columns")
      end
    end
  end

  def test_cpu_mode_counts_cpu
    object = watch(1, "#{PROGRAMS}/sleeper.rb", options: %w[-m cpu]).objects.first
    assert_operator object["methods"].sum { |row| row["self"] }, :<, 0.2
  end
end
