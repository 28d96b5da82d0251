# RperfTop.snapshot: a copy of the channel that is whole, while the program runs on.
require_relative "support"

class SnapshotTest < Minitest::Test
  include Support

  BUSY = "def busy = 300.times { |i| i.to_s }\nthreads = 4.times.map { Thread.new { loop { busy } } }\n"

  def test_a_copy_of_what_the_channel_holds
    program = run_program(<<~RUBY)
      #{BUSY}
      RperfTop.mark("before")
      4.times { window_over }
      p RperfTop.snapshot("#{@folder}/copy.seg")
      RperfTop.mark("after")
      2.times { window_over }
      p RperfTop.snapshot("#{@folder}/second.seg").frozen?
    RUBY
    assert_equal "#{@folder}/copy.seg".inspect + "\ntrue\n", program.out
    first, second = Dump.read("#{@folder}/copy.seg"), Dump.read("#{@folder}/second.seg")
    [first, second].each do |dump|
      assert_equal "ended", dump.state
      assert_equal [0, 0], [dump["lost"], dump["corrupt"]]
      assert_equal (1..dump.windows.size).to_a, dump.windows.map { |window| window["sequence"] }
      assert_includes dump.labels, "Object#busy"
    end
    assert_operator first.windows.size, :>=, 3
    assert_operator second.windows.size, :>, first.windows.size
    assert_equal first.told, second.told.first(first.windows.size)
    assert_equal ["before"], first.windows.flat_map { |window| window["marks"].map(&:last) }
    assert_equal 0o600, File.stat("#{@folder}/copy.seg").mode & 0o777
    assert_equal %w[copy.seg program0.err program0.out program0.rb second.seg], Dir.children(@folder).sort
  end

  # Copies that are made while a small ring is written as fast as it can be: every window that the copy
  # claims to hold is whole.
  def test_while_the_ring_is_overrun
    program = run_program(<<~RUBY, env: { "RPERF_TOP_SIZE" => "1", "RPERF_TOP_RECORD_HZ" => "5000", "RPERF_TOP_BUDGET" => "100" })
      200.times { |i| eval "def m\#{i}(n) = n.zero? ? 30.times { |j| j.to_s } : m\#{(i * 7 + 1) % 200}(n - 1)" }
      threads = 30.times.map { |i| Thread.new { random = Random.new(i); loop { send("m\#{random.rand(200)}", random.rand(30)); sleep 0.001 } } }
      8.times { |i| 4.times { window_over }; RperfTop.snapshot("#{@folder}/copy\#{i}") }
    RUBY
    assert program.status.success?
    8.times do |i|
      dump = Dump.read("#{@folder}/copy#{i}")
      assert_equal 0, dump["corrupt"], "copy #{i}"
      assert_operator dump.windows.size, :>, 1
      assert_equal dump["newest"], dump.windows.last["sequence"]
    end
  end

  # The GVL is free while the file is written, and the channel stays alive: its lock is not given up.
  def test_others_run_on
    program = start(<<~RUBY)
      $stdout.sync = true
      counter = 0
      Thread.new { loop { counter += 1; sleep 0.001 } }
      20.times { |i| RperfTop.snapshot("#{@folder}/s\#{i}") }
      puts counter.positive?
      gets
    RUBY
    assert_equal "true", program.line
    program.dump_until("a live channel") { |dump| dump.state == "live" }
    program.finish
  end

  def test_from_many_threads_and_a_parked_process
    program = run_program(<<~RUBY, env: { "RPERF_TOP_RECORD_HZ" => "0" })
      sleep 0.01 until Dir["#{@folder}/rperf-top.*.ctl"].any?
      8.times.map { |i| Thread.new { RperfTop.snapshot("#{@folder}/parked\#{i}") } }.each(&:join)
    RUBY
    assert program.status.success?
    8.times { |i| assert_empty Dump.read("#{@folder}/parked#{i}").windows }
  end

  def test_errors
    File.write("#{@folder}/there", "mine")
    program = run_program(<<~RUBY)
      sleep 0.01 until Dir["#{@folder}/rperf-top.*.ctl"].any?
      ["#{@folder}/there", "#{@folder}/no/folder", "#{@folder}", "", "a\\0b", 7, "x" * 5000].each do |path|
        RperfTop.snapshot(path)
        puts "saved \#{path}"
      rescue SystemCallError, ArgumentError, TypeError => error
        puts error.class
      end
      RperfTop.stop
      begin
        RperfTop.snapshot("#{@folder}/stopped")
      rescue RuntimeError => error
        puts error.message
      end
    RUBY
    assert_equal %w[Errno::EEXIST Errno::ENOENT Errno::EEXIST Errno::ENOENT ArgumentError TypeError Errno::ENAMETOOLONG],
                 program.out.lines.first(7).map(&:chomp)
    assert_equal "rperf_top: nothing is recorded\n", program.out.lines[7]
    assert_equal "mine", File.read("#{@folder}/there")
    assert_empty Dir.children(@folder).grep(/stopped|tmp/)
  end
end
