# Hooks of the VM run under locks of its scheduler: what they reach may neither make names or objects nor take its
# locks nor allocate. Looked up in the compiled code: from each hook along all calls to the functions of others.
require "minitest/autorun"
require_relative "../skips"
require "open3"

class HooksTest < Minitest::Test
  BUILD = ENV["RTOP_BUILD"] || File.expand_path("../../build", __dir__)
  HOOKS = %w[gvl_event on_gc on_raise on_switch trace_hook on_new_object].freeze
  # Of the VM: what only reads, or sets a flag.
  VM = %w[rb_profile_frames rb_sourceline rb_gc_stat rb_gc_count rb_thread_current rb_thread_local_aref rb_internal_thread_specific_get
          rb_internal_thread_specific_set rb_postponed_job_trigger rb_tracearg_event_flag rb_tracearg_from_tracepoint
          rb_tracearg_raised_exception rb_tracearg_object rb_obj_class rb_ractor_stdout rb_stdout rb_cThread].freeze
  # Of the VM, for threads with a fiber scheduler: whose method stands on a stack, and what fiber runs. After a switch there is
  # an object for every fiber, whose variables can be read (of one Ractor: without a lock).
  FIBERS = %w[rb_fiber_scheduler_get rb_obj_is_kind_of rb_class_inherited_p rb_cObject].freeze
  SWITCH = %w[rb_fiber_scheduler_current rb_fiber_current rb_fiber_alive_p rb_profile_thread_frames rb_ivar_get].freeze
  # Of one Ractor: texts that exist already, of compiled Ruby code and of methods in C. None of them takes a lock or makes an object.
  TEXTS = %w[rb_profile_frame_path rb_profile_frame_absolute_path rb_profile_frame_label rb_profile_frame_base_label
             rb_profile_frame_first_lineno rb_profile_frame_method_name rb_profile_frame_singleton_method_p rb_mod_name].freeze
  # Of libc: clocks, copies, and the memory of a thread that starts, on the thread that makes it.
  LIBC = %w[clock_gettime memcpy memset memmove memcmp memmem memchr memrchr strlen syscall pthread_self pthread_getcpuclockid sched_yield calloc malloc free
            __stack_chk_fail __rseq_offset __rseq_size __tls_get_addr _GLOBAL_OFFSET_TABLE_].freeze
  MUSL = RUBY_PLATFORM.include?("musl") ? %w[pthread_setspecific].freeze : [].freeze # its place is in the thread from the start (ext/base/rseq_own.c)

  # {function => names that its code refers to}
  def self.references
    @references ||= Dir["#{BUILD}/ext/{ext,shm}/**/*.o"].each_with_object({}) do |object, all|
      out, status = Open3.capture2("objdump", "-dr", "--no-show-raw-insn", object)
      raise "objdump: #{status}" unless status.success?
      function = nil
      out.each_line do |line|
        if (name = line[/\A\h+ <([^>]+)>:/, 1])
          function = plain(name)
          all[function] ||= []
        elsif (name = line[/R_\w+\s+(\.text\.|\.text\.unlikely\.)?([A-Za-z_][\w.]*)/, 2])
          all[function] << plain(name) if function
        elsif (name = line[/\b(?:call|jmp|bl?)\s+\h+ <([^>+]+)/, 1])
          all[function] << plain(name) if function
        end
      end
    end
  end

  # GCC takes functions apart: "walk.isra.0", "walk.part.0", "walk.cold".
  def self.plain(name) = name[/\A\w+/]

  def reached_from(hook)
    seen = {}
    waiting = [hook]
    while (name = waiting.shift)
      next if seen[name]
      seen[name] = true
      waiting.concat((self.class.references[name] || []).compact)
    end
    seen.keys
  end

  HOOKS.each do |hook|
    define_method("test_what_#{hook}_reaches") do
      assert self.class.references.key?(hook), "#{hook} is not in #{BUILD}/ext: build the extension first"
      foreign = reached_from(hook).reject { |name| self.class.references.key?(name) }
      vm = foreign.grep(/\A(rb_|ruby_|xmalloc|xcalloc|xrealloc|xfree)/)
      assert_empty vm - VM - TEXTS - FIBERS - (hook == "on_switch" ? SWITCH : [])
      calls = foreign.grep(/\A(st_|pthread_|malloc|calloc|realloc|str|mem|snprintf|open|read|write|mmap|futex|nano)/)
      assert_empty calls - LIBC - MUSL
    end
  end

  # Only where the process allows it, at the end of a slow call, which is ordinary code under the GVL: what makes the text of its
  # arguments. It makes a binding; nothing that it reaches calls a method by its name.
  ARGUMENTS = %w[rb_tracearg_binding rb_protect rb_errinfo rb_set_errinfo rb_id2str rb_id2sym rb_sym2str rb_mod_name rb_obj_class
                 rb_absint_size rb_integer_pack rb_hash_size_num rb_enc_get rb_enc_precise_mbclen rb_utf8_encoding rb_usascii_encoding
                 rb_float_value rb_cObject rb_cNilClass rb_cTrueClass rb_cFalseClass rb_cInteger rb_cSymbol rb_cFloat ruby_snprintf
                 ruby_strtod rb_enc_dummy_p].freeze

  def test_what_arguments_reach
    assert self.class.references.key?("call_args_text"), "build the extension first"
    foreign = reached_from("call_args_text").reject { |name| self.class.references.key?(name) }
    assert_includes foreign, "rb_tracearg_binding"
    assert_empty foreign.grep(/\A(rb_|ruby_|x?malloc|x?calloc|pthread_)/) - ARGUMENTS
    HOOKS.each { |hook| refute_includes reached_from(hook), "call_args_text" }
  end

  def test_the_look_up_finds_calls
    assert_includes reached_from("gvl_event"), "rb_profile_frames"
    assert_includes reached_from("session_start"), "publisher_start"
    assert_includes reached_from("sampler_job"), "rb_profile_frame_full_label"
  end
end
