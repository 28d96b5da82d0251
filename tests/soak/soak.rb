# A long watch: puma under load with the recorder on, one viewer that stays, others that come and go. Does anything grow?
# Waits nearly all of the time
#
#   ruby tests/soak/soak.rb [SECONDS] [--beside] [--leak memory|descriptors]      (BUILD in the environment; an hour)
#
# Looked at all the time: memory (anonymous), descriptors and threads of the server, memory and descriptors of the
# viewer that stays, latency of the requests. The last quarter is compared with the second: what a process takes as
# it warms up is no leak. Then the sums: what the windows tell of each thread is as long as they are.
# --beside: other tests run beside it, and it lets them go first. So the requests that were answered soonest are
# compared instead of the usual ones: whoever fills up answers none soon. They come at a third of the rate, and so do the
# viewers. Who gets little of a core looks seldom: then the watch is longer, until it has looked as often as it must.
# When nothing runs beside it, a twin of the server that has no recorder answers the same requests: what it takes more as
# time goes by is Ruby's own, and is not held against the recorder.
# --leak lets the server lose 100 kB, or a descriptor, each second: then it must fail. Prints TAP.
require "minitest"
require_relative "../bench/server/rig"
module Minitest
  def self.autorun; end                # the terminal's helpers are for tests, this is none
end
require_relative "../e2e/terminal"

class Soak
  GROWTH_PER_S = 90_000                # bytes: half of it is warming up in the first minute; a leak of 100 kB comes on top
  GROWTH_MIN, GROWTH_MAX = 3_000_000, 16_000_000   # however short and long
  GROWTH_OVER_TWIN = 6_000_000         # two heaps do not grow in step
  GROWTH_OF_VIEWER = 1_000_000         # it shows the last second, and holds no more than that takes
  LOOKS = 12                           # three to a quarter; where there is no core for so many, the watch
  LONGER = 3                           # is so many times as long at the most
  SLOWER = 3.0                         # a busy machine answers later, a machine that is filling up ever later
  KEYS = ["\e[C", "\t", "2", "3", "4", "1", "t", "?", "\e"].freeze

  def initialize(seconds, leak, beside)
    @seconds, @beside_others, @rows, @watched, @bad = seconds, beside, [], 0, 0
    Process.setpriority(Process::PRIO_PROCESS, 0, 10) if beside
    lib = E2E.gem_folder("puma")
    if lib.nil?
      puts "ok soak # skip the gem puma is not here"
      exit 77
    end
    usual = { build: E2E::BUILD, gems: File.expand_path("../../..", lib), threads: 5 }
    arguments = ["-I", E2E::BUILD, "-r", "rperf_top"] + (leak ? ["-r", "#{__dir__}/leak.rb"] : [])
    @rig = Rig.new(**usual, arguments: arguments, env: { "SOAK_LEAK" => leak, "MALLOC_ARENA_MAX" => "2" })
    @twin = Rig.new(**usual, env: { "MALLOC_ARENA_MAX" => "2" }) unless beside
  end

  def run
    ENV["RPERF_TOP_DIR"] = @rig.folder
    @pid = @rig.serving.first
    [@rig, @twin].compact.each { |rig| rig.ask(2000) }
    @rig.watched([], pids: [@pid]) do |viewer|
      @viewer = viewer
      @start = now
      others = Thread.new { come_and_go }
      look until long_enough?
      @done = true
      others.join
    end
    judge
  ensure
    @done = true
    [@rig, @twin].compact.each(&:stop)
  end

  private

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def long_enough?
    time = now - @start
    time > @seconds && (time > LONGER * @seconds || (@rows.size >= LOOKS && @watched >= 3))
  end

  def status(pid, key) = Integer(File.read("/proc/#{pid}/status")[/^#{key}:\s+(\d+)/, 1])
  def descriptors(pid) = Dir.children("/proc/#{pid}/fd").size

  def look
    latencies = @rig.ask(300, @beside_others ? 15 : 5)["latencies"].values.flatten.sort
    @twin&.ask(300, 5)
    @rows << { "latency" => latencies[@beside_others ? 0 : latencies.size / 2], "server's memory" => status(@pid, "RssAnon") * 1024,
               "twin's memory" => @twin ? status(@twin.serving.first, "RssAnon") * 1024 : 0,
               "server's descriptors" => descriptors(@pid), "server's threads" => status(@pid, "Threads"),
               "viewer's memory" => status(@viewer, "RssAnon") * 1024, "viewer's descriptors" => descriptors(@viewer),
               "time" => now - @start }
  end

  # One in three on a screen.
  def come_and_go
    until @done
      if @watched % 3 == 2
        Terminal.open("-p", @pid.to_s, env: { "RPERF_TOP_DIR" => @rig.folder }) do |terminal|
          terminal.wait_for("F10", seconds: 60)
          KEYS.each { |key| terminal.type(key) }
          terminal.type("q")
          raise "the viewer on a screen did not end" unless terminal.ended(60)
        end
      else
        system({ "RPERF_TOP_DIR" => @rig.folder }, E2E::VIEWER, "-b", "-n", "1", "-d", "0.2", "-p", @pid.to_s,
               out: File::NULL) or raise "a viewer failed: #{$?}"
      end
      @watched += 1
      sleep 0.6 if @beside_others
    end
  end

  def median(values) = values.sort[values.size / 2]

  # [the second quarter, the last one, seconds between them]
  def quarters(name)
    size = @rows.size / 4
    second, last = @rows[size, size], @rows.last(size)
    [median(second.map { |row| row[name] }), median(last.map { |row| row[name] }),
     median(last.map { |row| row["time"] }) - median(second.map { |row| row["time"] })]
  end

  def soonest
    size = @rows.size / 4
    [@rows[size, size], @rows.last(size)].map { |rows| rows.map { |row| row["latency"] }.min }
  end

  def say(good, text)
    puts "#{good ? "ok" : "not ok"} #{text}"
    @bad += 1 unless good
  end

  def judge
    say(@rows.size >= LOOKS && @watched >= 3, "looked #{@rows.size} times, #{@watched} viewers came and went")
    return false if @rows.size < LOOKS
    %w[server's viewer's].each do |whose|
      before, after, time = quarters("#{whose} memory")
      may = whose == "viewer's" ? GROWTH_OF_VIEWER : (GROWTH_PER_S * time).clamp(GROWTH_MIN, GROWTH_MAX)
      say(after - before <= may, format("%s memory: %.2f MB, then %.2f MB, may grow by %.2f MB", whose, before / 1e6, after / 1e6, may / 1e6))
      before, after, = quarters("#{whose} descriptors")
      say(after - before <= 2, "#{whose} descriptors: #{before}, then #{after}")
    end
    judge_twins if @twin
    before, after, = quarters("server's threads")
    say(after <= before, "server's threads: #{before}, then #{after}")
    before, after, = @beside_others ? soonest : quarters("latency")
    say(after <= SLOWER * before + 2, format("latency: %.2f ms, then %.2f ms", before, after))
    judge_sums
    @bad.zero?
  end

  def judge_twins
    server, twin = ["server's memory", "twin's memory"].map { |name| quarters(name).then { |before, after,| after - before } }
    say(server - twin <= GROWTH_OVER_TWIN, format("growth of the server %.2f MB, of its twin without a recorder %.2f MB", server / 1e6, twin / 1e6))
  end

  # A thread was there from the first window that tells of it to the last. A window may lack one that was just being
  # moved, then the next one has both.
  def judge_sums
    _, channel = @rig.read.first
    windows = channel["windows"].map do |window|
      told = window["cells"].group_by { |cell| cell[1] }.transform_values { |cells| cells.sum { |cell| cell[4] } }
      [told, window["end_ns"] - window["start_ns"]]
    end
    whole = windows.flat_map { |told,| told.keys }.uniq.filter_map do |thread|
      first, last = windows.index { |told,| told[thread] }, windows.rindex { |told,| told[thread] }
      windows[first + 1...last].map { |told, length| [told[thread] || 0, length] } if last - first > 50
    end
    off = whole.map { |pairs| (pairs.sum(&:first).fdiv(pairs.sum(&:last)) - 1).abs }.max
    say(whole.size >= 5 && off < 0.001, format("time of %d threads, told and real, differs by %.4f %% at the most", whole.size, 100 * (off || 1)))
  end
end

if $PROGRAM_NAME == __FILE__
  leak = ARGV.index("--leak") && ARGV[ARGV.index("--leak") + 1]
  $stdout.sync = true
  exit Soak.new(Float(ARGV.grep(/\A\d/).first || 3600), leak, ARGV.include?("--beside")).run
end
