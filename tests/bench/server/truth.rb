# What the viewer says of requests or jobs with planted faults, beside the log that their program kept (faults.rb).
require "json"
require "open3"

class Truth
  PAIRS = { gvl: %w[health report], lock: %w[stock checkout] }.freeze # who waits, and whom for
  SHARES = { "p50" => 0.5, "p90" => 0.9, "p99" => 0.99 }.freeze

  # What a viewer says of processes, all that they have: {value of the label => row}.
  def self.rows(build, folder, pids)
    out, err, status = Open3.capture3({ "RPERF_TOP_DIR" => folder }, "#{build}/rperf-top", "-b", "-J", "-n", "1", "-F", "all", "-p",
                                      pids.join(","), stdin_data: "")
    raise "the viewer failed: #{err}" unless status.success?
    (JSON.parse(out.lines.last)["labels"] || []).to_h { |row| [row["value"], row] }
  end

  # told: of each process (Faults.told). The block says what value of the label the pieces of a name have.
  def initialize(told, &label)
    @logs = told.map { |one| one["log"] }
    @label = label
  end

  def label(name) = @label.call(name)

  # How long each piece took, in s: [[by the clock within its labels, by the clock around them], ...]
  def pieces(name)
    lines("pieces", name).map { |within, around| [within / 1e9, around / 1e9] }
  end

  # Do these rows have all pieces that the log has?
  def all?(rows, names)
    names.all? { |name| rows.dig(label(name), "latency", "ended").to_i >= pieces(name).size }
  end

  # As the viewer counts: the least one that as many are not longer than.
  def self.quantile(times, share) = times.sort[[(times.size * share).ceil, 1].max - 1]

  # Seconds for which one waited while the other had it.
  def overlap(kind)
    waiter, holder = PAIRS.fetch(kind)
    @logs.sum do |log|
      waits, held = log["asked_#{kind}"], log["had_#{kind}"]
      of(waits, waiter).sum { |asked, got| of(held, holder).sum { |from, to| [[to, got].min - [from, asked].max, 0].max } }
    end / 1e9
  end

  # Seconds between asking for it and getting it.
  def asked(kind, name) = lines("asked_#{kind}", name).sum { |asked, got| got - asked } / 1e9

  # How often one asked for what the other had at that moment.
  def met(kind)
    waiter, holder = PAIRS.fetch(kind)
    @logs.sum { |log| of(log["asked_#{kind}"], waiter).count { |asked, _| of(log["had_#{kind}"], holder).any? { |from, to| (from..to).cover?(asked) } } }
  end

  # What a row says of those that its label waited behind: {"stretches", "time"}.
  def behind(rows, kind)
    waiter, holder = PAIRS.fetch(kind).map { |name| label(name) }
    found = (rows.dig(waiter, "waits_behind") || []).select { |row| row["holder"] == holder && (kind == :lock) == (row["cause"] == "lock") }
    %w[stretches time].to_h { |key| [key, found.sum { |row| row[key] }] }
  end

  private

  def of(lines, name) = lines.filter_map { |line| line.drop(1) if line[0] == name }
  def lines(kind, name) = @logs.flat_map { |log| of(log[kind], name) }
end
