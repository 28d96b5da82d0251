# A rack application of three routes whose cost is known: each measures itself, with the clock of its own thread
# and the wall clock. What it measured, and what the process has used so far, tells /told.
require "json"

class Routes
  WAITS = 3

  def cpu
    sum = i = 0
    while i < 24_000
      sum += i & 7
      i += 1
    end
    sum.to_s
  end

  def json
    rows = Array.new(100) { |i| { "id" => i, "name" => "row #{i}", "price" => i * 1.5, "tags" => ["a", i.to_s] } }
    JSON.generate(JSON.parse(JSON.generate(rows)).first(4))
  end

  def wait
    WAITS.times { sleep 0.001 }
    "waited"
  end
end

class ServerApp
  NAMES = { "/cpu" => :cpu, "/json" => :json, "/wait" => :wait }.freeze
  TYPE = { "content-type" => "text/plain" }.freeze

  def initialize
    @routes = Routes.new
    @references = []
    @told = {}                         # by thread, so that no two write the same
  end

  def call(env)
    name = NAMES[path = env["PATH_INFO"]]
    return [200, TYPE, [measured(name)]] if name
    return [200, TYPE, [told]] if path == "/told"
    return [200, TYPE, [Switches.turn(env["QUERY_STRING"])]] if path == "/switch"
    [404, TYPE, ["no"]]
  end

  # The median since it was asked for the last time.
  def take_reference
    sorted, @references = @references.sort, []
    sorted[sorted.size / 2].to_i
  end

  # {"pid":, "now": ns, "cpu": ns of the process, "routes": {"cpu": [calls, wall ns, CPU ns], ...}, "reference": ns}
  def told
    sums = NAMES.values.to_h { |name| [name, [0, 0, 0]] }
    @told.each_value { |rows| rows.each { |name, row| sums[name] = sums[name].zip(row).map(&:sum) } }
    now, cpu = [Process::CLOCK_MONOTONIC, Process::CLOCK_PROCESS_CPUTIME_ID].map { |clock| Process.clock_gettime(clock, :nanosecond) }
    JSON.generate("pid" => Process.pid, "now" => now, "cpu" => cpu, "routes" => sums,
                  "reference" => take_reference)
  end
  private

  # The same little work before every request, so short that hardly ever a sample falls into it: how fast the
  # machine is at the moment, which sways by more than a profiler costs.
  def reference
    from = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    i = 0
    i += 1 while i < 1500
    @references << Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - from
  end

  def measured(name)
    reference
    row = (@told[Thread.current] ||= Hash.new { |rows, key| rows[key] = [0, 0, 0] })[name]
    wall, cpu = clocks
    body = @routes.public_send(name)
    wall_end, cpu_end = clocks
    row[0] += 1
    row[1] += wall_end - wall
    row[2] += cpu_end - cpu
    body
  end

  def clocks
    [Process::CLOCK_MONOTONIC, Process::CLOCK_THREAD_CPUTIME_ID].map { |clock| Process.clock_gettime(clock, :nanosecond) }
  end

end

# Profilers that are switched on and off while the server runs.
module Switches
  ALL = {
    "rperf_top" => [-> { RperfTop.start }, -> { RperfTop.stop }],
    "stackprof" => [-> { StackProf.start(mode: :wall, interval: 1000) }, -> { StackProf.stop; StackProf.results }],
    "vernier" => [-> { Vernier.start_profile(mode: :wall, interval: 1000) }, -> { Vernier.stop_profile }],
    "rperf" => [-> { Rperf.start(mode: :wall, frequency: 1000) }, -> { Rperf.stop }],
  }.freeze

  # NAME, or nothing: what was on goes off, garbage is collected, NAME goes on.
  def self.turn(name)
    ALL[@on]&.last&.call
    GC.start
    ALL[@on = name]&.first&.call
    name
  end
end
