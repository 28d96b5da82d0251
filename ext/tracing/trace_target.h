/* SPDX-License-Identifier: MIT */
/* One traced method and its counts.
 *
 * Hooks count with the GVL, in sums that only grow. The publisher reads the sums at any time and reports differences,
 * so neither waits for the other. A call that is being counted while the publisher reads may be split between two
 * windows.
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
  VALUE frame; /* frame of the caller, kept alive */
  _Atomic uint64_t calls;
  _Atomic uint32_t node; /* 0: not named yet */
  uint64_t told;         /* number of calls that the publisher has reported */
};

/* Life of a target. The job turns FREE into USED and USED into LEFT; the publisher reports the unreported counts of a
 * LEFT target and turns it into FREE. */
enum trace_phase { TRACE_FREE, TRACE_USED, TRACE_LEFT };

struct tracing;

struct trace_target {
  struct tracing *tracing;
  uint32_t index;
  _Atomic int phase;
  /* Written by the job; the publisher reads the atomic fields. */
  struct rtop_trace_wish wish;
  _Atomic uint32_t key, state; /* rtop_trace_key(), enum rtop_trace_state */
  _Atomic uint32_t node;       /* call tree node of the method; 0: not named yet */
  _Atomic uint64_t too_many;   /* calls per second because of which tracing ended; 0: it did not */
  _Atomic int64_t begin_ns;    /* time since which calls are counted; 0: they are not counted now */
  int64_t end_ns;
  /* whether this target counts its method's calls; false: no target does yet, or another one does */
  bool counts;
  VALUE tracepoint, method; /* 0: not set */
  VALUE definition;         /* definition of the method that was found */
  /* the method is not written in Ruby (functions.h) and is identified by first_name and owner */
  _Atomic bool is_function;
  ID first_name;
  VALUE owner;
  int64_t slower_ns;                 /* calls of at least this length are recorded one by one; 0: none are */
  struct call_parameters parameters; /* parameters of a Ruby method whose arguments may be reported; else empty */
  /* whether frames of the method carry its definition, which distinguishes them from frames of methods defined inside
   * it */
  bool own_code;
  /* fields that the hook writes */
  /* VALUE that identifies frames of the method's code; 0: not seen yet */
  VALUE frame;
  _Atomic uint64_t numbers[RTOP_EXACT_WHAT_END]; /* counts by kind; SLOW: slow calls that found no room */
  /* number of calls by duration: total time, then self time; RTOP_LATENCY_BUCKETS each */
  _Atomic uint32_t *times[2];
  struct trace_caller callers[TRACE_CALLERS];
  _Atomic uint32_t caller_count;
  _Atomic uint64_t elsewhere; /* calls whose caller found no room in `callers` */
  uint32_t last_caller;
  /* the publisher's fields */
  uint64_t told[RTOP_EXACT_WHAT_END], elsewhere_told;
  /* number of calls whose cost was reported; number of calls at the last check, once a second (cut_exact_cost()) */
  uint64_t paid_calls, watched_calls;
  uint32_t *times_told[2];
};

/* Marks all counts as reported. Call on the publisher, or while there is no publisher. */
void trace_target_forget(struct trace_target *target);

/* Adds to a sum that has a single writer and any number of readers. */
static inline void trace_add(_Atomic uint64_t *sum, uint64_t more)
{
  atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + more, memory_order_relaxed);
}

#endif
