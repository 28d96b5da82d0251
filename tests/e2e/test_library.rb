# librperf_top as others use it: its file, its header, its manual page, and the Ruby class on top, on real processes.
require_relative "support"
$LOAD_PATH.unshift(E2E::BUILD)
FIDDLE = E2E.for_fiddle
unless FIDDLE
  $stdout.syswrite("skip: TestLibrary#all: the gem fiddle is not here\n")
  exit!(77)
end
$LOAD_PATH.unshift(*FIDDLE.grep_v("-I"))
require "rperf_top/reader"

class TestLibrary < Minitest::Test
  include E2E

  LIBRARY = "#{BUILD}/librperf_top.so.0"
  HEADER = "#{ROOT}/tui/reader/rperf_top_reader.h"
  PAGE = File.read("#{ROOT}/man/librperf_top.3")
  CC = ENV["CC"].to_s.empty? ? "cc" : ENV["CC"]
  Reader = RperfTop::Reader

  # Ends when it is told to on standard input: each line is evaluated, and answered.
  TOLD = <<~'RUBY'
    $stdout.sync = true
    def busy(seconds) = (nil until Process.clock_gettime(1) > (@until ||= 0); @until = Process.clock_gettime(1) + seconds; nil until Process.clock_gettime(1) > @until)
    $stdin.each_line { |line| eval(line); puts "done" }
  RUBY

  # Yields its pid and how to tell it something; it may be ended by the block.
  def told_process
    Dir.mktmpdir("rperf-top-library.", File.writable?("/dev/shm") ? "/dev/shm" : nil) do |folder|
      ENV["RPERF_TOP_DIR"] = folder
      env = { "RUBYLIB" => BUILD, "RUBYOPT" => "-rrperf_top", "RPERF_TOP_DIR" => folder }
      Open3.popen2(env, RbConfig.ruby, "-e", TOLD) do |input, output, thread|
        wait_until("a channel") { Dir["#{folder}/rperf-top.*.#{thread.pid}.????????????????"].any? }
        tell = lambda do |line|
        input.puts(line)
        output.gets
      end
        yield thread.pid, tell, input
      ensure
        Process.kill(:KILL, thread.pid) rescue nil
      end
    end
  ensure
    ENV.delete("RPERF_TOP_DIR")
  end

  # C that is compiled, and what it prints.
  def compiled(name, source, *options)
    path = "#{E2E.logs}/#{name}"
    File.write("#{path}.c", source)
    out, status = Open3.capture2e(CC, *options, "-Wall", "-Wextra", "-Werror", "-I", File.dirname(HEADER), "-o", path, "#{path}.c",
                                  "-L", BUILD, "-lrperf_top", "-Wl,-rpath,#{BUILD}")
    assert status.success?, out
    path
  end

  def examples = PAGE[/^\.Sh EXAMPLES\n(.*?)^\.Sh/m, 1].scan(/^\.Bd -literal.*?\n(.*?)^\.Ed/m).flatten.map { |text| text.gsub("\\e", "\\") }

  # ---- the file and the header ----

  def test_it_exports_what_its_map_says
    versions = File.read("#{ROOT}/tui/reader/librperf_top.map").scan(/^(RPERF_TOP_\d) \{\n  global:(.*?)(?:local:|\})/m)
    versions = versions.to_h { |version, names| [version, names.scan(/\w+/)] }
    assert_equal %w[RPERF_TOP_0 RPERF_TOP_1], versions.keys
    assert_equal 29, versions["RPERF_TOP_0"].size, "programs are linked with these"
    wanted = versions.values.flatten
    defined = `nm -D --defined-only --with-symbol-versions #{LIBRARY}`.lines.map { |line| line.split.last }
    exported = versions.flat_map { |version, names| [*names, version].map { |name| "#{name}@@#{version}" } }
    assert_equal exported.sort, defined.map { |name| name.sub(/\A(RPERF_TOP_\d)\z/, '\1@@\1') }.sort
    declared = File.read(HEADER).scan(/^RPERF_TOP_API .*?\b(rperf_top_\w+)\(/m).flatten
    assert_equal wanted.sort, declared.sort
    assert_equal wanted.sort, Reader::Library::FUNCTIONS.keys.map { |name| "rperf_top_#{name}" }.sort
    structures = File.read(HEADER).scan(/\bstruct (rperf_top_\w+)/).flatten.uniq + ["rperf_top_reader"]
    assert_empty PAGE.scan(/\brperf_top_[a-z_]+\b/).uniq - wanted - structures
  end

  def test_what_it_needs
    dynamic = `readelf -d #{LIBRARY}`
    assert_match(/SONAME.*\[librperf_top\.so\.0\]/, dynamic)
    assert_empty dynamic.scan(/NEEDED.*\[(.+)\]/).flatten.grep_v(/\A(liblz4|libjansson|libz|libc|libm|libpthread|ld-linux[-\w]*)\.so/)
    refute_match(/R(UN)?PATH|TEXTREL/, dynamic)
    assert_match(/NODELETE/, dynamic)
    refute_match(/ U (exit|abort|printf|puts)@/, `nm -D --undefined-only #{LIBRARY}`)
  end

  def test_the_header_stands_alone
    { [CC, "-std=c99"] => "c", [CC, "-std=c11"] => "c", ["c++", "-std=c++11"] => "c++" }.each do |command, language|
      next unless system(command[0], "--version", out: File::NULL, err: File::NULL)
      out, status = Open3.capture2e(*command, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-x", language, "-",
                                    stdin_data: "#include \"#{HEADER}\"\n#include \"#{HEADER}\"\n")
      assert status.success?, out
    end
  end

  STRUCTURES = { "error" => :ERROR, "cost" => :COST, "process" => :PROCESS, "totals" => :TOTALS, "method" => :METHOD,
                 "thread" => :THREAD, "label" => :LABEL, "latency" => :LATENCY, "request" => :REQUEST, "behind" => :BEHIND, "event" => :EVENT, "lost" => :LOST }.freeze
  OTHER_NAMES = { "errno" => "errno_value", "start_ns" => "span.start_ns", "end_ns" => "span.end_ns" }.freeze

  # Members of the header's structures stand where Ruby reads them, and Ruby reads all.
  def test_ruby_knows_the_structures
    lines = STRUCTURES.flat_map do |name, constant|
      layout = Reader.const_get(constant)
      layout.members.map do |member|
        field = OTHER_NAMES.fetch(member.name.to_s, member.name.to_s)
        field = member.name.to_s if name != "totals" && name != "error"
        %(printf("%zu %zu\\n", offsetof(struct rperf_top_#{name}, #{field}), sizeof(((struct rperf_top_#{name} *)0)->#{field}));)
      end + [%(printf("%zu\\n", sizeof(struct rperf_top_#{name}));)]
    end
    sizes = %w[options filter event_filter span].map { |name| %(printf("%zu\\n", sizeof(struct rperf_top_#{name}));) }
    source = "#include <rperf_top_reader.h>\n#include <stdio.h>\nint main(void)\n{\n#{(lines + sizes).join("\n")}\n}\n"
    out = IO.popen(compiled("offsets", source), &:read)
    expected = STRUCTURES.flat_map do |_, constant|
      layout = Reader.const_get(constant)
      layout.members.map { |member| "#{member.offset} #{Reader::Layout::BYTES[member.type] * (member.count || 1)}" } + [layout.bytes.to_s]
    end
    assert_equal expected + %w[56 88 32 16], out.lines.map(&:chomp)
  end

  def test_ruby_knows_the_numbers
    header = File.read(HEADER)
    Reader::EVENTS.each_with_index { |name, kind| assert_equal name.to_s.tr("_", "-"), Reader::Library.call(:event_name, kind).to_s }
    assert_equal "", Reader::Library.call(:event_name, Reader::EVENTS.size).to_s
    { Reader::STATES => ["rperf_top_state", "RPERF_TOP_"], Reader::PROCESS_STATES => ["rperf_top_process_state", "RPERF_TOP_"],
      Reader::METHOD_KINDS => ["rperf_top_method_kind", "RPERF_TOP_METHOD_"], Reader::CAUSES => ["rperf_top_cause", "RPERF_TOP_CAUSE_"],
      Reader::BEHIND_CAUSES => ["rperf_top_behind_cause", "RPERF_TOP_BEHIND_"] }.each do |names, (enumeration, prefix)|
      said = header[/^enum #{enumeration} \{(.*?)^\};/m, 1].gsub(%r{/\*.*?\*/}m, "").scan(/\w+/) - %w[RPERF_TOP_STATES RPERF_TOP_CAUSES RPERF_TOP_CAUSES_ROOM 16]
      assert_equal names.map { |name| "#{prefix}#{name.upcase}" }, said
    end
    Reader::CAUSES.each_with_index { |name, cause| assert_equal name.to_s, Reader::Library.call(:cause_name, cause).to_s }
    PAGE[/\.Ss Events(.*?)\.Ss/m, 1].scan(/^\.It Cm (.+)/).flatten.flat_map { |line| line.split(" , ") }.then do |explained|
      assert_equal Reader::EVENTS.map { |name| name.to_s.tr("_", "-") }, explained
    end
  end

  # ---- the examples of the manual ----

  def test_the_viewer_of_the_manual
    source = examples.grep(/rperf_top_reader\.h/).first
    assert_operator source.lines.size, :<=, 25
    viewer = compiled("viewer", source)
    told_process do |pid, tell|
      out = IO.popen([viewer, pid.to_s])
      tell["busy 1.5"]
      Process.kill(:KILL, pid)
      lines = out.readlines
      out.close
      assert $?.success?
      busy = lines.grep(/\A[\d.]+ ms (Object#busy|Process\.clock_gettime)/)
      assert_operator busy.size, :>=, 5, lines.join
      assert busy.any? { |line| line.to_f > 300 }, lines.join
    end
    _, err, status = Open3.capture3(viewer, "999999999")
    assert_equal 1, status.exitstatus
    assert_match(/no process 999999999/, err)
  end

  def test_the_script_of_the_manual
    script = examples.grep(%r{rperf_top/reader}).first
    assert_operator script.lines.size, :<=, 10
    File.write("#{E2E.logs}/follow.rb", script)
    told_process do |pid, tell|
      tell["sleep 0.3; RperfTop.mark('begin')"]
      out = IO.popen([{ "RUBYOPT" => nil }, RbConfig.ruby, *FIDDLE, "-I", BUILD, "-e", "$stdout.sync = true; load ARGV.shift",
                      "#{E2E.logs}/follow.rb", pid.to_s])
      lines = [out.gets]
      tell["Thread.new { Thread.current.name = 'helper'; busy 0.5 }.join; busy 0.5; RperfTop.mark('end')"]
      tell["RperfTop.stop"]
      Process.kill(:KILL, pid)
      lines.concat(out.readlines)
      out.close
      assert $?.success?
      kinds = lines.filter_map { |line| line[/ (mark \w+|thread_\w+)/, 1] }
      assert_equal ["mark begin", "thread_started", "thread_ended", "mark end"], kinds.reject.with_index { |kind, at| kinds[0, at].include?(kind) }, lines.join
      assert lines.grep(/\A\d+ ms (Object#busy|Process\.clock_gettime)/).any?, lines.join
    end
  end

  # ---- the class ----

  def test_processes
    told_process do |pid, tell|
      tell["1"]
      row = Reader.processes.find { |process| process.pid == pid }
      assert_equal [:live, Process.uid, RUBY_VERSION, ""], [row.state, row.uid, row.ruby, row.end]
      assert_match(/ruby/, row.command)
      Reader.open(pid) do |reader|
        reader.wait(10)
        assert_equal [pid], reader.processes.map(&:pid)
        assert_nil reader.problem
        refute reader.over?
      end
    end
  end

  def test_sums
    told_process do |pid, tell|
      Reader.open(pid, hz: 500) do |reader|
        tell["RperfTop.label(job: 'sums') { busy 1 }; 4.times { 200_000.times { Object.new }; sleep 0.05 }; 5.times { raise 'x' rescue 0 }"]
        sum = wait_until("what it did") do
          reader.wait(0.2)
          reader.sum.then { |now| now if now.totals.gc_minor >= 1 && now.totals.exceptions >= 5 && now.labels.sum(&:count) == 1 }
        end
        busy = sum.methods.find { |method| method.name == "Object#busy" }
        assert_in_delta 1e9, busy.total_ns, 3e8
        assert_equal :ruby, busy.kind
        assert_operator busy.total_cost.held_ns, :>, 0.7e9
        assert_operator sum.totals.cost.wall_ns, :>=, sum.totals.cost.held_ns
        assert_operator sum.totals.cost.marking, :>, 0
        assert_equal pid, sum.threads.find(&:is_main).pid
        label = sum.labels.find { |row| row.value == "sums" }
        assert_equal ["job", 1], [label.key, label.count]
        assert_in_delta 1e9, label.cost.wall_ns, 3e8
        assert_equal ["Object#busy"], reader.sum(methods: "^Object#busy ").methods.map(&:name)
        assert_empty reader.sum(exclude: ["<main>"], methods: "busy", threads: "no thread is called so").methods
        assert_operator reader.sum(label: "job=sums").totals.cost.wall_ns, :<, sum.totals.cost.wall_ns
        assert_operator reader.sum(reader.last(0.2)).totals.length_ns, :<=, 300_000_000
        error = assert_raises(Reader::Error) { reader.sum(methods: "(") }
        assert_equal 8, error.code
        assert_match(/\A'\('/, error.message)
        assert_raises(Reader::Error) { reader.sum(sort: "delta") }
      end
    end
  end

  # Requests that sleep, or wait for the GVL that another thread has, and one that goes on.
  def test_latency_of_requests
    told_process do |pid, tell|
      Reader.open(pid) do |reader|
        tell["20.times { RperfTop.label(endpoint: 'GET /nap') { sleep 0.02 } }; RperfTop.label(endpoint: 'GET /long') { sleep 0.4 }"]
        # The other thread takes 0.3 s of a core while this one spins, too.
        tell["Thread.new { RperfTop.label(endpoint: 'GET /hangs') { sleep } }; cpu = -> { Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) }; go = false; " \
             "other = Thread.new { RperfTop.label(job: 'spins') { nil until go; from = cpu[]; nil until cpu[] > from + 0.3 } }; " \
             "RperfTop.label(endpoint: 'GET /waits') { go = true; nil while other.alive? }"]
        rows = nil
        sum = wait_until("what it did") do
          reader.wait(0.2)
          reader.sum.then do |now|
            rows = now.labels.to_h { |row| [row.value, row] }
            now if rows["GET /nap"]&.ended == 20 && rows["GET /long"]&.ended == 1 && rows["GET /waits"]&.ended == 1 && rows["GET /hangs"]&.open == 1
          end
        end
        nap = rows["GET /nap"].latency
        assert_equal 20, nap[:whole].count
        assert nap[:whole].known
        assert_operator nap[:whole].p50_ns, :>=, 19_500_000
        assert_operator nap[:whole].max_ns, :>=, nap[:whole].p99_ns
        assert_equal nap[:whole].sum_ns, (Reader::CAUSES - [:whole]).sum { |cause| nap[cause].sum_ns }
        assert_operator nap[:sleep].sum_ns, :>, 390_000_000
        assert_empty rows["GET /hangs"].latency
        assert_operator rows["GET /hangs"].oldest_ns, :>, 0
        long = sum.requests.find { |request| request.labels == "endpoint=GET /long" }
        assert_equal [pid, :sleep, "main"], [long.pid, long.cause, long.thread.empty? ? "main" : long.thread]
        assert_equal long.end_ns - long.start_ns, long.took[:whole]
        assert_operator long.took[:sleep], :>=, 390_000_000
        assert_equal 5, sum.requests.count { |request| request.labels == "endpoint=GET /nap" }, "the slowest"
        assert_operator rows["GET /waits"].latency[:gvl].sum_ns, :>, 0
        behind = sum.behind.select { |row| row.value == "GET /waits" && row.cause == :gvl }
        assert_includes behind.map(&:holder), "job=spins", behind.inspect
        slow = reader.sum(slower: 0.39).requests.map(&:labels)
        assert_includes slow, "endpoint=GET /long"
      end
    end
  end

  # Kinds in the order in which the program did these things; each with the instant at which it was told to.
  def test_events_of_a_real_program
    told_process do |pid, tell, input|
      tell["1"]
      Reader.open(pid) do |reader|
        events = reader.events
        wait_until("that it joins") do
          reader.wait(0.2)
          events.any? { |event| event.kind == :process_joined && event.pid == pid }
        end
        steps = {
          "Thread.new { Thread.current.name = 'worker 1'; sleep 0.25 }.join" => %i[thread_started thread_ended],
          "RperfTop.mark('half')" => %i[mark],
          "RperfTop.label(job: 'import') { busy 0.15 }" => %i[label],
          "GC.start" => %i[gc_begun gc_ended],
          "7.times { raise IOError rescue 0 }" => %i[exception],
          "lock = Mutex.new; other = Thread.new { lock.synchronize { sleep 1.8 } }; sleep 0.1; lock.synchronize { }; other.join" => %i[stall stall_ended],
        }
        last_ns = 0
        steps.each do |code, kinds|
          begun_ns = now_ns
          tell[code]
          ended_ns = now_ns
          found = []
          wait_until("#{kinds.last} of #{code}") do
            reader.wait(0.2)
            found.concat(events.to_a)
            found.any? { |event| event.kind == kinds.last && event.since_ns <= ended_ns && event.time_ns >= begun_ns }
          end
          found.each do |event|
            assert_operator event.time_ns, :>=, last_ns
            last_ns = event.time_ns
            refute event.late, event.inspect unless event.kind == :exception # its name may take until the next window
          end
          mine = found.select { |event| kinds.include?(event.kind) && event.since_ns <= ended_ns && event.time_ns >= begun_ns }
          assert_equal kinds, mine.map(&:kind).uniq & kinds, found.inspect
          check_event(mine)
        end
        Process.kill(:KILL, pid)
        reader.follow { nil }
        last = events.to_a.last
        assert_equal :process_ended, last.kind
        refute_empty last.detail
        assert_equal [0, 0], [events.lost.events, events.lost.marks]
      end
    end
  end

  def now_ns = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)

  def check_event(events)
    event = events.last
    case event.kind
    when :thread_ended then assert_equal "worker 1", event.name
    when :mark then assert_equal ["half", event.since_ns], [event.name, event.time_ns]
    when :label then assert_equal ["job=import", 1], [event.name, event.count]
    when :gc_ended then assert_operator event.length_ns, :>, 10_000
    when :exception
      mine = events.select { |one| one.name == "IOError" }
      assert_equal 7, mine.sum(&:count), events.inspect
      mine.each { |one| assert_equal ["(eval at -e:3)", 1, "(eval at -e:3):1"], [one.path, one.line, one.detail] }
    when :stall_ended
      assert_equal "blocked", events.first.name
      assert_in_delta 1.7e9, event.length_ns, 5e8
    end
  end

  def test_threads_share_a_reader
    told_process do |pid, tell|
      tell["busy 0.3"]
      reader = Reader.open(pid)
      others = Array.new(4) { Thread.new { 20.times.map { reader.poll; reader.sum.methods.size }.last } }
      assert others.map(&:value).all?(&:positive?)
      beats = 0
      beating = Thread.new { loop { beats += 1; Thread.pass; sleep 0.01 } }
      tell["busy 0.5"]
      reader.follow(0.5) { nil }
      beating.kill
      assert_operator beats, :>, 5 # others run while this one waits
      reader.close
      reader.close
      assert_raises(Reader::Error) { reader.poll }
    end
  end

  # From Ruby 4.0 on a bundle has it only when somebody names it.
  def test_it_says_when_fiddle_is_missing
    Dir.mktmpdir do |folder|
      missing = 'raise LoadError.new("cannot load such file -- fiddle").tap { |error| error.instance_variable_set(:@path, "fiddle") }'
      File.write("#{folder}/fiddle.rb", missing)
      _, err, status = Open3.capture3({ "RUBYOPT" => nil }, RbConfig.ruby, *QUICK, "-I", folder, "-I", BUILD, "-e", "require 'rperf_top/reader'")
      refute_predicate status, :success?
      assert_match(/RperfTop::Reader needs the gem fiddle: install it, and under Bundler add `gem "fiddle"` to the Gemfile/, err)
    end
  end

  def test_it_does_not_follow_itself
    error = assert_raises(Reader::Error) { Reader.open(Process.pid) }
    assert_match(/itself/, error.message)
    assert_raises(ArgumentError) { told_process { |pid, _| Reader.open(pid) { |reader| reader.events(:earthquake) } } }
  end
end
