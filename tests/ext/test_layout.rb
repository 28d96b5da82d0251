# What a VM whose insides are other ones gets: the checks at load find it out, and all names are made in jobs.
#
# The only insides that are read are the words of a method entry (ext/names/method_entry.h), of a thread
# (ext/names/fiber_frames.h), of locks (ext/names/lock_words.h) and of a traced call (ext/tracing/call_place.h,
# call_args.h). A library loaded before the VM's stands in for a VM with other ones: what the probes at load see of
# themselves is changed by it, nothing after that. What a check has found missing is said, by a bit of a counter for each part
# (shm/base/vm_parts.def).
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
    #define NEXT(name, result, ...) ((result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

    static int is(const char *how)
    {
      return !strcmp(getenv("OTHER_VM"), how);
    }

    /* Does the extension ask, and no other? */
    #define OURS() is_ours(__builtin_return_address(0))
    static int is_ours(void *address)
    {
      Dl_info caller;
      if (!dladdr(address, &caller) || !strstr(caller.dli_fname, "rperf_top")) return 0;
      close(open(getenv("OTHER_VM_TOLD"), O_CREAT | O_WRONLY, 0600));
      return 1;
    }

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
      const char *const changes[] = { "as it is", "nil", "kind", "class", "moved", "id", "kind of the second", "module" };
      size_t change_at = 0;
      while (change_at < sizeof changes / sizeof changes[0] && strcmp(how, changes[change_at])) change_at++;
      if (change_at == sizeof changes / sizeof changes[0]) return count;
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

    /* A Method that is none, when it is made by us; a name of a method that is another one. */
    VALUE rb_obj_method(VALUE object, VALUE name)
    {
      VALUE method = NEXT(rb_obj_method, VALUE, VALUE, VALUE)(object, name);
      return OURS() && is("other methods") ? NEXT(rb_str_new_cstr, VALUE, const char *)("no method") : method;
    }

    VALUE rb_tracearg_method_id(void *event)
    {
      VALUE id = NEXT(rb_tracearg_method_id, VALUE, void *)(event);
      return OURS() && is("other names") ? 4 : id;
    }

    /* Attributes of ours stand in another module than was asked for. */
    void rb_attr(VALUE module, VALUE name, int read, int write, int ex)
    {
      void (*real)(VALUE, VALUE, int, int, int) = NEXT(rb_attr, void, VALUE, VALUE, int, int, int);
      if (!OURS() || !is("other attributes")) { real(module, name, read, write, ex); return; }
      VALUE other = NEXT(rb_module_new, VALUE, void)();
      real(other, name, read, write, ex);
      NEXT(rb_include_module, void, VALUE, VALUE)(module, other);
    }

    /* Locks and maps that have nothing in them that we know. */
    VALUE rb_obj_alloc(VALUE class)
    {
      VALUE (*real)(VALUE) = NEXT(rb_obj_alloc, VALUE, VALUE);
      const char *lacks = strncmp(getenv("OTHER_VM"), "other ", 6) ? "" : getenv("OTHER_VM") + 6;
      const char *name = OURS() && *lacks >= 'A' && *lacks <= 'Z' ? NEXT(rb_class2name, const char *, VALUE)(class) : "";
      if (!strcmp(name, "Thread::Monitor")) name += 8; /* since 4.1 */
      return *name && !strcmp(name, lacks) ? real(*(VALUE *)dlsym(RTLD_DEFAULT, "rb_cObject")) : real(class);
    }

    /* A collector that does not tell when it begins and ends: GC_ENTER, GC_EXIT. */
    VALUE rb_tracepoint_new(VALUE thread, unsigned events, void (*call)(VALUE, void *), void *data)
    {
      if (OURS() && is("silent collections") && events & 0x2000000) events &= ~0x6000000u;
      return NEXT(rb_tracepoint_new, VALUE, VALUE, unsigned, void (*)(VALUE, void *), void *)(thread, events, call, data);
    }

    size_t rb_gc_stat(VALUE key)
    {
      static size_t (*real)(VALUE);
      if (!real) *(void **)&real = dlsym(RTLD_NEXT, "rb_gc_stat");
      void (*raise)(VALUE, const char *, ...) = (void (*)(VALUE, const char *, ...))dlsym(RTLD_DEFAULT, "rb_raise");
      close(open(getenv("OTHER_VM_TOLD"), O_CREAT | O_WRONLY, 0600));
      const char *(*name)(VALUE) = (const char *(*)(VALUE))dlsym(RTLD_DEFAULT, "rb_id2name");
      VALUE (*id)(VALUE) = (VALUE (*)(VALUE))dlsym(RTLD_DEFAULT, "rb_sym2id");
      const char *asked = is("no counter") || is("one kind of collection") ? name(id(key)) : "";
      int lacks = is("no counter") ? strcmp(asked, "count") : !strncmp(asked, "m", 1); /* minor, major, malloc */
      if (*asked && lacks) raise(*(VALUE *)dlsym(RTLD_DEFAULT, "rb_eArgError"), "unknown key");
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

  # {name in shm/base/vm_parts.def => bit}
  PARTS = File.read("#{__dir__}/../../shm/base/vm_parts.def").scan(/^VM_PART\((\w+), (\d+),/).to_h { |id, bit| [id, bit.to_i] }
  BY_FUNCTION = %w[FUNCTIONS CALLS C_CALLS ATTRIBUTES ALL_CALLS ARGUMENTS ALIVE SITES].freeze

  # The parts that a process says it cannot read.
  def unknown(dump)
    bits = dump.windows.last&.dig("counters", "vm_unknown") || 0
    PARTS.select { |_, bit| bits[bit] == 1 }.keys
  end

  # With monitors from the start.
  def start_other(how, code, **env)
    start(code, with: false, options: ["-rmonitor", "-I", BUILD, "-rrperf_top"], env: { "LD_PRELOAD" => other_vm, "OTHER_VM" => how, "OTHER_VM_TOLD" => "#{@folder}/told", **env.transform_keys(&:to_s) })
  end

  def end_well(program)
    program.puts
    program.finish
    assert_predicate program.status, :success?
    assert_empty program.err
  end

  WAITS = "def first_wait = $stdin.gets\nfirst_wait\n"
  AT_LOAD = {
    "untouched" => [],
    "nil" => %w[METHODS FIBERS LOCKS QUEUES] + BY_FUNCTION,
    "other methods" => BY_FUNCTION,
    "no fiber" => %w[FIBERS LOCKS QUEUES],
    "other locks" => %w[LOCKS QUEUES],
    "other Thread::Queue" => %w[QUEUES],
    "other Thread::SizedQueue" => %w[QUEUES],
    "other Monitor" => %w[MONITORS],
    "no counter" => %w[GC_FIGURES],
    "one kind of collection" => %w[GC_FIGURES],
  }.freeze

  def test_what_is_missing_at_load_is_said
    AT_LOAD.each do |how, parts|
      program = start_other(how, WAITS)
      dump = program.dump_until("windows") { |one| one.windows.size > 2 }
      skip "this Ruby does not ask its library for the function" unless File.exist?("#{@folder}/told")
      assert_equal parts.sort, unknown(dump).sort, how
      end_well(program)
    end
  end

  # Asked for by RUBY_BOX=1 alone.
  def test_boxes_that_are_missing_are_said
    skip "this Ruby has no Ruby::Box" unless defined?(Ruby::Box)
    { "untouched" => [], "other methods" => ["BOXES"] }.each do |how, parts|
      program = start_other(how, WAITS, RUBY_BOX: "1", RUBYOPT: "-W0")
      dump = program.dump_until("windows") { |one| one.windows.size > 2 }
      assert_equal parts, unknown(dump) - BY_FUNCTION, how
      end_well(program)
    end
  end

  ASKED = {
    "untouched" => [],
    "other calls" => %w[CALLS],
    "other attributes" => %w[ATTRIBUTES],
    "other functions" => %w[ALL_CALLS C_CALLS],
    "no bindings" => %w[ARGUMENTS],
    "other names" => %w[ALL_CALLS C_CALLS],
    "other ObjectSpace::WeakMap" => %w[ALIVE],
  }.freeze

  # Checks that are made when somebody asks.
  def test_what_is_missing_when_asked_for_is_said
    code = "class Price; def total = 12.gcd(4); end\nThread.new { loop { sleep 0.002; Price.new.total } }\n" + WAITS
    ASKED.each do |how, parts|
      program = start_other(how, code, RPERF_TOP_ALLOW: "args")
      view(program, "Price#total", "!Integer#gcd", "@", "*!", slower_us: 500, rate: 100)
      # States: of the four (1: not yet), of allocation sites; of all calls, unless no call can be traced.
      dump = program.dump_until("answers to #{how}") do |one|
        last, exact = one.windows.last(3).map { |window| window["exact"] }, rows(one)
        answered = last.any? { |window| window.count { |_, what, _, value| what == 1 && value > 1 } == 4 }
        answered && (how == "other calls" ? [48] : [32, 48]).all? { |state| exact.any? { |_, what,| what == state } }
      end
      skip "this Ruby does not ask its library for the function" unless File.exist?("#{@folder}/told")
      assert_equal parts.sort, unknown(dump).sort, how
      end_well(program)
    end
  end

  # A counter that a VM lacks is 0; where it knows no kinds of collections, all are major ones.
  def test_counters_that_are_lacking
    program = start_other("one kind of collection", AWAKE + "20.times { GC.start }\n" + WAITS)
    dump = program.dump_until("windows") { |one| one.windows.size > 2 && one.counter("gc_major") >= 20 }
    skip "this Ruby does not ask its library for the function" unless File.exist?("#{@folder}/told")
    assert_equal 0, dump.counter("gc_minor")
    assert_equal 0, dump.windows.last["counters"]["malloc_bytes"]
    assert_operator dump.windows.last["counters"]["heap_live_slots"], :>, 0
    end_well(program)
  end

  # Then the time of collections counts as the method's, which is said.
  def test_collections_that_are_not_told_of
    { "untouched" => [], "silent collections" => %w[GC_TIME] }.each do |how, parts|
      program = start_other(how, "20.times { GC.start }\n" + AWAKE + WAITS)
      times = ->(one) { one.total(state: %w[marking sweeping]) }
      dump = program.dump_until("collections") { |one| one.windows.size > 4 && (parts.empty? ? times.(one) > 0 : unknown(one).any?) }
      skip "this Ruby does not ask its library for the function" unless File.exist?("#{@folder}/told")
      assert_equal parts, unknown(dump), how
      assert_equal parts.empty?, times.(dump) > 0, how
      end_well(program)
    end
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

  def test_only_one_file_looks_inside
    files = Dir[File.expand_path("../../ext/**/*.{c,h}", __dir__)].select { |path| File.read(path).match?(INSIDES) }
    assert_equal %w[vm_object.h], files.map { |path| File.basename(path) }.sort
  end

  ["nil", "kind", "class", "moved", "id", "kind of the second", "module"].each do |how|
    define_method("test_another_#{how.tr(" ", "_")}") do
      first, dump = run_unnamed_in(how)
      refute_empty first
      assert_all_is_named(dump)
    end
  end
end
