# RperfTop.start, stop, running?, and the environment.
require_relative "support"

class ApiTest < Minitest::Test
  include Support

  def answers(code, env: {})
    run_program("$stdout.sync = true\n#{code}", env: env).out.lines.map(&:chomp)
  end

  def channel_rate(env: {}, start: nil)
    program = start("#{start}\n$stdout.sync = true; puts :ready; t = Thread.new { loop { 100.times { |i| i.to_s } } }; gets; exit!(0)", env: env)
    program.line
    dump = program.dump_until("a window") { |d| d.windows.size >= 2 }
    program.finish
    dump.windows.last["counters"]["rate_wanted_hz"]
  end

  def test_on_by_default
    assert_equal %w[true], answers("p RperfTop.running?")
    assert_equal 100, channel_rate
  end

  def test_version
    assert_equal ["true", "true"], answers("p RperfTop::VERSION.match?(/\\A\\d+\\.\\d+\\.\\d+/), RperfTop::VERSION.frozen?")
  end

  def test_off
    %w[0 off].each do |value|
      assert_equal %w[false 0 1 []], answers("sleep 0.05; p RperfTop.running?; puts 0; p Thread.list.size; p Dir[ENV['RPERF_TOP_DIR'] + '/rperf-top.*']", env: { "RPERF_TOP" => value })
    end
    assert_equal %w[true], answers("RperfTop.start; p RperfTop.running?", env: { "RPERF_TOP" => "0" })
  end

  def test_start_and_stop_any_number_of_times
    assert_equal %w[true true nil nil false true false],
                 answers("p RperfTop.start, RperfTop.start, RperfTop.stop, RperfTop.stop, RperfTop.running?; RperfTop.start; p RperfTop.running?; RperfTop.stop; p RperfTop.running?")
    assert_equal %w[ok 0], answers(<<~'RUBY')
      threads = 3.times.map { Thread.new { 400.times { sleep 0.0005; 50.times { |i| i.to_s } } } }
      20.times { RperfTop.stop; raise "runs" if RperfTop.running?; 100.times { Object.new }; RperfTop.start; raise "off" unless RperfTop.running?; sleep 0.01 }
      threads.each(&:join)
      RperfTop.stop
      puts "ok", Dir[ENV["RPERF_TOP_DIR"] + "/rperf-top.*"].size
    RUBY
  end

  def test_threads_from_before_and_between_are_seen
    program = start(<<~'RUBY', env: { "RPERF_TOP" => "0" })
      $stdout.sync = true
      def before = loop { sleep 0.001 }
      def runs(thread) = (sleep 0.001 until thread.stop?)
      runs(Thread.new { Thread.current.name = "before"; before })
      RperfTop.start
      RperfTop.stop
      runs(Thread.new { Thread.current.name = "between"; loop { sleep 0.001 } })
      RperfTop.start
      Thread.new { Thread.current.name = "after"; loop { sleep 0.001 } }
      puts :ready
      gets
    RUBY
    program.line
    dump = program.dump_until("all threads", "--until-windows", "2") { |d| (%w[before between after main] - d.threads.values.map(&:name)).empty? }
    assert_equal 4, dump.windows.last["threads"].size
    assert_includes dump.stack(dump.rows(dump.thread("before").serial).last[1]["node"]), "Object#before"
    program.finish
  end

  def test_keywords
    assert_equal 250, channel_rate(env: { "RPERF_TOP" => "0" }, start: "RperfTop.start(record_hz: 250)")
    assert_equal 10_000, channel_rate(env: { "RPERF_TOP" => "0" }, start: "RperfTop.start(record_hz: 1e9, budget: 100)")
    assert_equal %w[ArgumentError TypeError ArgumentError false true],
                 answers(<<~'RUBY', env: { "RPERF_TOP" => "0" })
                   [-> { RperfTop.start(speed: 1) }, -> { RperfTop.start(hz: "fast") }, -> { RperfTop.start(1) }].each do |call|
                     begin; call.call; puts "nothing"; rescue ArgumentError, TypeError => e; puts e.class; end
                   end
                   p RperfTop.running?
                   RperfTop.start(record_hz: -5, hz: Float::NAN, budget: Float::INFINITY)
                   p RperfTop.running?
                 RUBY
  end

  def test_environment_is_bounded
    { "250" => 250, "1e3" => 1000, "10001" => 100, "-1" => 100, "fast" => 100, "" => 100, "nan" => 100, "12x" => 100 }.each do |value, rate|
      assert_equal rate, channel_rate(env: { "RPERF_TOP_RECORD_HZ" => value, "RPERF_TOP_BUDGET" => "100" }), value
    end
  end

  def test_watching_rate
    program = start("$stdout.sync = true; puts :ready; Thread.new { loop { 100.times { |i| i.to_s } } }; gets; exit!(0)", env: { "RPERF_TOP_HZ" => "500", "RPERF_TOP_BUDGET" => "100" })
    program.line
    own = program.dump_until("windows at its own rate", "--watch", "0", "--until-windows", "3") { |d| d.windows.last["counters"]["rate_wanted_hz"] == 500 }
    assert_equal 500, own.windows.last["counters"]["rate_hz"]
    program.dump_until("windows at the asked rate", "--watch", "2000", "--until-windows", "3") { |d| d.windows.last["counters"]["rate_wanted_hz"] == 2000 }
    program.dump_until("the recorder's rate again") { |d| d.windows.last["counters"]["rate_wanted_hz"] == 100 }
    program.finish
  end

  # Megabytes of history; the tables take half as much again, slots for threads a tenth. Out of bounds: the 8 of the default.
  def test_size
    { "2" => 2, "1" => 1, "65" => 8 }.each do |size, megabytes|
      geometry = geometry_of_size(size)
      assert_equal megabytes * 103 << 14, geometry["segment_bytes"], size
      assert_equal megabytes << 19, geometry["sections"]["6"], size
    end
  end

  def geometry_of_size(size)
    run_program("window_over", env: { "RPERF_TOP_SIZE" => size, "RPERF_TOP_KEEP" => "1" }).then do |program|
      Dump.read(program.channel)["geometry"]
    end
  end

  def test_identity
    dump, program = history("window_over", arguments: ["an argument"])
    geometry = dump["geometry"]
    assert_equal [program.pid, Process.uid, RUBY_VERSION, 100_000_000],
                 geometry.values_at("pid", "uid", "ruby", "window_ns")
    assert_match(/program0\.rb an argument\z/, geometry["command"])
  end

  def test_loaded_by_rubyopt_and_by_the_program
    env = { "RUBYOPT" => "-I#{BUILD} -rrperf_top" }
    assert_equal "true\n", run_program("puts RperfTop.running?", env: env, with: false).out
    assert_equal "true\nfalse\n", run_program("puts require('rperf_top'), require('rperf_top')", options: ["-I", BUILD], with: false).out
  end
end
