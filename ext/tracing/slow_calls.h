/* SPDX-License-Identifier: MIT */
/* Slow calls: single calls of traced methods that took longer than a viewer's threshold, with their stacks.
 *
 * The hook of a return records times, thread, label set, the VALUEs of the stack, and, if allowed, the arguments. The
 * next job turns the stack into a named node; the publisher reports the call. The two queues between hook, job and
 * publisher are short and have a fixed size. At most SLOW_CALLS_A_WINDOW calls are kept per window; the others are
 * counted.
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

/* Details of a call at its end, for slow_calls_note(). */
struct slow_frame {
  /* whether the call's frame exists and is the innermost of the stack; if not, the stack lacks the method itself */
  bool there;
  rb_trace_arg_t *event; /* event of a Ruby method; NULL: its arguments cannot be read */
  const struct call_parameters *parameters;
};

/* A slow call without names. */
struct slow_call {
  struct rtop_slow call; /* fields of the call except for node and stack */
  uint32_t target, label_set;
  uint32_t first, depth; /* range in slow_calls.frames; depth 0: the stack found no room */
  bool has_frame;        /* false: the stack lacks the method itself */
};

struct slow_calls {
  /* Function that reads arguments (call_args_text()); nothing else makes objects in the hook. NULL: the process does
   * not allow arguments. */
  size_t (*arguments)(rb_trace_arg_t *event, const struct call_parameters *parameters, char *out, size_t bytes);
  /* fields under the GVL */
  uint64_t window; /* number of the window that calls are currently counted for */
  uint32_t in_window, args_in_window;
  uint32_t count, frames_used;
  struct slow_call noted[SLOW_CALLS_A_WINDOW];
  VALUE frames[SLOW_CALLS_FRAMES]; /* leaf first */
  int lines[SLOW_CALLS_FRAMES];
  /* Queue from the job to the publisher. Each side writes one of the two counts, which only grow. */
  _Atomic uint64_t put, taken;
  struct rtop_slow ready[SLOW_CALLS_READY];
  _Atomic uint64_t cost_ns; /* total cost in ns of recording calls */
};

/* [hook] Records that the calling thread now leaves a traced method after a slow call. False when there is no room. */
bool slow_calls_note(struct slow_calls *slow, struct sampler *sampler, uint32_t target, const struct rtop_slow *call,
                     const struct slow_frame *frame);

/* [job] Names the recorded calls. node_of() must return the node of a target, or 0; lost() is called for each call that
 * cannot be passed on to the publisher. The target of a call is UINT32_MAX when tracing of it has ended. Raises
 * nothing. */
void slow_calls_name(struct slow_calls *slow, struct sampler *sampler,
                     uint32_t (*node_of)(void *context, uint32_t target), void (*lost)(void *context, uint32_t target),
                     void *context);

/* Detaches from their target all calls that are still recorded for it. With the GVL. */
void slow_calls_leave(struct slow_calls *slow, uint32_t target);

/* Marks the VALUEs of recorded calls. Called by the GC. */
void slow_calls_mark(const struct slow_calls *slow);

/* For the publisher: slow_calls_first() returns the oldest finished call, or NULL; slow_calls_take() removes it. */
const struct rtop_slow *slow_calls_first(const struct slow_calls *slow);
void slow_calls_take(struct slow_calls *slow);

/* Drops all recorded and finished calls. With the GVL, while there is no publisher. */
void slow_calls_forget(struct slow_calls *slow);

#endif
