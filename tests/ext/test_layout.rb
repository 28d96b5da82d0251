# What a VM whose insides are other ones gets: the checks at load find it out, and all names are made in jobs.
#
# The only insides that are read are the words of a method entry (ext/names/method_entry.h), of a thread
# (ext/names/fiber_frames.h), of locks (ext/names/lock_words.h) and of a traced call (ext/tracing/call_place.h,
# call_args.h). A library loaded before the VM's stands in for a VM with other ones: what the probes at load see of
# themselves is changed by it, nothing after that. Counters that a VM lacks turn the profiler off.
# Waits nearly all of the time
require_relative "exact"

class LayoutTest < Minitest::Test
  include Support
  include Exact

  # The probes are the only ones that ask for one frame. A copy of the method entry is changed, not the VM's.
  OTHER_VM = <<~'C'
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>

    typedef unsigned long VALUE;
    enum { FLAGS, CLASS, DEFINITION, ID, WORDS = 5 };
    static VALUE copy[WORDS];

    static void change(const char *how, VALUE *frame)
    {
      if (!strcmp(how, "nil")) { *frame = 4; return; }
      memcpy(copy, (void *)*frame, sizeof copy);
      if (!strcmp(how, "kind")) copy[FLAGS] ^= 1 << 12;
      if (!strcmp(how, "class")) copy[CLASS] = copy[DEFINITION];
      if (!strcmp(how, "moved")) memmove(copy + 1, (VALUE *)*frame, sizeof copy - sizeof *copy);
      if (!strcmp(how, "id")) copy[ID] += 16;
      *frame = (VALUE)copy;
    }

    int rb_profile_frames(int start, int limit, VALUE *frames, int *lines)
    {
      static int (*real)(int, int, VALUE *, int *);
      static int probes;
      if (!real) *(void **)&real = dlsym(RTLD_NEXT, "rb_profile_frames");
      int count = real(start, limit, frames, lines);
      const char *how = getenv("OTHER_VM"), *told = getenv("OTHER_VM_TOLD");
      if (limit != 1) return count;
      close(open(told, O_CREAT | O_WRONLY, 0600));
      if (!strcmp(how, "untouched") || !strcmp(how, "other calls") || !strcmp(how, "other functions") || !strcmp(how, "no bindings")) return count;
      probes++;
      if (!strcmp(how, "kind of the second") && probes == 2) change("kind", frames);
      else if (!strcmp(how, "module") && probes == 2) change("class", frames);
      else change(how, frames);
      return count;
    }

    /* Only the probe asks for eight frames. */
    int rb_profile_thread_frames(VALUE thread, int start, int limit, VALUE *frames, int *lines)
    {
      static int (*real)(VALUE, int, int, VALUE *, int *);
      if (!real) *(void **)&real = dlsym(RTLD_NEXT, "rb_profile_thread_frames");
      int count = real(thread, start, limit, frames, lines);
      if (limit != 8) return count;
      if (!strcmp(getenv("OTHER_VM"), "no fiber")) return 0;
      if (!strcmp(getenv("OTHER_VM"), "other frames") && count == 1) frames[1] = frames[0], count = 2;
      if (!strcmp(getenv("OTHER_VM"), "no entry")) frames[0] = 4;
      return count;
    }

    /* Only the probes of traced calls ask. */
    VALUE rb_tracearg_self(void *event)
    {
      static VALUE (*real)(void *);
      if (!real) *(void **)&real = dlsym(RTLD_NEXT, "rb_tracearg_self");
      int function = *(unsigned *)event & 0x60;
      if (!strcmp(getenv("OTHER_VM"), "other functions")) return real(event) + (function ? 8 : 0);
      return real(event) + (strcmp(getenv("OTHER_VM"), "other calls") ? 0 : 8);
    }

    /* Those who ask the extension; nil stands for the binding of a frame that there is none of. */
    VALUE rb_tracearg_binding(void *event)
    {
      static VALUE (*real)(void *);
      if (!real) *(void **)&real = dlsym(RTLD_NEXT, "rb_tracearg_binding");
      close(open(getenv("OTHER_VM_TOLD"), O_CREAT | O_WRONLY, 0600));
      return strcmp(getenv("OTHER_VM"), "no bindings") ? real(event) : 4;
    }

    /* Of those who lock, the probes are the only ones of the extension: they see nothing of it. */
    VALUE rb_mutex_lock(VALUE mutex)
    {
      static VALUE (*real)(VALUE);
      Dl_info caller;
      if (!real) *(void **)&real = dlsym(RTLD_NEXT, "rb_mutex_lock");
      if (!dladdr(__builtin_return_address(0), &caller) || !strstr(caller.dli_fname, "rperf_top")) return real(mutex);
      close(open(getenv("OTHER_VM_TOLD"), O_CREAT | O_WRONLY, 0600));
      return strcmp(getenv("OTHER_VM"), "other locks") ? real(mutex) : mutex;
    }

    size_t rb_gc_stat(VALUE key)
    {
      static size_t (*real)(VALUE);
      if (!real) *(void **)&real = dlsym(RTLD_NEXT, "rb_gc_stat");
      void (*raise)(VALUE, const char *, ...) = (void (*)(VALUE, const char *, ...))dlsym(RTLD_DEFAULT, "rb_raise");
      if (!strcmp(getenv("OTHER_VM"), "no counter")) raise(*(VALUE *)dlsym(RTLD_DEFAULT, "rb_eArgError"), "unknown key");
      return real(key);
    }
  C

  # Main waits right after load, so hardly ever a job comes before that; then it works, and waits again.
  PROGRAM = <<~'RUBY'
    def first_wait = $stdin.gets
    def cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    def work = (t = cpu; nil while cpu - t < 0.15)
    class Price
      def total = work
    end
    first_wait
    Price.new.total
    20.times { sleep 0.01 }
    $stdin.gets
  RUBY

  def other_vm
    @@other_vm ||= begin
      folder = Dir.mktmpdir("rperf-top-other-vm.")
      Minitest.after_run { FileUtils.rm_rf(folder) }
      File.write("#{folder}/other_vm.c", OTHER_VM)
      built = system(ENV.fetch("CC", "cc"), "-shared", "-fPIC", "-o", "#{folder}/other_vm.so", "#{folder}/other_vm.c", "-ldl")
      built or raise "the library could not be built"
      "#{folder}/other_vm.so"
    end
  end

  # The stack of main while it waits for the first time, and the whole history.
  def run_in(how)
    told = "#{@folder}/told"
    program = start(PROGRAM, env: { "LD_PRELOAD" => other_vm, "OTHER_VM" => how, "OTHER_VM_TOLD" => told,
                                    "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100", "RPERF_TOP_KEEP" => "1" })
    dump = program.dump_until("windows of a process that waits") { |d| d.windows.size >= 3 }
    skip "this Ruby does not ask its library for the function" unless File.exist?(told)
    row = dump.windows.last["threads"].find { |one| one["serial"] == dump.main.serial }
    first = dump.stack(row["node"])
    program.puts
    program.dump_until("the second wait") { |d| d.total(leaf: "Kernel#sleep", state: "blocked") > 150_000_000 }
    program.puts
    program.finish
    assert program.status.success?, program.err
    assert_empty program.err
    [first, Dump.read(program.channel)]
  end

  # On a busy machine a job may come before the wait after all, and name it rightly. Names that are made in the hook are
  # there every time.
  def run_unnamed_in(how)
    5.times do
      first, dump = run_in(how)
      return [first, dump] unless first.include?("IO#gets") || first.include?("Object#first_wait")
    end
    flunk "the first wait was named five times"
  end

  def assert_all_is_named(dump)
    assert_operator dump.total(on_stack: "Price#total", state: "running"), :>, 50_000_000
    assert_operator dump.total(leaf: "Kernel#sleep", state: "blocked"), :>, 150_000_000
    assert_empty dump.labels.grep(/probe/)
  end

  def test_a_vm_as_it_should_be
    first, dump = run_in("as it is")
    assert_equal ["IO#gets", "Object#first_wait", "<main>"], first
    assert_all_is_named(dump)
  end

  def test_counters_that_are_lacking
    program = start("puts RperfTop.running?", env: { "LD_PRELOAD" => other_vm, "OTHER_VM" => "no counter", "OTHER_VM_TOLD" => "#{@folder}/told" })
    program.finish
    skip "this Ruby does not ask its library for the function" if program.out == "true\n"
    assert_equal "false\n", program.out
    assert_match(/\Arperf_top: .*unknown key.*; the program runs without it\n\z/, program.err)
    assert_predicate program.status, :success?
  end

  # Where fibers wait is not known then: it is the scheduler's own waiting.
  def test_a_vm_whose_fibers_cannot_be_seen
    program = "under_scheduler { 5.times { Fiber.schedule { 10.times { wait_a } } } }\nwindow_over\n"
    ["as it is", "no fiber", "other frames", "no entry"].each do |how|
      env = { "LD_PRELOAD" => other_vm, "OTHER_VM" => how, "OTHER_VM_TOLD" => "#{@folder}/told", "RPERF_TOP_RECORD_HZ" => "1000" }
      dump, = history(program, env: env, options: ["-r#{__dir__}/fiber_loop.rb"])
      skip "this Ruby does not ask its library for the function" unless File.exist?("#{@folder}/told")
      waited = dump.total(on_stack: "Object#wait_a", state: "blocked")
      next assert_operator(waited, :>, 150_000_000) if how == "as it is"
      assert_equal 0, waited, how
      assert_operator dump.total(on_stack: "Loop#run_once", state: "blocked"), :>, 150_000_000, how
    end
  end

  # Then no method is traced, and the program runs on.
  def test_a_vm_whose_calls_cannot_be_paired
    program = "class Price; def total = 1; end; Thread.new { loop { sleep 0.002; Price.new.total } }; $stdin.gets"
    { "untouched" => 2, "other calls" => 5 }.each do |how, state|
      running = start(program, env: { "LD_PRELOAD" => other_vm, "OTHER_VM" => how, "OTHER_VM_TOLD" => "#{@folder}/told" })
      view(running, "Price#total", rate: 100)
      dump = running.dump_until("a state") { |one| one.windows.last(3).all? { |window| window["exact"].any? } && one.windows.size > 3 }
      assert_equal [state], dump.windows.last["exact"].filter_map { |_, what, _, value| value if what == 1 }, how
      assert_equal state == 2, dump.windows.last["exact"].size > 1, how
      running.puts
      assert_predicate running.finish.status, :success?
    end
  end

  # Then slow calls are told of without their arguments.
  def test_a_vm_whose_arguments_cannot_be_read
    program = "class Price; def total(of) = sleep(0.001); end; Thread.new { loop { Price.new.total(7) } }; $stdin.gets"
    { "untouched" => "of: 7", "no bindings" => "" }.each do |how, expected|
      told = "#{@folder}/bindings"
      running = start(program, env: { "LD_PRELOAD" => other_vm, "OTHER_VM" => how, "OTHER_VM_TOLD" => told, "RPERF_TOP_ALLOW" => "args" })
      view(running, "Price#total", slower_us: 500, rate: 100)
      dump = running.dump_until("slow calls") { |one| one.windows.sum { |window| window["slow"].size } > 3 }
      assert_equal [expected], dump.windows.flat_map { |window| window["slow"].map { |row| [row.last].pack("H*") } }.uniq, how
      running.puts
      assert_predicate running.finish.status, :success?
      assert_empty running.err
    end
  end

  # Then methods in C are not traced, others are. The mark is for YJIT.
  def test_a_vm_whose_calls_in_c_look_otherwise
    program = "class Price; def total = 12.gcd(4); end; Thread.new { loop { sleep 0.002; Price.new.total } }; $stdin.gets"
    { "untouched" => [2, 2], "other functions" => [2, 5] }.each do |how, expected|
      running = start(program, env: { "LD_PRELOAD" => other_vm, "OTHER_VM" => how, "OTHER_VM_TOLD" => "#{@folder}/told" })
      view(running, "Price#total", "!Integer#gcd", rate: 100)
      told = ->(one) { one.windows.last&.fetch("exact").to_a.filter_map { |_, what, _, value| value if what == 1 }.sort }
      dump = running.dump_until("states") { |one| told.(one).size == 2 && !told.(one).include?(1) }
      skip "this Ruby does not ask its library for the function" unless File.exist?("#{@folder}/told")
      assert_equal expected, told.(dump), how
      running.puts
      assert_predicate running.finish.status, :success?
      assert_empty running.err
    end
  end

  # Then nothing is known of locks, which is said, and all else is as it was.
  def test_a_vm_whose_locks_are_other_ones
    program = "m = Mutex.new.tap(&:lock); Thread.new { m.lock }; def first_wait = $stdin.gets; first_wait"
    { "as it is" => [1, nil], "other locks" => [0, 1] }.each do |how, right|
      told = "#{@folder}/locks"
      running = start(program, env: { "LD_PRELOAD" => other_vm, "OTHER_VM" => how, "OTHER_VM_TOLD" => told })
      dump = running.dump_until("a thread that waits") { |one| one.windows.size > 3 && one.windows.last["threads"].size == 2 }
      skip "this Ruby does not ask its library for the function" unless File.exist?(told)
      last = dump.windows.last
      assert_equal right, [last["threads"].last["lock_kind"], last["counters"]["locks_unknown"]], how
      assert_equal how == "as it is", last["counters"].key?("lock_waits")
      assert_includes dump.stack(last["threads"].first["node"]), "Object#first_wait"
      running.puts
      assert_predicate running.finish.status, :success?
      assert_empty running.err
    end
  end

  INSIDES = /\b(struct RTypedData|RTYPEDDATA|RTYPEDDATA_GET_DATA|RBASIC\w*|T_IMEMO|T_ICLASS|RUBY_FL_USHIFT|RCLASS\w*|ROBJECT\w*|RUBY_T_MASK)\b/

  def test_only_four_files_look_inside
    files = Dir[File.expand_path("../../ext/**/*.{c,h}", __dir__)].select { |path| File.read(path).match?(INSIDES) }
    assert_equal %w[fiber_frames.c lock_words.c method_entry.c sites_names.c], files.map { |path| File.basename(path) }.sort
  end

  ["nil", "kind", "class", "moved", "id", "kind of the second", "module"].each do |how|
    define_method("test_another_#{how.tr(" ", "_")}") do
      first, dump = run_unnamed_in(how)
      refute_empty first
      assert_all_is_named(dump)
    end
  end
end
