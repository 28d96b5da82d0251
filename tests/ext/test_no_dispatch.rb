# The profiler calls no method in the application's threads: nothing that watches calls sees one, nothing that
# overrides methods is asked, no exception is swallowed.
require_relative "support"

class NoDispatchTest < Minitest::Test
  include Support

  # Threads that come, are named and named anew, while names, lists of threads and labels of all kinds are needed.
  WORK = <<~'RUBY'
    $stdout.sync = true
    class Named; def self.to_s = raise("asked"); def self.inspect = raise("asked"); def self.name = raise("asked"); def work = 500.times { |i| i.to_s }; end
    def work
      Named.new.work
      Class.new { def anonymous = 50.times { |i| i.to_s } }.new.anonymous
      single = Object.new
      def single.inspect = raise("asked")
      def single.work = 50.times { |i| i.to_s }
      single.work
    end
    $threads = 3.times.map { |i| Thread.new { Thread.current.name = "first #{i}"; sleep 0.001 until $stop } }
  RUBY

  FAST = { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" }.freeze

  def with_names(program, *names)
    program.dump_until("threads called #{names}") { |dump| (names - dump.threads.values.map(&:name)).empty? && dump }
  end

  def test_no_trace_point_sees_a_call_of_ours
    program = start(<<~RUBY, env: FAST)
      #{WORK}
      seen = []
      own = [:work, :anonymous, :inspect, :times, :to_s, :new, :allocate, :initialize, :inherited, :sleep, :singleton_method_added, :method_added, :stop?]
      trace = TracePoint.new(:call, :c_call) { |point| seen << [point.defined_class, point.method_id] unless own.include?(point.method_id) }
      puts :ready
      trace.enable
      round = 0
      work until (round += 1) == 300 || $done
      $input = Thread.new { gets; $stop = true }
      work until $stop
      trace.disable
      puts seen.uniq.grep_v([Kernel, :gets]).inspect
      $threads.each(&:join)
    RUBY
    program.line
    with_names(program, "first 0", "first 1", "first 2")
    program.puts
    seen = program.line
    assert_empty seen.scan(/:(?:name|list|current|main|alive\?|status)\]/), seen
    assert_empty seen.scan(/\[(?:#<Class:)?Thread/), seen
    program.finish
    assert_empty program.err
  end

  # A name is a name, whatever a method with that name does.
  { raises: "raise 'asked'", exits: "exit!(9)", kills: "Thread.current.kill", loops: "loop {}", throws: "throw :asked" }.each do |what, code|
    define_method("test_thread_name_that_#{what}") do
      program = start(<<~RUBY, env: FAST)
        #{WORK}
        class Thread
          alias given_name name
          def name = #{code}
          def self.list = #{code}
        end
        puts :ready
        $renamed = Thread.new { Thread.current.name = "first"; gets; Thread.current.name = "second"; gets; $stop = true }
        work until $stop
        $threads.each(&:join)
        puts :end
      RUBY
      program.line
      with_names(program, "first", "first 1")
      program.puts
      with_names(program, "second", "first 2")
      program.finish
      assert program.status.success?, program.err
      assert_equal "ready\nend\n", program.out
      assert_empty program.err
    end
  end

  # Threads that were there before the session are seen, though Thread.list is not to be asked.
  def test_threads_from_before_where_the_list_is_overridden
    program = start(<<~RUBY, env: FAST.merge("RPERF_TOP" => "0"))
      #{WORK}
      def Thread.list = raise("asked")
      begin
        raise "pending"
      rescue => pending
        RperfTop.start
        abort unless $!.equal?(pending)
      end
      puts :ready
      Thread.new { gets; $stop = true }
      work until $stop
      $threads.each(&:join)
    RUBY
    program.line
    with_names(program, "first 0", "first 1", "first 2")
    program.finish
    assert program.status.success?, program.err
  end

  # What is under way when the job comes goes on: $!, a throw, exceptions from other threads.
  def test_an_exception_that_is_pending
    program = run_program(<<~'RUBY', env: FAST)
      $stdout.sync = true
      Thread.report_on_exception = false
      wrong = 0
      stop = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 1.5
      raised = 0
      while Process.clock_gettime(Process::CLOCK_MONOTONIC) < stop
        begin
          begin
            raise IndexError, "first"
          ensure
            2000.times { |i| i.to_s }
            wrong += 1 unless IndexError === $!
          end
        rescue IndexError
          2000.times { |i| i.to_s }
          wrong += 1 unless IndexError === $!
        end
        wrong += 1 unless catch(:done) { begin; throw :done, 5; ensure; 2000.times { |i| i.to_s }; end } == 5
        thread = Thread.new { Thread.current.name = "a name"; begin; loop { 10.times { |i| i.to_s } }; rescue ArgumentError => e; e.message; end }
        thread.name = "another"
        Thread.pass until thread.status == "run" || thread.status == "sleep"
        thread.raise(ArgumentError, "from outside")
        begin
          wrong += 1 unless thread.value == "from outside"
        rescue ArgumentError # before it began
        end
        raised += 1
      end
      p wrong, raised > 3
    RUBY
    assert_equal "0\ntrue\n", program.out
    assert_empty program.err
  end
end
