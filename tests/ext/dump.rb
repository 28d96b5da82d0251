# A channel as channel_dump printed it, with the sums that tests ask for. Times are ns.
require "json"
require "open3"

class Dump
  TOOL = "#{ENV["RTOP_BUILD"] || File.expand_path("../../build", __dir__)}/tests/tools/channel_dump"
  Cell = Struct.new(:node, :thread, :state, :samples, :wall, :cpu, :allocations, :blame)
  Late = Struct.new(:start, *Cell.members)
  Thread = Struct.new(:serial, :name, :start, :end, :native_id, :main, :ended)

  attr_reader :data
  attr_accessor :told_ns # when the program said that it was over

  # nil when there is no channel (any more).
  def self.read(target, *options)
    out, err, status = Open3.capture3(TOOL, target.to_s, *options.map(&:to_s))
    return new(JSON.parse(out), out) if status.success?
    raise "channel_dump: #{err}" unless status.exitstatus == 1
  end

  def initialize(data, text = nil)
    @data = data
    @text = text
    @stacks, @labels, @above = {}, {}, {}
    data["windows"].each do |window|
      window["cells"].map! { |row| Cell.new(*row) }
      window["late"].map! { |row| Late.new(*row) }
    end
    take_back
  end

  # The windows as the channel tells them, before later ones corrected them.
  def told = JSON.parse(@text)["windows"]

  UNSAMPLED = 2 # the node of time that no stack was seen for yet

  # Late records tell whose time it was that earlier windows could not tell: it is theirs, no longer nobody's.
  def take_back
    unsampled = windows.map { |window| window["cells"].select { |cell| cell.node == UNSAMPLED }.to_h { |cell| [[cell.thread, cell.state], cell] } }
    late.each do |record|
      to = record.start + record.wall
      first = windows.bsearch_index { |window| window["end_ns"] > record.start } or next
      (first...windows.size).each do |at|
        window = windows[at]
        break if window["start_ns"] >= to
        cell = unsampled[at][[record.thread, record.state]] or next
        part = [overlap(record, window["start_ns"], window["end_ns"]), cell.wall].min
        cell.wall -= part
      end
    end
  end

  def [](key) = @data[key]
  def windows = @data["windows"]
  def frames = @data["frames"]
  def counters = @data["counters"]
  def state = @data["state"]
  def labels = frames.map { |frame| frame["label"] }

  def threads
    @threads ||= @data["threads"].values.to_h do |row|
      [row["serial"], Thread.new(row["serial"], row["name"], row["start_ns"], row["end_ns"], row["native_id"],
                                 row["main"], row["ended"])]
    end
  end

  def main = threads.values.find(&:main)

  # Thread by name; nil when there is none.
  def thread(name) = threads.values.find { |thread| thread.name == name }

  # Frames of a node, leaf first, as [frame, line].
  def stack_frames(node)
    @stacks[node] ||= begin
      stack, at = [], node
      until at.zero?
        parent, frame, line, = @data["nodes"][at]
        stack << [frames[frame], line]
        at = parent
      end
      stack
    end
  end

  def stack(node) = @labels[node] ||= stack_frames(node).map { |frame, _| frame["label"] }
  def leaf(node) = node.zero? ? nil : frames[@data["nodes"][node][1]]["label"]
  def lines(node) = stack_frames(node).map { |_, line| line }

  # Whether a frame with the label is on the stack of the node.
  def on_stack?(node, label)
    known = @above[label] ||= { 0 => false }
    path = []
    until known.key?(node) || leaf(node) == label
      path << node
      node = @data["nodes"][node][0]
    end
    found = known[node] = known.fetch(node, true)
    path.each { |one| known[one] = found }
    found
  end

  # Time of a thread or state that nobody owns (any more).
  def unsampled(thread: nil, state: nil) = total(thread: thread, state: state, leaf: "(not sampled)")

  # Every cell of the history, late ones too.
  def cells = @cells ||= windows.flat_map { |window| window["cells"] + window["late"] }
  def late = windows.flat_map { |window| window["late"] }
  def cells_of(thread) = (@cells_of ||= cells.group_by(&:thread)).fetch(thread, [])

  # {[thread, state] => wall}, or with another field.
  def by_state(field = :wall)
    cells.each_with_object(Hash.new(0)) { |cell, sums| sums[[cell.thread, cell.state]] += cell[field] }
  end

  # {[thread, state, label of the leaf] => wall}
  def by_leaf(field = :wall)
    cells.each_with_object(Hash.new(0)) do |cell, sums|
      sums[[cell.thread, cell.state, leaf(cell.node)]] += cell[field]
    end
  end

  def total(field = :wall, thread: nil, state: nil, leaf: nil, on_stack: nil)
    states = state && Array(state)
    (thread ? cells_of(thread) : cells).sum do |cell|
      next 0 if states && !states.include?(cell.state)
      next 0 if leaf && leaf(cell.node) != leaf || on_stack && !on_stack?(cell.node, on_stack)
      cell[field]
    end
  end

  def start_ns = windows.first["start_ns"]
  def end_ns = windows.last["end_ns"]

  # Part of a thread's life that the windows cover.
  def lifetime(thread)
    last = thread.ended ? [thread.end, end_ns].min : end_ns
    last - [thread.start, start_ns].max
  end

  # {sequence => [part of the window in which the thread lived, how much of it has an owner]}: cells, late
  # records spread over the windows they overlap, provisional time that no late record replaced.
  def per_window(thread)
    late = self.late.select { |record| record.thread == thread.serial }
    windows.each_with_object({}) do |window, sums|
      row = window["threads"].find { |candidate| candidate["serial"] == thread.serial } or next
      from = [window["start_ns"], thread.start].max
      to = thread.ended ? [window["end_ns"], thread.end].min : window["end_ns"]
      own = window["cells"].sum { |cell| cell.thread == thread.serial ? cell.wall : 0 }
      spread = late.sum { |record| overlap(record, window["start_ns"], window["end_ns"]) }
      open_from = window["end_ns"] - row["provisional_ns"]
      open = row["provisional_ns"] - late.sum { |record| overlap(record, open_from, window["end_ns"]) }
      sums[window["sequence"]] = [[to - from, 0].max, own + spread + [open, 0].max]
    end
  end

  def overlap(record, from, to)
    [[record.start + record.wall, to].min - [record.start, from].max, 0].max
  end

  def counter(name) = windows.sum { |window| window["counters"][name] || 0 }

  # Rows of a thread in all windows, with its window.
  def rows(serial)
    windows.filter_map do |window|
      row = window["threads"].find { |thread| thread["serial"] == serial }
      [window, row] if row
    end
  end
end
