# Exceptions per window: all that are raised in the main Ractor, none that are not.
require_relative "support"

class RaisesTest < Minitest::Test
  include Support

  def raised(code, **options) = history("sleep 0.001 until Dir[ENV['RPERF_TOP_DIR'] + '/rperf-top.*.????????????????'].any?; window_over\n#{code}\nwindow_over", **options).first.counter("exceptions")

  def test_every_raise_counts
    quiet = raised("")
    assert_equal 1000, raised("1000.times { begin; raise 'x'; rescue; end }") - quiet
    assert_equal 300, raised("threads = 3.times.map { Thread.new { 100.times { Integer('x') rescue 0 } } }; threads.each(&:join)") - quiet
    assert_equal 0, raised("1000.times { catch(:a) { throw :a } }; 1000.times { Integer('x', exception: false) }") - quiet
  end

  def test_it_starts_and_stops_with_the_profiler
    dump, = history(<<~'RUBY', env: { "RPERF_TOP" => "0" })
      def some(n) = n.times { begin; raise "x"; rescue; end }
      some(50)
      RperfTop.start
      sleep 0.001 until Dir[ENV["RPERF_TOP_DIR"] + "/rperf-top.*.????????????????"].any?
      RperfTop.stop
      some(50)
      RperfTop.start
      window_over
      some(7)
      window_over
    RUBY
    assert_equal 7, dump.counter("exceptions")
  end

  # TracePoints of the program see what they saw.
  def test_other_hooks_are_not_disturbed
    assert_undisturbed(<<~'RUBY')
      seen = 0
      TracePoint.new(:raise) { |trace| seen += 1; trace.raised_exception.message << "!" }.enable do
        20.times { begin; raise +"x"; rescue => error; puts error.message; end }
      end
      RperfTop.stop if defined?(RperfTop)
      TracePoint.new(:raise) { seen += 1 }.enable { begin; raise "x"; rescue; end }
      puts seen
    RUBY
  end
end
