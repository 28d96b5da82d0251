# What a hostile or broken viewer of the same user writes into the control page: the program does what it does without.
require_relative "support"

class HostileWishesTest < Minitest::Test
  include Support

  SLOTS, SLOT_BYTES, SLOTS_AT, NAME_BYTES, RATE_AT = 16, 176, 1024, 160, 16
  LOCK_TRACE = (1 << 40) + 32
  F_SETLK, F_WRLCK = 6, 1
  CRC = (0..255).map { |n| 8.times { n = n & 1 == 1 ? n >> 1 ^ 0x82F63B78 : n >> 1 }; n }

  # Has the locks of all slots, and writes whatever it is told.
  class Attack
    def initialize(path)
      @file = File.open("#{path}.ctl", "r+b")
      SLOTS.times { |slot| @file.fcntl(F_SETLK, [F_WRLCK, 0, LOCK_TRACE + slot, 1, 0].pack("s!s!x4q!q!i!x4")) }
    end

    def crc(bytes) = bytes.each_byte.inject(0xffffffff) { |sum, byte| CRC[(sum ^ byte) & 255] ^ sum >> 8 } ^ 0xffffffff

    def wish(slot, name, seconds: 60, bytes: name.bytesize, slower_us: 0, right: true)
      body = [seconds, bytes, slower_us].pack("L<3") + name.b.ljust(NAME_BYTES, "\0")
      @file.pwrite([crc(body) ^ (right ? 0 : 1)].pack("L<") + body, SLOTS_AT + slot * SLOT_BYTES)
    end

    def rate(hz, right: true)
      @file.pwrite([hz, crc("RPERFCTL#{[hz].pack("L<")}".b) ^ (right ? 0 : 1)].pack("L<2"), RATE_AT)
    end

    def garbage(bytes, at) = @file.pwrite(bytes, at)
  end

  def watch(program)
    (@viewers ||= []) << IO.popen([Dump::TOOL, program.channel, "--watch", "1000", "--until-eof"], "w", out: File::NULL, err: File::NULL)
  end

  def teardown
    @viewers&.each { |viewer| viewer.close rescue nil }
    super
  end

  WORK = <<~'RUBY'
    $stdout.sync = true
    class Work
      def do(n) = n.zero? ? 0 : 1 + deep(n - 1)
      def deep(n) = n.zero? ? 0 : 1 + self.do(n - 1)
      def self.make = new
    end
  RUBY

  NAMES = ["*", "*!", "*r!", "@", "@x", "Work#do", "Work#deep", "Work.make", "Work#none", "#", ".", "A", "A#", "::#x", "Work::#do", "Kernel#puts",
           "Integer#times", "Class#new", "TracePoint#enable", "Module#instance_method", "\xff\xfe#\x01", "x" * NAME_BYTES, "Work#do\n"].freeze

  # Wishes of all kinds, a thousand in a second, while threads come and go, wait for locks, raise, and processes fork.
  def test_wishes_of_all_kinds
    program = start(WORK + <<~'RUBY')
      lock, queue, done, rounds = Mutex.new, Queue.new, false, 0
      Thread.new { gets; done = true }
      puts :ready
      until done
        threads = 4.times.map { |i| Thread.new { lock.synchronize { queue << Work.make.do(30) }; (raise "x" rescue 0); Fiber.new { Work.make.deep(i) }.resume } }
        raise "threads" unless threads.sum(&:value) == 6 && 4.times.sum { queue.pop } == 120
        Process.wait(fork { exit!(Work.make.do(20) == 20 ? 0 : 1) })
        raise "fork" unless $?.success?
        GC.compact if (rounds += 1) % 8 == 0
      end
      puts rounds
    RUBY
    program.line
    watch(program)
    attack, chance = Attack.new(program.channel), Random.new(4711)
    800.times do
      name = chance.rand(8) == 0 ? chance.bytes(1 + chance.rand(NAME_BYTES)) : NAMES.sample(random: chance)
      attack.wish(chance.rand(SLOTS), name, seconds: [0, 1, 3600, 0xffffffff].sample(random: chance), slower_us: [0, 1, 0xffffffff].sample(random: chance),
                  bytes: chance.rand(9) == 0 ? chance.rand(1 << 32) : name.bytesize, right: chance.rand(20) > 0)
      attack.rate([0, 1, 10_000, 0xffffffff].sample(random: chance), right: chance.rand(9) > 0) if chance.rand(20) == 0
      attack.garbage(chance.bytes(4), 8) if chance.rand(4) == 0
      IO.select(nil, nil, nil, 0.001)
    end
    program.puts
    assert_operator program.finish.line.to_i, :>, 0
    assert program.status.success?
    assert_empty program.err
  end

  # Tracing calls methods of its own when it begins, and a thread may be taken off the GVL in there: what another one raises in it
  # then is not lost with it. Here it begins again all the time, in a thread with short time slices.
  def test_what_another_thread_raises_is_not_lost
    program = start(<<~'RUBY')
      class Stop < StandardError; end
      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      $stdout.sync = true
      taken, ready, lost = 0, false, 0
      worker = Thread.new do
        Thread.current.priority = -3
        Thread.handle_interrupt(Stop => :never) do
          ready = true
          loop { begin; Thread.handle_interrupt(Stop => :immediate) { loop { 1 + 1 } }; rescue Stop; taken += 1; end }
        end
      end
      Thread.pass until ready
      puts :ready
      gets
      1.upto(150) do |sent|
        worker.raise(Stop)
        limit = now + 20
        Thread.pass until taken + lost == sent || now > limit
        lost += 1 if taken + lost != sent
        break if lost > 0
      end
      puts lost
      exit!(0)
    RUBY
    program.line
    watch(program)
    attack = Attack.new(program.channel)
    program.puts
    round = 0
    until program.exited?
      attack.wish((round += 1) % 2, %w[* *!][round / 2 % 2])
      IO.select(nil, nil, nil, 0.02)
    end
    assert_equal "0", program.line
  end

  # Names are looked up again in every window.
  def test_nobody_is_warned_and_nothing_is_raised
    program = start(<<~'RUBY', options: ["-w"])
      $stdout.sync = true
      class Old; def run = 1; end
      Object.send(:deprecate_constant, :Old)
      raised = []
      TracePoint.new(:raise) { |point| raised << point.raised_exception }.enable
      Thread.new { loop { sleep 0.002 } }
      puts :ready
      gets
      p raised
    RUBY
    program.line
    watch(program)
    attack = Attack.new(program.channel)
    attack.wish(0, "Old#run")
    ["\xff\xfe#x", "Old#\xff", "Old::\xc3#run"].each.with_index(1) { |name, slot| attack.wish(slot, name) }
    asked = program.dump_until("four wishes") { |dump| states(dump).sort == [1, 1, 1, 2] }.windows.last["sequence"]
    program.dump_until("some windows") { |dump| dump.windows.last["sequence"] > asked + 3 }
    program.puts
    assert_equal "[]", program.line
    assert_empty program.finish.err
  end

  def states(dump) = (dump.windows.last&.fetch("exact") || []).filter_map { |_, what, _, value| value if what == 1 }
end
