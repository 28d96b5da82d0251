# A Ruby program with the extension on another machine, read on this one: the format is the same.
#
# OTHER_RUBY is the command that runs that machine's Ruby, OTHER_BUILD where its extension stands (tests/arm64/run).
require_relative "../ext/support"

class SmokeTest < Minitest::Test
  include Support

  OTHER = ENV.fetch("OTHER_RUBY").split
  EXTENSION = "#{ENV.fetch("OTHER_BUILD")}/rperf_top.so"

  # Computing, waiting, collecting, a child, names, labels and marks, stop and start.
  PROGRAM = <<~'RUBY'
    $stdout.sync = true
    def cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
    class Price
      def total = (t = cpu; nil while cpu - t < 0.5)
    end
    def garbage = 30_000.times { |i| "s#{i}" }
    puts RUBY_PLATFORM
    doze = Thread.new { Thread.current.name = "doze"; sleep 0.02 while Thread.current[:on] != false; }
    RperfTop.label(endpoint: "GET /") { Price.new.total }
    RperfTop.mark("half")
    garbage
    GC.start
    Process.wait(fork { puts RperfTop.running?; Price.new.total; exit!(0) })
    doze[:on] = false
    doze.join
    puts Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    $stdin.gets
  RUBY

  def run_there(code, env = {})
    path = "#{@folder}/program.rb"
    File.write(path, code)
    env = { "RPERF_TOP_DIR" => @folder, "RPERF_TOP_KEEP" => "1", "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100",
            "QEMU_LD_PREFIX" => ENV["QEMU_LD_PREFIX"], **env }
    @programs << (program = Program.new([*OTHER, "--disable-gems", "-r#{EXTENSION}", path], env, @folder, "program"))
    program
  end

  def test_a_program
    program = run_there(PROGRAM)
    assert_match(/\Aaarch64-/, program.line)
    assert_equal "true", program.line, "in the forked child"
    told_ns = Integer(program.line)
    dump = program.dump_until("the marked and labelled history") { |d| d.windows.any? && d.end_ns > told_ns }
    program.puts
    program.finish
    assert_empty program.err
    assert_predicate program.status, :success?

    computed = dump.total(:cpu, on_stack: "Price#total", thread: dump.main.serial)
    assert_near 500_000_000, computed, relative: 0.3
    assert_operator dump.total(leaf: "Kernel#sleep", state: "blocked", thread: dump.thread("doze").serial), :>, 100_000_000
    assert_operator dump.total(on_stack: "Object#garbage"), :>, 0
    assert_operator dump.total(state: %w[marking sweeping]), :>, 0
    assert_operator dump.counter("allocations"), :>, 60_000
    assert(dump.labels.any? { |label| label.include?("endpoint") }, dump.labels.inspect)
    dump.threads.each_value { |thread| assert_near dump.lifetime(thread), dump.total(thread: thread.serial), absolute: 60_000_000, message: thread.name }
  end

  # The viewer of this machine watches it.
  def test_it_is_watched
    program = run_there("$stdin.gets", {})
    pid = program.pid
    program.channel
    out, err, status = Open3.capture3({ "RPERF_TOP_DIR" => @folder }, "#{Support::BUILD}/rperf-top", "-b", "-J", "-n", "1", "-p", pid.to_s)
    assert_predicate status, :success?, err
    line = JSON.parse(out)
    assert_equal [pid, "live"], line.values_at("pid", "state")
    assert_includes line["threads"].first["stack"].join(" "), "gets"
    program.puts
    program.finish
  end
end
