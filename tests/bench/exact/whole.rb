# What tracing all calls costs: tarai and rdoc, as the paper of 2011 has it (research: origins), and where the cost goes.
#
#   ruby tests/bench/exact/whole.rb BUILD [--rounds N] [--rdoc N]
#
# Two processes a program. In the rounds of the first: nothing, a hook of the VM's that does nothing (calls of Ruby), ours,
# nothing again. Of the second: hooks of calls in C, too, one that does nothing and one that reads the clock, ours, nothing
# again, and ruby-prof where its gem is installed. Told are medians of CPU time over that of nothing: in the first that of
# the same round, in the second that of the first process, because calls of C once told of leave a program slower.
require "io/wait"
require "json"
require "open3"
require "optparse"
require "rbconfig"
require "tmpdir"
require_relative "../results"
require_relative "wait"

rounds, rdoc = 5, 0
OptionParser.new do |parser|
  parser.on("--rounds N", Integer) { |value| rounds = value }
  parser.on("--rdoc N", Integer) { |value| rdoc = value }
end.parse!(ARGV)
BUILD = File.expand_path(ARGV.shift || "build")
DUMP = "#{BUILD}/tests/tools/channel_dump"

HOOKS = <<~'C'
  #include <ruby.h>
  #include <ruby/debug.h>
  #include <time.h>
  static volatile unsigned long events;
  static void bare(VALUE data, const rb_trace_arg_t *event) { events++; }
  static void with_clock(VALUE data, const rb_trace_arg_t *event)
  {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    events++;
  }
  static rb_event_hook_func_t chosen(VALUE clock) { return (rb_event_hook_func_t)(void (*)(void))(RTEST(clock) ? with_clock : bare); }
  static VALUE on(VALUE self, VALUE clock, VALUE which)
  {
    events = 0;
    rb_add_event_hook2(chosen(clock), NUM2UINT(which), Qnil, RUBY_EVENT_HOOK_FLAG_SAFE | RUBY_EVENT_HOOK_FLAG_RAW_ARG);
    return Qnil;
  }
  static VALUE off(VALUE self, VALUE clock) { rb_remove_event_hook(chosen(clock)); return ULONG2NUM(events); }
  void Init_bare_hooks(void)
  {
    VALUE module = rb_define_module("BareHooks");
    rb_define_singleton_method(module, "on", on, 2);
    rb_define_singleton_method(module, "off", off, 1);
  }
C

PROGRAM = <<~'RUBY'
  require "io/wait"
  require "json"
  require "bare_hooks"
  begin
    require "ruby-prof"
  rescue LoadError
  end
  def tarai(x, y, z) = x <= y ? y : tarai(tarai(x - 1, y, z), tarai(y - 1, z, x), tarai(z - 1, x, y))
  if ARGV[0] == "rdoc"
    require "rdoc"
    require "tmpdir"
    FILES = Dir["#{RbConfig::CONFIG["rubylibdir"]}/{set,optparse,uri/*,net/http*,json/**/*,erb,csv,time,logger,tempfile,open3}.rb"].first(ARGV[1].to_i)
    def work = Dir.mktmpdir { |folder| RDoc::RDoc.new.document(["-q", "-o", "#{folder}/doc", *FILES]) }
  else
    def work = tarai(10, 5, 0)
  end
  def cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
  def timed = (from = cpu; yield; cpu - from)
  def hooked(clock, events)
    BareHooks.on(clock, events)
    took = timed { work }
    [took, BareHooks.off(clock)]
  end
  loop do
    sleep 0.002 until $stdin.wait_readable(0)
    line = $stdin.gets or break
    result = case line.chomp
             when "ruby" then hooked(false, 0x18)
             when "all" then hooked(false, 0x78)
             when "clock" then hooked(true, 0x78)
             when "ruby-prof" then defined?(RubyProf) ? [timed { RubyProf::Profile.profile(track_allocations: false) { work } }] : [nil]
             else [timed { work }]
             end
    puts result.to_json
    $stdout.flush
  end
RUBY

def state(channel) = whole_state(DUMP, channel)
def median(values) = values.sort[values.size / 2]

def build_hooks(folder)
  File.write("#{folder}/bare_hooks.c", HOOKS)
  File.write("#{folder}/extconf.rb", 'require "mkmf"; create_makefile("bare_hooks")')
  out, status = Open3.capture2e("#{RbConfig.ruby} extconf.rb && make", chdir: folder)
  status.success? or abort out
end

def measure(folder, rounds, in_c, *arguments)
  io = IO.popen([{ "RPERF_TOP_DIR" => folder, "RPERF_TOP_KEEP" => "0" }, RbConfig.ruby, "-I", BUILD, "-I", folder, "-rrperf_top", "#{folder}/program.rb",
                 *arguments], "r+", err: File::NULL)
  channel = wait_for("the channel") { Dir["#{folder}/rperf-top.*.#{io.pid}.*"].grep_v(/ctl\z/).first }
  ask = ->(what) { io.puts(what); io.flush; JSON.parse(io.gets) }
  ask.("plain")
  results = rounds.times.map do
    row = { before: ask.("plain").first }
    row[:ruby], row[:ruby_events] = ask.("ruby") unless in_c
    row[:all], row[:events] = ask.("all") if in_c
    row[:clock], = ask.("clock") if in_c
    (in_c ? { "*" => :ours } : { "*r" => :ours_ruby }).each do |name, key|
      viewer = IO.popen([DUMP, channel, "--watch", "100", "--until-eof", "--trace", name, "--trace-seconds", "60"], "w", out: File::NULL)
      wait_for("tracing") { state(channel) == :on }
      row[key], = ask.("plain")
      row[:state] = state(channel)
      viewer.close
      wait_for("its end") { JSON.parse(IO.popen([DUMP, channel], &:read))["windows"].last["exact"].empty? }
    end
    row[:after], = ask.("plain")
    row[:ruby_prof], = ask.("ruby-prof") if in_c
    row
  end
  io.close
  results
end

def tell(name, plain, in_c)
  before = median(plain.map { |row| row[:before] })
  calls, ruby_calls = in_c[0][:events] / 2, plain[0][:ruby_events] / 2
  more = ->(key) { (median(in_c.map { |row| row[key] }) - before) / calls * 1e9 }
  puts format("%s: %.3f s CPU, %d calls, of them of Ruby %d (%d rounds, medians; ours ended %s)", name, before, calls, ruby_calls, plain.size,
              (plain + in_c).map { |row| row[:state] }.uniq.join("/"))
  { "bare hook, Ruby calls" => :ruby, "ours, Ruby calls" => :ours_ruby, "plain afterwards" => :after }.each do |title, key|
    puts format("  %-32s x%.3f", title, median(plain.map { |row| row[key] / row[:before] }))
  end
  { "bare hook, all calls" => :all, "hook with clock_gettime" => :clock, "ours, all calls" => :ours, "plain afterwards, for good" => :after,
    "ruby-prof" => :ruby_prof }.each do |title, key|
    found = in_c.filter_map { |row| row[key] }
    puts found.empty? ? format("  %-32s not installed", title) : format("  %-32s x%.3f", title, median(found) / before)
  end
  keep("whole/#{name[/\w+/]}", plain, in_c, before)
  puts format("  a call: %.0f ns more, of which the bare hook has %.0f", more.(:ours), more.(:all))
end

def keep(key, plain, in_c, before)
  ratios = ->(of) { plain.map { |row| row[of] / row[:before] } }
  for_good = ->(of) { in_c.filter_map { |row| row[of]&.fdiv(before) }.then { |values| values.empty? ? nil : Results.median(values) } }
  Results.keep(key, Results.median(ratios.(:ours_ruby)), at: "calls in Ruby", beside: { "bare hook" => Results.median(ratios.(:ruby)) })
  Results.keep(key, Results.median(ratios.(:after)), at: "afterwards")
  Results.keep(key, for_good.(:ours), at: "all calls", beside: { "bare hook" => for_good.(:all), "hook with a clock" => for_good.(:clock), "ruby-prof" => for_good.(:ruby_prof) })
  Results.keep(key, for_good.(:after), at: "afterwards, for good")
end

Dir.mktmpdir("rperf-top-whole.", "/dev/shm") do |folder|
  build_hooks(folder)
  File.write("#{folder}/program.rb", PROGRAM)
  both = ->(rounds, *arguments) { [false, true].map { |in_c| measure(folder, rounds, in_c, *arguments) } }
  tell("tarai(10, 5, 0)", *both.(rounds, "tarai"))
  tell("rdoc of #{rdoc} files", *both.([rounds, 3].min, "rdoc", rdoc.to_s)) if rdoc.positive?
end
