# What the channels of a server say that its three routes took, beside what the routes measured themselves.
module Shares
  ROUTES = %w[cpu json wait].freeze
  # Of a server whose stretches of work are shorter than a period, as measured: some instants come when theirs has ended.
  SPREAD = 1.5

  # {"cpu" => [true wall, true CPU, found wall, found CPU], ...} in ns, of all processes; and how many instants
  # of the clock met their work, as if they had been evenly spread; and which part of all CPU was theirs. `processes` is
  # what Rig#read returns.
  def self.of(processes)
    rows = ROUTES.to_h { |route| [route, [0, 0, 0, 0]] }
    met = 0
    processes.each do |told, channel|
      totals = found(channel)
      met += instants_per_ns(channel["windows"]) * told["routes"].values.sum(&:last)
      ROUTES.each do |route|
        more = told["routes"][route].drop(1) + totals[route]
        rows[route] = rows[route].zip(more).map(&:sum)
      end
    end
    [rows, met, rows.values.sum { |row| row[1] }.fdiv(processes.sum { |told, _| told["cpu"] })]
  end

  # An instant stands for the more time the fewer there are: where the rate was lowered they count for most of the chance.
  def self.instants_per_ns(windows)
    rows = windows.map { |window| [window["counters"]["cpu_ns"], 1e9 / window["counters"]["rate_hz"]] }
    rows.sum(&:first) / rows.sum { |cpu, period| cpu * period }
  end

  # {"cpu" => [wall, CPU], ...}
  def self.found(channel)
    labels = channel["frames"].map { |frame| frame && frame["label"].to_s[/\ARoutes#(\w+)\z/, 1] }
    on_stack = [nil]                   # of each node; parents come first
    channel["nodes"].each_with_index { |(parent, frame), id| on_stack[id] = on_stack[parent] || labels[frame] unless id.zero? }
    totals = ROUTES.to_h { |route| [route, [0, 0]] }
    channel["windows"].each do |window|
      (window["cells"] + window["late"].map { |row| row.drop(1) }).each do |node, _, _, _, wall, cpu|
        row = totals[on_stack[node]] or next
        row[0] += wall
        row[1] += cpu
      end
    end
    totals
  end

  # The standard deviation of a share of CPU that so many instants leave.
  def self.chance(met) = SPREAD * Math.sqrt(0.25 / [met, 1].max)

  # The same of the sum of all routes, which are this part of what the process did.
  def self.chance_of_sum(met, part) = SPREAD * Math.sqrt((1 - part) / [met, 1].max)

  # [true share, found share] of a route among these by clock (0 wall, 1 CPU).
  def self.share(rows, route, clock, among = ROUTES)
    [clock, clock + 2].map { |at| rows[route][at].fdiv(rows.values_at(*among).sum { |row| row[at] }) }
  end
end
