/* SPDX-License-Identifier: MIT */
/* Learns from calls of our own methods how the VM describes calls to hooks. */
#include "call_place.h"

#include "ext/base/vm_unknown.h"
#include "ext/names/method_entry.h"
#include <string.h>

enum { EVENT_FIBER = 1, EVENT_FRAME, EVENT_SELF };
enum { FRAME_NEXT_INSTRUCTION = 0, FRAME_SELF = 3 };
enum { FIBER_FRAME = 2 }; /* index of the fiber's current frame */

static bool looked, known, replaced; /* replaced: the program has redefined the method that enables a tracepoint */
/* word of the instruction that leaves a frame whose calls are traced; learnt by the probe */
static uintptr_t leaving;
static uintptr_t frame_bytes;
static unsigned ruby_kind;

/* Events that the hook received of calls to one of our probe methods. */
struct seen {
  struct call_place called, returned;
  uintptr_t instruction; /* instruction at the return */
  int calls, returns;
  bool right;
};

/* Tells whether the word can be an address; false for one that must not be read. */
static bool is_address(uintptr_t word)
{
  return word % sizeof word == 0 && word >= 1 << 16 && word < UINTPTR_MAX >> 8;
}

/* Tells whether the event has the expected layout. Each word is compared with a known value before the next address is
 * followed. */
static bool is_event(const rb_trace_arg_t *event, VALUE self)
{
  const uintptr_t *words = (const uintptr_t *)event;
  if (words[EVENT_SELF] != self || !is_address(words[EVENT_FIBER]) || !is_address(words[EVENT_FRAME])) return false;
  const uintptr_t *frame = (const uintptr_t *)words[EVENT_FRAME];
  return ((const uintptr_t *)words[EVENT_FIBER])[FIBER_FRAME] == words[EVENT_FRAME] && frame[FRAME_SELF] == self &&
         is_address(frame[FRAME_NEXT_INSTRUCTION]);
}

/* Returns the last word of the instruction that the frame is at. The leaving instruction has only one word; other
 * instructions end with a different word. */
static uintptr_t instruction_at(uintptr_t frame)
{
  const uintptr_t *next = (const uintptr_t *)((const uintptr_t *)frame)[FRAME_NEXT_INSTRUCTION];
  return next[-1];
}

static void note_probe(VALUE tracepoint, void *pointer)
{
  struct seen *seen = pointer;
  rb_trace_arg_t *event = rb_tracearg_from_tracepoint(tracepoint);
  if (!is_event(event, rb_tracearg_self(event))) {
    seen->right = false;
  } else if (rb_tracearg_event_flag(event) == RUBY_EVENT_CALL) {
    seen->called = call_place_of(event);
    seen->calls++;
  } else {
    seen->returned = call_place_of(event);
    seen->instruction = instruction_at(seen->returned.frame);
    seen->returns++;
  }
}

/* Tells whether the method is one of the VM's own, written in Ruby. */
static bool is_of_the_vm(VALUE object, ID name)
{
  VALUE method = rb_obj_method(object, ID2SYM(name)), entry = method_entry_of(method);
  VALUE path = entry ? rb_profile_frame_path(entry) : Qnil;
  bool right = RB_TYPE_P(path, T_STRING) && strcmp(StringValueCStr(path), "<internal:trace_point>") == 0;
  RB_GC_GUARD(method);
  return right;
}

static VALUE instruction_sequence(void)
{
  return rb_const_get_at(rb_const_get_at(rb_cObject, rb_intern("RubyVM")), rb_intern("InstructionSequence"));
}

bool call_place_enable(VALUE tracepoint, VALUE method)
{
  ID enable = rb_intern("enable");
  if (!is_of_the_vm(tracepoint, enable) ||
      !rb_method_basic_definition_p(CLASS_OF(instruction_sequence()), rb_intern("of")))
    return false;
  VALUE options = rb_hash_new();
  rb_hash_aset(options, ID2SYM(rb_intern("target")), method);
  rb_funcallv_kw(tracepoint, enable, 1, &options, RB_PASS_KEYWORDS);
  return true;
}

static bool is_paired(const struct seen *seen)
{
  return seen->right && seen->calls == 1 && seen->returns == 1 && seen->called.frame == seen->returned.frame &&
         seen->called.fiber == seen->returned.fiber;
}

static void watch_probe(VALUE object, const char *name, struct seen *seen, VALUE *tracepoint)
{
  seen->right = true;
  *tracepoint = rb_tracepoint_new(0, RUBY_EVENT_CALL | RUBY_EVENT_RETURN, note_probe, seen);
  if (!call_place_enable(*tracepoint, rb_obj_method(object, ID2SYM(rb_intern(name))))) replaced = true;
}

/* The probe methods. "other" ends in the middle of its code. "leap" is left by a return in a block that "tail" calls
 * last, so that the return jumps through both. */
static const char probes[] = "Module.new do\n"
                             "def self.plain = 1\n"
                             "def self.other\n"
                             "x = self\n"
                             "return x if x\n"
                             "1\n"
                             "end\n"
                             "def self.tail = yield\n"
                             "def self.leap\n"
                             "tail { return 1 }\n"
                             "end\n"
                             "end\n";

VALUE call_place_run(const char *code)
{
  VALUE sequence = rb_funcall(instruction_sequence(), rb_intern("compile"), 1, rb_str_new_cstr(code));
  return rb_funcall(sequence, rb_intern("eval"), 0);
}

/* Tells whether the class has methods in C that read Ruby files. */
static bool is_reader_of(VALUE class)
{
  return class == rb_mKernel || class == CLASS_OF(rb_mKernel) || class == CLASS_OF(instruction_sequence());
}

bool call_place_is_silent(void)
{
  static const char *const readers[] = { "require", "require_relative", "load", "compile_file" };
  VALUE frame;
  int line;
  if (rb_profile_frames(0, 1, &frame, &line) != 1) return true; /* the VM reads the main script, or a thread begins */
  if (!NIL_P(rb_profile_frame_path(frame))) return false;       /* a Ruby method that has one of these names */
  if (method_entry_is(frame) && !is_reader_of(method_entry_class(frame))) return false;
  VALUE name = rb_profile_frame_method_name(frame);
  for (size_t i = 0; RB_TYPE_P(name, T_STRING) && i < sizeof readers / sizeof readers[0]; i++)
    if (strcmp(RSTRING_PTR(name), readers[i]) == 0) return true;
  return false;
}

static void learn_calls(void)
{
  static struct seen plain, other, tail, leap;
  VALUE object = call_place_run(probes), tracepoints[4];
  VALUE entry = method_entry_of(rb_obj_method(object, ID2SYM(rb_intern("plain"))));
  if (!entry) return;
  ruby_kind = method_entry_kind(entry);
  watch_probe(object, "plain", &plain, &tracepoints[0]);
  watch_probe(object, "other", &other, &tracepoints[1]);
  watch_probe(object, "tail", &tail, &tracepoints[2]);
  watch_probe(object, "leap", &leap, &tracepoints[3]);
  rb_funcallv(object, rb_intern("plain"), 0, NULL);
  rb_funcallv(object, rb_intern("other"), 0, NULL);
  rb_funcallv(object, rb_intern("leap"), 0, NULL);
  for (int i = 0; i < 4; i++) rb_tracepoint_disable(tracepoints[i]);
  leaving = plain.instruction;
  frame_bytes = leap.called.frame - tail.called.frame;
  known = is_paired(&plain) && is_paired(&other) && is_paired(&tail) && is_paired(&leap) &&
          tail.called.frame < leap.called.frame && plain.called.fiber == leap.called.fiber &&
          plain.instruction == other.instruction && tail.instruction != leaving && leap.instruction != leaving;
  vm_unknown_unless(known || replaced, RTOP_VM_CALLS);
  RB_GC_GUARD(object);
}

bool call_place_learn(void)
{
  if (!looked) {
    looked = true;
    vm_unknown_unless(false, RTOP_VM_CALLS); /* learn_calls() may raise, so the part counts as unknown until then */
    learn_calls();
  }
  return known;
}

bool call_place_jumped(const struct call_place *returns)
{
  return instruction_at(returns->frame) != leaving;
}

uintptr_t call_place_frame_bytes(void)
{
  return frame_bytes;
}

bool call_place_is_ruby(unsigned kind)
{
  return kind == ruby_kind;
}
