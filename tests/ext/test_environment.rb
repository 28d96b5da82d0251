# Nothing that is wrong around the program may change what it does: one warning at the most.
require_relative "support"

class EnvironmentTest < Minitest::Test
  include Support

  WORK = "$stdout.sync = true\nt = Thread.new { 100.times { |i| i.to_s; sleep 0.001 } }\n200_000.times { |i| i.to_s }\nt.join\nputs :end\n"

  # Output and status as without; no more than one line of warning. Returns that line.
  def goes_on(code = WORK, **options)
    program = start(code, **options).finish
    assert program.status.success?, "#{program.status} #{program.err}"
    assert_equal "end\n", program.out
    assert_operator program.err.lines.size, :<=, 1, program.err
    assert_match(/\Arperf_top: .*; this process is not profiled\n\z/, program.err) unless program.err.empty?
    program.err
  end

  def test_directory_does_not_exist
    assert_match(%r{/does/not/exist}, goes_on(env: { "RPERF_TOP_DIR" => "/does/not/exist" }))
  end

  # Whoever changes it later would race with whoever reads it.
  def test_the_environment_is_read_once
    program = start("$stdout.sync = true\nENV['RPERF_TOP_DIR'] = '/does/not/exist'\nRperfTop.stop\nRperfTop.start\nputs :ready\ngets")
    program.line
    wait_for("a channel or a complaint") { channels(program.pid).any? || !program.err.empty? }
    program.finish
    assert_empty program.err
  end

  def test_directory_is_a_file
    refute_empty goes_on(env: { "RPERF_TOP_DIR" => __FILE__ })
  end

  def test_directory_with_a_very_long_name
    refute_empty goes_on(env: { "RPERF_TOP_DIR" => "/#{"d" * 3000}" })
  end

  def test_directory_not_writable
    refute_empty goes_on(env: { "RPERF_TOP_DIR" => "/proc/self" }) # not even for root
  end

  def mounted(megabytes)
    skip "only root can mount" unless Process.uid.zero?
    place = "#{@folder}/small"
    Dir.mkdir(place)
    unless system("mount", "-t", "tmpfs", "-o", "size=#{megabytes}m", "tmpfs", place, err: File::NULL)
      skip "mounting is not allowed here"
    end
    yield place
  ensure
    system("umount", "-l", place) if place && File.stat(place).dev != File.stat(@folder).dev
  end

  def test_full_file_system
    mounted(1) { |place| refute_empty goes_on(env: { "RPERF_TOP_DIR" => place }) }
  end

  def test_file_system_filled_by_others
    mounted(8) do |place|
      File.write("#{place}/others", "x" * (7 << 20))
      refute_empty goes_on(env: { "RPERF_TOP_DIR" => place })
    end
  end

  def test_small_file_system_gets_a_small_ring
    mounted(24) do |place|
      program = start("#{WORK}gets", env: { "RPERF_TOP_DIR" => place })
      program.line
      dump = wait_for("a channel") { path = Support.channels(place).last and Dump.read(path) }
      assert_operator dump["geometry"]["segment_bytes"], :<, 8 << 20
      File.write("#{place}/rest", "x" * (1 << 20)) # others find room, too
      program.finish
      assert_empty program.err
    end
  end

  # Whoever may write to the files may cut them off at any moment: that is their loss, not the program's.
  def test_files_truncated_all_the_time
    program = start(<<~'RUBY', env: { "RPERF_TOP_RECORD_HZ" => "2000" })
      $stdout.sync = true
      puts :start
      threads = 40.times.map do |i|
        Thread.new do
          until $done
            name = "made#{rand(1000)}"
            eval("def #{name}(x) = x.to_s * 3")
            send(name, i)
            sleep 0.001
          end
        end
      end
      gets
      $done = true
      threads.each(&:join)
      puts :end
    RUBY
    program.line
    segments = []
    wait_for("the program to outlive its segments") do
      refute program.exited?, "#{program.status} #{program.err}"
      segments |= channels(program.pid)
      Dir["#{@folder}/rperf-top.*"].each { |file| File.truncate(file, [0, 4096, 10_000].sample) rescue nil }
      segments.size >= 8
    end
    program.finish
    assert program.status.success?, program.status.to_s
    assert_equal "start\nend\n", program.out
  end

  # As at each logout of its user.
  def test_it_comes_back_however_often_its_files_are_removed
    program = start("$stdout.sync = true\nputs :start\ngets\nputs :end")
    program.line
    20.times do |lost|
      wait_for("window #{lost}") do
        dump = (path = channels(program.pid).last) && Dump.read(path)
        dump && dump.windows.any? && dump.counters["segments_lost"] == lost
      end
      Dir["#{@folder}/rperf-top.*"].each { |file| File.unlink(file) rescue nil }
    end
    program.finish
    assert_empty program.err
  end

  # It looks from time to time, though it has nothing to write.
  def test_a_parked_process_finds_that_its_files_were_removed
    program = start("$stdout.sync = true\nputs :start\ngets\nputs :end", env: { "RPERF_TOP_RECORD_HZ" => "0" })
    program.line
    before = program.channel
    Dir["#{@folder}/rperf-top.*"].each { |file| File.unlink(file) rescue nil }
    wait_for("another channel") { channels(program.pid).last&.then { |path| path != before } }
    program.finish
    assert_empty program.err
  end

  def test_lost_segments_are_counted
    program = start("$stdout.sync = true\nputs :start\ngets\nputs :end")
    program.line
    File.unlink(program.channel)
    lost = wait_for("a window in a new channel") do
      dump = (path = channels(program.pid).last) && Dump.read(path)
      dump && dump.windows.any? && dump.counters["segments_lost"]
    end
    assert_equal 1, lost
    program.finish
  end

  def test_control_file_truncated_while_nothing_is_recorded
    program = start("$stdout.sync = true\nputs :start\ngets\nputs :end", env: { "RPERF_TOP_RECORD_HZ" => "0" })
    program.line
    control = "#{program.channel}.ctl"
    wait_for("a sleeping publisher") { program.publisher_status("voluntary_ctxt_switches") }
    File.truncate(control, 0)
    program.finish
    assert program.status.success?, program.status.to_s
    assert_empty program.err
  end

  def limited(*limits) = { wrapper: ["prlimit", *limits, "--"] }

  def test_file_size_limit
    # Not so small that the program cannot write its own output.
    [1_000_000, 100_000, 4096].each { |bytes| refute_empty goes_on(**limited("--fsize=#{bytes}")) }
  end

  def test_few_descriptors
    (5..12).each do |count|
      plain = start("puts :end", with: false, **limited("--nofile=#{count}")).finish
      next unless plain.status.success?
      program = start("puts :end", **limited("--nofile=#{count}")).finish
      next if program.err.include?("LoadError") # no descriptor to load a library with
      assert_equal [plain.out, plain.status.exitstatus], [program.out, program.status.exitstatus], program.err
      assert_operator program.err.lines.size, :<=, 1, program.err
    end
  end

  def test_little_memory
    goes_on(**limited("--as=#{600 << 20}"))
  end

  # The file goes away, or loses its content, while the program runs.
  { removed: ->(path) { File.unlink(path) }, truncated: ->(path) { File.truncate(path, 0) },
    shortened: ->(path) { File.truncate(path, 8192) }, grown: ->(path) { File.truncate(path, File.size(path) * 2) },
    emptied_control: ->(path) { File.truncate("#{path}.ctl", 0) }, removed_control: ->(path) { File.unlink("#{path}.ctl") },
    garbled_control: ->(path) { File.binwrite("#{path}.ctl", "\xFF" * 4096) } }.each do |what, harm|
    define_method("test_segment_#{what}") do
      program = start("$stdout.sync = true\nputs :ready\nt = Thread.new { loop { 100.times { |i| i.to_s }; sleep 0.001 } }\ngets\nputs :end")
      program.line
      path = program.channel
      program.dump_until("a window") { |dump| dump["newest"] >= 2 }
      harm.call(path)
      # It goes on in this segment or in a new one, with everything that a reader needs.
      dump = wait_for("a channel that works") do
        found = channels(program.pid).filter_map { |candidate| Dump.read(candidate) }
        found.find { |d| d.state == "live" && d["newest"] >= 4 && d.main && d.labels.include?("Integer#to_s") }
      end
      assert_equal "main", dump.main.name
      program.finish
      assert_equal ["ready\nend\n", "", 0], [program.out, program.err, program.status.exitstatus]
    end
  end

  # Daemons close every descriptor that is not theirs; the numbers are then used by the program's own files.
  def test_descriptors_closed_by_the_program
    program = run_program(<<~'RUBY')
      sleep 0.001 until Dir[ENV["RPERF_TOP_DIR"] + "/rperf-top.*.????????????????"].any?
      window_over
      own = [$stdin, $stdout, $stderr].map(&:fileno)
      (3..30).each { |n| IO.for_fd(n).close rescue nil unless own.include?(n) }
      paths = 12.times.map { |i| "#{ENV["RPERF_TOP_DIR"]}/own#{i}" }
      files = paths.map { |path| File.open(path, "w+") }
      start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      lines = 0
      while Process.clock_gettime(Process::CLOCK_MONOTONIC) - start < 1
        files.each { |file| file.syswrite("a line\n") }
        lines += 1
        sleep 0.01
      end
      puts files.all? { |file| File.read(file.path) == "a line\n" * lines }
    RUBY
    assert_equal "true", program.out.strip
  end

  # Its table of them grows by waiting for RCU: more than a second was seen where cores are taken, and a program that
  # ended meanwhile left nothing.
  def test_table_of_descriptors_does_not_grow
    program = start(<<~'RUBY').tap(&:channel)
      $stdin.gets
      puts File.read("/proc/self/status")[/^FDSize:\s*(\d+)/, 1], Dir.children("/proc/self/fd").map(&:to_i).max
    RUBY
    size, highest = program.finish.out.split.map(&:to_i)
    assert_operator size, :<, 512
    assert_includes size / 4 * 3...size, highest
  end

  def test_another_working_directory_and_root_change
    goes_on("Dir.chdir('/')\n#{WORK}")
    goes_on(WORK.sub("puts :end", <<~'RUBY'))
      path = nil
      sleep 0.001 until (path = Dir[ENV["RPERF_TOP_DIR"] + "/rperf-top.*.????????????????"].first)
      segment = File.open(path)
      windows = -> { segment.pread(8, 4096 + 64).unpack1("Q") }
      Dir.chroot(ENV["RPERF_TOP_DIR"]) rescue nil
      before = windows.call
      sleep 0.001 until windows.call > before + 2
      puts :end
    RUBY
  end

  def test_giving_up_privileges
    skip "only root can" unless Process.uid.zero?
    goes_on("window_over\nProcess::UID.change_privilege(65534)\nsleep 0.3\n#{WORK}")
  end

  def test_strange_umask
    goes_on("File.umask(0777)\nRperfTop.stop if defined?(RperfTop)\nRperfTop.start if defined?(RperfTop)\n#{WORK}")
  end
end
