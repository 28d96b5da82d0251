# All calls of the program: counts against its own counters, the tree, times, beginnings and ends.
require_relative "support"

class WholeTest < Minitest::Test
  include Support

  WHAT = { state: 32, traced: 33, own: 34, untimed: 35, unnamed: 36, calls: 40, total: 41, self: 42 }.freeze
  STATES = { 1 => :on, 2 => :telling, 3 => :done, 4 => :full, 5 => :yjit, 6 => :refused }.freeze
  # Jobs run when something does.
  AWAKE = "Thread.new { loop { sleep 0.002 } }\n"

  def view(program, seconds: 60, name: "*")
    @viewers ||= []
    @viewers << IO.popen([Dump::TOOL, program.channel, "--watch", "1000", "--until-eof", "--trace", name, "--trace-seconds",
                          seconds.to_s], "w", out: File::NULL, err: File::NULL)
    @viewers.last
  end

  def teardown
    @viewers&.each { |viewer| viewer.close rescue nil }
    super
  end

  def rows(dump) = dump.windows.flat_map { |window| window["exact"] }

  def state(dump)
    row = (dump.windows.last&.fetch("exact") || []).find { |_, what,| what == WHAT[:state] }
    row && STATES[row.last]
  end

  def until_state(program, *wanted)
    program.dump_until("#{wanted}") { |dump| wanted.include?(state(dump)) }
  end

  def sum(dump, what, label = nil)
    rows(dump).sum { |node, one, _, value| one == WHAT[what] && (!label || dump.leaf(node) == label) ? value : 0 }
  end

  # {[frames from the root on] => calls}
  def tree(dump)
    rows(dump).each_with_object(Hash.new(0)) { |(node, what, _, value), sums| sums[dump.stack(node)] += value if what == WHAT[:calls] }
  end

  # Runs `code` while everything is traced, from when it said "ready" until it said what it has counted.
  def whole(code, env: {})
    program = start("#{AWAKE}#{code}", env:)
    assert_equal "ready", program.line
    viewer = view(program)
    until_state(program, :on)
    program.puts
    answer = eval(program.line)
    viewer.close_write
    last = program.dump.windows.last["sequence"]
    dump = program.dump_until("windows without numbers") do |one|
      one.windows.last["sequence"] > last + 3 && one.windows.last(2).all? { |window| window["exact"].empty? }
    end
    [dump, answer, program]
  end
end
