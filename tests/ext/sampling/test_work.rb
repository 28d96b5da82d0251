# How long labelled work takes, and what it does meanwhile: the program's own clock is the truth.
#
# A piece lies between two pairs of clock readings: those within the block are not longer than it, those around it not
# shorter. So whatever the machine does, counts are equal, and sums, the longest and each quantile lie between those of
# the two.
require_relative "../support"

class WorkTest < Minitest::Test
  include Support

  ENDED, TIME, LONGEST, TIMES, OPEN, OLDEST, UNTIMED = *64..70
  CAUSES = %i[whole running gvl gc gc_others lock io sleep queue fiber other].freeze
  WIDTH = 1 / 64.0

  PRELUDE = <<~'RUBY'
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    def spin(s) = (to = now + (s * 1e9).to_i; nil while now < to)
    LOG = Hash.new { |hash, key| hash[key] = [] }
    # A piece whose inner and outer time are noted.
    def piece(value)
      inner, from = 0, now
      RperfTop.label(work: value) do
        inside = now
        yield
      ensure
        inner = now - inside
      end
    ensure
      LOG[value] << [inner, now - from]
    end
    $stdout.sync = true
    at_exit { window_over; LOG.default = nil; puts Marshal.dump(LOG).unpack1("H*") }
  RUBY

  Row = Struct.new(:ended, :time, :longest, :times, :open, :oldest, :some)

  # {"key=value" => Row}; numbers of windows added up.
  def rows(dump)
    dump.windows.flat_map { |window| window["exact"] }.each_with_object({}) do |(node, what, key, value), rows|
      next unless (ENDED..OLDEST).cover?(what)
      label, cause, bucket = key >> 16, CAUSES[key >> 12 & 15], key & 4095
      name = node == 1 ? "(no room)" : dump.stack_frames(node).last[0]["label"].split(",")[label]
      row = rows[name] ||= Row.new(0, Hash.new(0), Hash.new(0), Hash.new { |hash, cause| hash[cause] = Hash.new(0) }, 0, 0, Hash.new(0))
      case what
      when ENDED then cause == :whole ? row.ended += value : row.some[cause] += value
      when TIME then row.time[cause] += value
      when LONGEST then row.longest[cause] = [row.longest[cause], value].max
      when TIMES then row.times[cause][bucket] += value
      when OPEN then row.open = value - 1
      when OLDEST then row.oldest = value
      end
    end
  end

  def low_ns(bucket)
    return bucket if bucket < 128
    (64 + bucket % 64) << (bucket / 64 - 1)
  end

  def quantile_ns(times, share)
    wanted = [(times.values.sum * share).ceil, 1].max
    times.sort.each { |bucket, count| return low_ns(bucket) if (wanted -= count) <= 0 }
  end

  def measure(code, **options)
    dump, program = history(PRELUDE + code, **options)
    [rows(dump), Marshal.load([program.out.lines.last.chomp].pack("H*")), dump]
  end

  # The figures of a row are those that its program noted.
  def assert_true_row(log, row)
    assert_equal log.size, row.ended
    assert_equal row.time[:whole], row.time.except(:whole).values.sum, "causes add up to the nanosecond"
    inner, outer = log.transpose
    assert_includes inner.sum..outer.sum, row.time[:whole]
    assert_includes inner.max..outer.max, row.longest[:whole]
    assert_equal log.size, row.times[:whole].values.sum
    row.some.each { |cause, some| assert_equal some, row.times[cause].values.sum, "pieces with #{cause}" }
    [0.5, 0.9, 0.99, 1].each do |share|
      at = (log.size * share).ceil - 1
      told = quantile_ns(row.times[:whole], share)
      assert_operator told, :>=, inner.sort[at] * (1 - WIDTH) - 1
      assert_operator told, :<=, outer.sort[at]
    end
  end

  def test_many_pieces
    rows, log = measure(<<~'RUBY')
      2000.times { |i| piece("a") { spin(0.000_02 * (i % 10)) } }
      300.times { |i| piece("b") { i % 100 == 7 ? sleep(0.02) : spin(0.000_1) } }
    RUBY
    assert_true_row log["a"], rows["work=a"]
    assert_true_row log["b"], rows["work=b"]
    assert_operator rows["work=b"].time[:sleep], :>=, 3 * 10_000_000
    assert_operator rows["work=b"].longest[:sleep], :>=, 10_000_000
    assert_equal 3, rows["work=b"].times[:sleep].values.sum
  end

  Block = Struct.new(:end_ns, :serial, :label, :whole, :causes, :window)

  # The slowest of each window, one by one.
  def blocks(dump)
    dump.windows.flat_map do |window|
      window["blocks"].map do |end_ns, serial, node, own, whole, *causes|
        names = dump.stack_frames(node).last[0]["label"].split(",")
        Block.new(end_ns, serial, names.select.with_index { |_, at| own >> at & 1 == 1 }, whole, causes, window["sequence"])
      end
    end
  end

  # Each of them is one that the program noted, and together they are all that took a millisecond.
  def test_slow_blocks_one_by_one
    _, log, dump = measure(<<~'RUBY')
      12.times { |i| piece("a") { sleep(0.002 + 0.003 * i) } }
      6.times { |i| piece("b") { spin(0.004 * (i + 1)) } }
    RUBY
    %w[a b].each do |name|
      told = blocks(dump).select { |block| block.label == ["work=#{name}"] }.sort_by(&:end_ns)
      assert_equal log[name].size, told.size
      told.zip(log[name]) { |block, (inner, outer)| assert_includes inner..outer, block.whole }
      told.each { |block| assert_equal block.whole, block.causes.sum, "causes add up to the nanosecond" }
    end
    sleeps = blocks(dump).select { |block| block.label == ["work=a"] }.map { |block| block.causes[CAUSES.index(:sleep) - 1] }
    sleeps.sort.each_with_index { |ns, i| assert_operator ns, :>=, (0.002 + 0.003 * i) * 1e9 - 1000 }
    dump.windows.each { |window| window["blocks"].each { |end_ns, *| assert_operator end_ns, :<=, window["end_ns"] } }
  end

  # Blocks within one another end at once: more than a window tells.
  def test_the_slowest_blocks_are_kept
    rows, log, dump = measure(<<~'RUBY')
      nest = ->(n) { n.zero? ? sleep(0.05) : piece("n#{n}") { nest.(n - 1) } }
      nest.(150)
    RUBY
    told = blocks(dump)
    assert_equal 150, log.keys.size
    assert_equal 150, rows.sum { |_, row| row.ended }, "all are counted"
    told.group_by(&:window).each_value { |some| assert_operator some.size, :<=, 64 }
    assert_operator told.size, :>=, 64
    assert_includes told.map(&:label), ["work=n150"], "the outermost took the longest"
    told.each { |block| assert_equal block.whole, block.causes.sum }
  end

  # Of blocks shorter than a millisecond a few are enough.
  def test_short_blocks_take_little_room
    _, _, dump = measure("500.times { piece('short') { } }")
    dump.windows.each { |window| assert_operator window["blocks"].count { |block| block[4] < 1_000_000 }, :<=, 4 }
  end

  # What each of these waits for is most of its time.
  def test_causes
    rows, log = measure(<<~'RUBY')
      mutex, queue, condition = Mutex.new, Queue.new, ConditionVariable.new
      own = Mutex.new
      reader, writer = IO.pipe
      child = -> { piece("other") { Thread.new { sleep 0.2 }.join } }
      [-> { piece("sleep") { sleep 0.2 } }, child].each(&:call)
      mutex.lock
      waits = %w[lock queue condition io].zip([-> { mutex.synchronize { } }, -> { queue.pop }, -> { own.synchronize { condition.wait(own) } }, -> { reader.read(1) }])
      threads = waits.map { |name, wait| Thread.new { piece(name, &wait) } }
      sleep 0.001 until threads.all? { |thread| thread.status == "sleep" }
      sleep 0.2
      mutex.unlock
      queue << 1
      own.synchronize { condition.signal }
      writer << "x"
      threads.each(&:join)
      piece("running") { spin(0.2) }
      piece("gc") { 5.times { GC.start } }
    RUBY
    log.each { |name, times| assert_true_row times, rows["work=#{name}"] }
    { "sleep" => :sleep, "lock" => :lock, "queue" => :queue, "condition" => :queue, "io" => :io, "other" => :other,
      "running" => :running }.each do |name, cause|
      assert_operator rows["work=#{name}"].time[cause], :>=, 100_000_000, "#{name}: #{rows["work=#{name}"].time}"
    end
    assert_operator rows["work=gc"].time[:gc], :>, 0
    assert_equal 0, rows["work=running"].time[:lock]
  end

  # Threads that only run, all at once: most of their time they wait for the GVL. Collections of one are told apart.
  def test_waiting_for_the_gvl
    rows, log = measure(<<~'RUBY')
      def cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
      def burn(s) = (to = cpu + s; nil while cpu < to)
      start = Queue.new
      threads = 3.times.map { |i| Thread.new { piece("run#{i}") { start.pop; burn(0.4) } } }
      threads << Thread.new { piece("collects") { start.pop; 20.times { GC.start; burn(0.01) } } }
      sleep 0.001 until start.num_waiting == 4
      4.times { start << 1 }
      threads.each(&:join)
    RUBY
    log.each { |name, times| assert_true_row times, rows["work=#{name}"] }
    gvl = 3.times.sum { |i| rows["work=run#{i}"].time[:gvl] }
    assert_operator gvl, :>, 500_000_000
    assert_operator 3.times.sum { |i| rows["work=run#{i}"].time[:gc_others] }, :>, 0
    assert_operator rows["work=collects"].time[:gc], :>, 0
  end

  def test_nested_and_left_by_other_ways
    rows, log = measure(<<~'RUBY')
      piece("outer") { piece("inner") { sleep 0.05 }; spin(0.01); piece("inner") { sleep 0.05 } }
      piece("raises") { raise "out" } rescue nil
      catch(:far) { piece("throws") { throw :far } }
      thread = Thread.new { piece("killed") { sleep } }
      sleep 0.001 until thread.status == "sleep"
      thread.kill.join
      fiber = Fiber.new { piece("fiber") { Fiber.yield; Fiber.yield } }
      3.times { fiber.resume }
      RperfTop.label(work: "same") { RperfTop.label(work: "same") { } }
    RUBY
    log.each { |name, times| assert_true_row times, rows["work=#{name}"] }
    assert_equal %w[fiber inner killed outer raises throws], log.keys.sort
    assert_operator rows["work=outer"].time[:sleep], :>=, rows["work=inner"].time[:sleep]
    assert_equal 1, rows["work=same"].ended
  end

  # A label that is known within a block only is that of the whole block; one that is only likely does not count.
  def test_labels_that_are_told_later
    rows, = measure(<<~'RUBY')
      3.times { RperfTop.label_ahead(a: "likely") { sleep 0.02; RperfTop.label(a: "known") } }
      2.times { RperfTop.label(b: 1) { sleep 0.02; RperfTop.label(a: 2) } }
      RperfTop.label_ahead(a: "never") { }
      RperfTop.label(d: 1)
    RUBY
    assert_equal({ "a=known" => 3, "b=1" => 2, "a=2" => 2 }, rows.transform_values(&:ended).reject { |_, ended| ended.zero? })
    assert_operator rows["a=known"].time[:sleep], :>=, 30_000_000
  end

  # Threads that take labels along go on with the same work.
  def test_labels_that_are_taken_along
    rows, = measure(<<~'RUBY')
      RperfTop.label(endpoint: "/a") do
        labels = RperfTop.labels
        3.times.map { Thread.new { RperfTop.label(**labels) { RperfTop.label(**labels, part: 1) { sleep 0.01 } } } }.each(&:join)
      end
    RUBY
    assert_equal({ "endpoint=/a" => 1, "part=1" => 3 }, rows.transform_values(&:ended))
  end

  # Work that goes on is open, with its age, until it ends: then it counts, as long as it was.
  def test_longer_than_a_window
    program = start(PRELUDE + <<~'RUBY')
      threads = 3.times.map { |i| Thread.new { piece("long") { Thread.stop } } }
      sleep 0.001 until threads.all?(&:stop?)
      puts "open"
      gets
      threads.each { |thread| thread.run; thread.join }
      puts "ended"
      gets
    RUBY
    program.line
    program.dump_until("three that are open, for a second") do |dump|
      row = rows(dump)["work=long"]
      row&.open == 3 && row.oldest > 1_000_000_000 && row.ended == 0
    end
    program.puts
    program.line
    program.dump_until("none any more") do |dump|
      row = rows(dump)["work=long"]
      row.open == 0 && row.ended == 3 && row.longest[:whole] > 1_000_000_000
    end
    program.finish
  end

  # More labels than there is room for: the sums stay.
  def test_labels_without_room
    rows, log = measure(<<~'RUBY')
      2000.times { |i| piece("v#{i}") { } }
    RUBY
    assert_equal 2000, rows.values.sum(&:ended)
    assert_operator rows["(no room)"].ended, :>, 900
    inner, outer = log.values.flatten(1).transpose
    assert_includes inner.sum..outer.sum, rows.values.sum { |row| row.time[:whole] }
    assert_equal rows.values.sum { |row| row.time[:whole] }, rows.values.sum { |row| row.time.except(:whole).values.sum }
  end

  # Each fiber has its own time: none has what others ran, and each has waited for them and for itself.
  def test_fibers_of_a_scheduler
    rows, log = measure(<<~'RUBY', options: ["-r#{__dir__}/../fiber_loop.rb"])
      under_scheduler do
        Fiber.schedule { piece("sleeps") { 10.times { sleep 0.02 } } }
        Fiber.schedule { piece("runs") { 10.times { spin(0.02); sleep 0.001 } } }
      end
    RUBY
    log.each { |name, times| assert_true_row times, rows["work=#{name}"] }
    sleeps, runs = rows.values_at("work=sleeps", "work=runs").map(&:time)
    assert_operator sleeps[:fiber], :>, 150_000_000
    assert_operator sleeps[:running], :<, sleeps[:fiber]
    assert_operator runs[:running], :>, 100_000_000
    assert_operator runs[:fiber], :<, runs[:whole] - 100_000_000
  end
end
