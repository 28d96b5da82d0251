/* SPDX-License-Identifier: MIT */
/* Calls a method of our own in a loop to measure the cost of tracing. */
#include "trace_cost.h"

#include "call_place.h"
#include "trace_hook.h"
#include "tracing.h"
#include "shm/base/clock.h"
#include <ruby/debug.h>

enum { ROUNDS = 5, CALLS = 200 };
#define COST_LEAST_NS INT64_C(50)
#define COST_MOST_NS INT64_C(20000)
#define COST_UNKNOWN_NS INT64_C(500)

static const char probe[] = "Module.new do\n"
                            "def self.nothing = nil\n"
                            "def self.repeat(times)\n"
                            "i = 0\n"
                            "while i < times\n"
                            "nothing\n"
                            "i += 1\n"
                            "end\n"
                            "end\n"
                            "end\n";

/* Returns the time in ns of the shortest of several rounds, since disturbances only lengthen a round. */
static int64_t measure(VALUE object)
{
  int64_t least_ns = INT64_MAX;
  for (int i = 0; i < ROUNDS; i++) {
    int64_t begin_ns = clock_now_ns();
    VALUE times = INT2FIX(CALLS);
    rb_funcallv(object, rb_intern("repeat"), 1, &times);
    int64_t ns = clock_now_ns() - begin_ns;
    if (ns < least_ns) least_ns = ns;
  }
  return least_ns;
}

int64_t trace_cost_ns(struct tracing *tracing)
{
  static _Atomic uint32_t times[2][RTOP_LATENCY_BUCKETS];
  static struct trace_target target; /* target for the probe's calls; it is never reported */
  target.tracing = tracing;
  target.times[0] = times[0];
  target.times[1] = times[1];
  VALUE object = call_place_run(probe), tracepoint;
  int64_t bare_ns = measure(object);
  tracepoint = rb_tracepoint_new(0, RUBY_EVENT_CALL | RUBY_EVENT_RETURN, trace_hook, &target);
  if (!call_place_enable(tracepoint, rb_obj_method(object, ID2SYM(rb_intern("nothing"))))) return COST_UNKNOWN_NS;
  int64_t traced_ns = measure(object);
  rb_tracepoint_disable(tracepoint);
  RB_GC_GUARD(object);
  int64_t cost_ns = (traced_ns - bare_ns) / CALLS;
  /* calls of this thread are not counted */
  if (atomic_load(&target.numbers[RTOP_EXACT_CALLS]) == 0) return COST_UNKNOWN_NS;
  return cost_ns < COST_LEAST_NS ? COST_LEAST_NS : cost_ns > COST_MOST_NS ? COST_MOST_NS : cost_ns;
}
