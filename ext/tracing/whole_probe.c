/* SPDX-License-Identifier: MIT */
/* Makes a module with loops of calls, and checks the events of these calls. */
#include "whole_probe.h"

#include "call_place.h"
#include "ext/base/fast_clock.h"
#include "ext/names/method_entry.h"

/* While C calls are traced, the operators of the loop are calls, too; so each turn makes a hundred calls of ours. */
#define TEN_TIMES(text) text text text text text text text text text text
#define LOOP(name, call)                                                                                               \
  "def self." name "(n)\n"                                                                                             \
  "i = 0\n"                                                                                                            \
  "while i < n\n" TEN_TIMES(TEN_TIMES(call "\n")) "i += 1\n"                                                           \
                                                  "end\n"                                                              \
                                                  "end\n"
enum { CALLS_OF_TURN = 100 };

static const char code[] = "Module.new do\n"
                           "def self.leaf = nil\n" LOOP("leaves", "leaf") LOOP("functions", "function") "end\n";

static VALUE function(VALUE self)
{
  (void)self;
  return Qnil;
}

VALUE whole_probe_make(void)
{
  VALUE probe = call_place_run(code);
  rb_define_singleton_method(probe, "function", function, 0);
  fast_clock_learn();
  return probe;
}

/* Events that were received of calls to the two probe methods. */
static struct seen {
  VALUE probe, entry;
  ID function;
  unsigned right, wrong;
} seen;

static void look(VALUE unused, rb_trace_arg_t *event)
{
  bool ruby = (rb_tracearg_event_flag(event) & (RUBY_EVENT_CALL | RUBY_EVENT_RETURN)) != 0;
  (void)unused;
  if (rb_tracearg_self(event) != seen.probe) return;
  VALUE callee = rb_tracearg_method_id(event);
  if (ruby ? callee != ID2SYM(rb_intern("leaf")) : callee != ID2SYM(seen.function)) return;
  if (whole_hook_reads(event, ruby ? seen.entry : rb_singleton_class(seen.probe), ruby ? 0 : seen.function))
    seen.right |= rb_tracearg_event_flag(event);
  else seen.wrong |= rb_tracearg_event_flag(event);
}

static VALUE call_both(VALUE probe)
{
  VALUE one = INT2FIX(1);
  rb_funcallv(probe, rb_intern("leaves"), 1, &one);
  return rb_funcallv(probe, rb_intern("functions"), 1, &one);
}

static VALUE forget_look(VALUE unused)
{
  rb_remove_event_hook((rb_event_hook_func_t)(void (*)(void))look);
  return unused;
}

bool whole_probe_learn(VALUE probe, rb_event_flag_t events)
{
  static rb_event_flag_t known;
  if ((events & ~known) == 0) return true;
  VALUE method = rb_obj_method(probe, ID2SYM(rb_intern("leaf")));
  seen = (struct seen){ .probe = probe, .entry = method_entry_of(method), .function = rb_intern("function") };
  if (!seen.entry) return false;
  rb_add_event_hook2((rb_event_hook_func_t)(void (*)(void))look, events, Qnil,
                     RUBY_EVENT_HOOK_FLAG_SAFE | RUBY_EVENT_HOOK_FLAG_RAW_ARG);
  rb_ensure(call_both, probe, forget_look, Qnil);
  RB_GC_GUARD(method);
  if (seen.right != events || seen.wrong) return false;
  known |= events;
  return true;
}

double whole_probe_run(VALUE probe, enum whole_kind kind)
{
  ID id = rb_intern(kind == WHOLE_C ? "functions" : "leaves");
  VALUE turns = INT2FIX(WHOLE_PROBE_CALLS / CALLS_OF_TURN);
  int64_t from = fast_clock_ticks();
  rb_funcallv(probe, id, 1, &turns);
  return (double)(fast_clock_ticks() - from) / WHOLE_PROBE_CALLS;
}

double whole_probe_least(VALUE probe, enum whole_kind kind)
{
  double least = whole_probe_run(probe, kind);
  for (int i = 1; i < WHOLE_PROBE_ROUNDS; i++) {
    double ticks = whole_probe_run(probe, kind);
    if (ticks < least) least = ticks;
  }
  return least;
}
