# What is told exactly: traced methods, all calls, where objects are made. Beside Support; the class has WHAT and STATES.
require_relative "support"

module Exact
  # Jobs run when something does.
  AWAKE = "Thread.new { loop { sleep 0.002 } }\n"

  # A viewer that asks for all that is `wanted`, until it is closed.
  def view(program, *wanted, seconds: nil, slower_us: nil, rate: 1000)
    options = wanted.flat_map { |one| ["--trace", one] }
    options += ["--trace-slower", slower_us.to_s] if slower_us
    options += ["--trace-seconds", seconds.to_s] if seconds
    (@viewers ||= []) << IO.popen([Dump::TOOL, program.channel, "--watch", rate.to_s, "--until-eof", *options], "w",
                                  out: File::NULL, err: File::NULL)
    @viewers.last
  end

  def teardown
    @viewers&.each { |viewer| viewer.close rescue nil }
    super
  end

  # A dump that tells all that has happened: the newest window may be one before the present one, the next job names what the
  # present one has, and a later window tells it.
  def dump_of_all(program)
    last = program.dump.windows.last["sequence"]
    program.dump_until("windows more") { |dump| dump.windows.last["sequence"] > last + 4 }
  end

  def rows(dump) = dump.windows.flat_map { |window| window["exact"] }

  # In the newest window; nil when it tells none.
  def state(dump)
    row = (dump.windows.last&.fetch("exact") || []).find { |_, what,| what == self.class::WHAT[:state] }
    row && self.class::STATES[row.last]
  end

  def until_state(program, *wanted)
    program.dump_until("#{wanted}") { |dump| wanted.include?(state(dump)) }
  end
end
