# Hooks are put on and taken off while Ractors run: nobody waits for anybody for ever.
require_relative "support"

class RactorsTest < Minitest::Test
  include Support

  def test_starting_and_stopping_beside_ractors
    program = start(<<~'RUBY', options: ["-W0"])
      now = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
      # Made before: Ruby 3.3 itself breaks its heap when several Ractors make classes.
      kinds = Array.new(3) do
        Array.new(100) { Class.new { include Enumerable; def each = sleep(0.00001) } }
      end
      ractors = Ractor.make_shareable(kinds).each_with_index.map do |own_kinds, i|
        Ractor.new(i, own_kinds) do |which, own|
          from = Process.clock_gettime(Process::CLOCK_MONOTONIC)
          rounds = 0
          while Process.clock_gettime(Process::CLOCK_MONOTONIC) - from < 3
            kind = own[rounds % own.size]
            20.times { kind.new.each_with_index {} }
            GC.start if (rounds += 1) % 7 == which
          end
          rounds
        end
      end
      from = now.call
      times = 0
      while now.call - from < 2.5
        RperfTop.stop
        sleep 0.002
        RperfTop.start
        times += 1
        sleep 0.003
      end
      puts times, ractors.all? { |ractor| ractor.value > 0 }
    RUBY
    program.finish
    assert program.status.success?, program.err
    times, done = program.out.split
    assert_operator times.to_i, :>, 3
    assert_equal "true", done
  end
end
