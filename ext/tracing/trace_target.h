/* SPDX-License-Identifier: MIT */
/* One traced method: what is counted of it.
 *
 * Counted under the GVL, in hooks, as sums that only grow; the publisher reads them at any time and tells the differences,
 * so that neither waits for the other. A call that is being counted at that moment may be told in parts by two windows.
 *
 * Threads: see each group.
 */
#ifndef RTOP_EXT_TRACE_TARGET_H
#define RTOP_EXT_TRACE_TARGET_H

#include "call_args.h"
#include "shm/base/format.h"
#include "shm/base/latency.h"
#include "shm/channel/control.h"
#include <ruby.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { TRACE_CALLERS = 64 };

struct trace_caller {
  VALUE frame; /* kept alive */
  _Atomic uint64_t calls;
  _Atomic uint32_t node; /* 0: not named yet */
  uint64_t told;         /* publisher's */
};

/* The life of a target. The job makes a free one used and a used one left; the publisher tells what is left of that, and
 * frees it. */
enum trace_phase { TRACE_FREE, TRACE_USED, TRACE_LEFT };

struct tracing;

struct trace_target {
  struct tracing *tracing;
  uint32_t index;
  _Atomic int phase;
  /* the job's; the publisher reads what is atomic */
  struct rtop_trace_wish wish;
  _Atomic uint32_t key, state; /* rtop_trace_key(), enum rtop_trace_state */
  _Atomic uint32_t node;       /* 0: no name yet */
  _Atomic uint64_t too_many;   /* calls per second, for which it is ended; 0: it is not */
  _Atomic int64_t begin_ns;    /* counted since then; 0: not now */
  int64_t end_ns;
  bool counts;              /* its calls; false: not now, or another target has the same method */
  VALUE tracepoint, method; /* 0: not set */
  VALUE definition;         /* of the method that was found */
  _Atomic bool is_function; /* not written in Ruby (functions.h): known by the next two */
  ID first_name;
  VALUE owner;
  int64_t slower_ns;                 /* calls that take so long or longer are noted; 0: none */
  struct call_parameters parameters; /* of one in Ruby whose arguments may be told; else none */
  bool own_code;                     /* its definition is that of its frames: others, defined inside, are told apart */
  /* the hook's */
  VALUE frame;                                   /* of its code, as frames are known by; 0: not seen yet */
  _Atomic uint64_t numbers[RTOP_EXACT_WHAT_END]; /* SLOW: of those that found no room */
  _Atomic uint32_t *times[2];                    /* of total and self, RTOP_LATENCY_BUCKETS each */
  struct trace_caller callers[TRACE_CALLERS];
  _Atomic uint32_t caller_count;
  _Atomic uint64_t elsewhere; /* calls of callers without a place */
  uint32_t last_caller;
  /* the publisher's */
  uint64_t told[RTOP_EXACT_WHAT_END], elsewhere_told;
  uint64_t paid_calls, watched_calls; /* whose cost was told; when the second began (cut_exact_cost()) */
  uint32_t *times_told[2];
};

/* The publisher, or while there is none: what was counted up to now is told, or never will be. */
void trace_target_forget(struct trace_target *target);

/* One writer: a plain sum that others may read. */
static inline void trace_add(_Atomic uint64_t *sum, uint64_t more)
{
  atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + more, memory_order_relaxed);
}

#endif
