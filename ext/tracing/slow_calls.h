/* SPDX-License-Identifier: MIT */
/* Calls of traced methods that took longer than a viewer asked for, one by one, with their stacks.
 *
 * The hook of a return notes times, thread, set of labels, the VALUEs of the stack, and if they are allowed the arguments; the next job makes a node of the
 * call tree of that, with names; the publisher tells it. Two short queues in memory of fixed size, made once. There are no
 * more in a window than SLOW_CALLS_A_WINDOW: what finds no room is counted as such.
 *
 * Threads: see each function.
 */
#ifndef RTOP_EXT_SLOW_CALLS_H
#define RTOP_EXT_SLOW_CALLS_H

#include "call_args.h"
#include "ext/sampling/sampler.h"
#include "shm/window/window.h"
#include <ruby.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { SLOW_CALLS_A_WINDOW = 64, SLOW_CALLS_READY = 4 * SLOW_CALLS_A_WINDOW, SLOW_CALLS_FRAMES = 1 << 14 };

/* What is left of a call when it ends. */
struct slow_frame {
  bool there;            /* its frame, which is the innermost of the stack; else the method itself is not among these */
  rb_trace_arg_t *event; /* of a method in Ruby; NULL: its arguments cannot be read */
  const struct call_parameters *parameters;
};

/* One that has no names yet. */
struct slow_call {
  struct rtop_slow call; /* without node and stack */
  uint32_t target, label_set;
  uint32_t first, depth; /* in the frames below; depth 0: they found no room */
  bool has_frame;        /* else the method itself is not among these */
};

struct slow_calls {
  /* Nothing but this makes objects in the hook; NULL: the process does not allow arguments (call_args_text()). */
  size_t (*arguments)(rb_trace_arg_t *event, const struct call_parameters *parameters, char *out, size_t bytes);
  /* under the GVL */
  uint64_t window; /* the sampler's number of the one that the next counts for */
  uint32_t in_window, args_in_window;
  uint32_t count, frames_used;
  struct slow_call noted[SLOW_CALLS_A_WINDOW];
  VALUE frames[SLOW_CALLS_FRAMES]; /* leaf first */
  int lines[SLOW_CALLS_FRAMES];
  /* from the job to the publisher; each writes one of the counts, which only grow */
  _Atomic uint64_t put, taken;
  struct rtop_slow ready[SLOW_CALLS_READY];
  _Atomic uint64_t cost_ns; /* of noting them, so far */
};

/* [hook] The calling thread leaves a traced method now, after such a call. False: there is no room. */
bool slow_calls_note(struct slow_calls *slow, struct sampler *sampler, uint32_t target, const struct rtop_slow *call,
                     const struct slow_frame *frame);

/* [job] Names what was noted. node_of() gives the node of a target; 0: it has none. lost() is told of what cannot be handed
 * on; for both UINT32_MAX is nobody. Raises nothing. */
void slow_calls_name(struct slow_calls *slow, struct sampler *sampler,
                     uint32_t (*node_of)(void *context, uint32_t target), void (*lost)(void *context, uint32_t target),
                     void *context);

/* Under the GVL: those that are still noted of a target are nobody's any more. */
void slow_calls_leave(struct slow_calls *slow, uint32_t target);

/* In the GC. */
void slow_calls_mark(const struct slow_calls *slow);

/* The publisher: the oldest that is ready, and on to the next; NULL: there is none. */
const struct rtop_slow *slow_calls_first(const struct slow_calls *slow);
void slow_calls_take(struct slow_calls *slow);

/* Under the GVL, while there is no publisher: nothing is noted, nothing is ready. */
void slow_calls_forget(struct slow_calls *slow);

#endif
