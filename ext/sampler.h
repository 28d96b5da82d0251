/* The sampler: what runs on application threads. Measures, attributes, adds to the cells of the window
 * that is open. Publishing is somebody else's job.
 *
 * Two kinds of evidence:
 *   running time   the publisher triggers a postponed job at every tick; it runs at the next safepoint of
 *                  the thread that holds the GVL and charges that thread's running time since its last
 *                  sample to the stack found there. A tick counts only when it fell into the stretch that
 *                  the thread is running now: one that was due while it was blocked says nothing about
 *                  where it runs.
 *   off the GVL    and in the GC: the length of the stretch is known at its end. Stretches longer than a
 *                  period are charged exactly; of shorter ones a sampling point on the time axis of
 *                  (thread, state) selects those that get a stack (accounting.h). The publisher sets the
 *                  points apart so that all threads together take about as many as there are ticks.
 *                  In storms the time of events is that of the last tick: sampler_event_ns().
 *   at once        a thread that goes off the GVL takes its stack while there are tokens, of its own and of
 *                  the process, so that one that stays away is known while it does.
 * So the cost is bounded by the rate, however many threads and events there are.
 *
 * Threads: functions marked [hook] run under the VM's scheduler lock: they take no lock (they try), make
 * no Ruby object and allocate nothing. [job] runs at a safepoint under the GVL.
 */
#ifndef RTOP_EXT_SAMPLER_H
#define RTOP_EXT_SAMPLER_H

#include "calltree.h"
#include "cells.h"
#include "clock.h"
#include "frames.h"
#include "label_sets.h"
#include "threads.h"
#include "waiting.h"
#include <ruby.h>
#include <ruby/debug.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { SAMPLER_STACK_MAX = 2048 };

/* Totals since the start; the publisher reports their change per window. samples, cost_ns and points are
 * written under the lock (sampler_count()), dropped by who did not get it. */
struct sampler_counters {
  _Atomic uint64_t samples, dropped, cost_ns, points;
  _Atomic uint64_t exceptions;
  _Atomic uint64_t gc_minor, gc_major, allocations, heap_live_slots, malloc_bytes;   /* as read last */
};

struct sampler {
  _Atomic bool active;
  struct clock_trylock lock;           /* calltree, frames, cells, stack buffers */
  _Atomic bool publisher_has_lock;     /* for the child of a fork: who held it */
  struct calltree tree;
  struct frames frames;
  struct cells cells[2];
  struct cells *open;                  /* under the lock */
  struct threads threads;
  struct label_sets labels;
  struct waiting waiting;
  struct sampler_counters counters;

  uint32_t depth_max;                  /* outermost frames of a stack that are kept; set while nothing runs */

  /* set by the publisher */
  _Atomic int64_t period_ns;           /* between ticks */
  _Atomic int64_t off_period_ns;       /* between sampling points of short stretches; >= period_ns */
  _Atomic uint64_t window;             /* number of the open window */
  _Atomic int64_t window_start_ns;
  _Atomic int64_t tick_ns;             /* when the last tick was due */
  _Atomic bool coarse;                 /* a storm: events take place at coarse_ns; see sampler_event_ns() */
  _Atomic int64_t coarse_ns;           /* the last tick or cut, whether anybody ran or not */
  _Atomic int64_t tick_served_ns;      /* tick_ns of the last tick that led to a sample */
  _Atomic bool generous;               /* cost is far below the budget: every thread's first wait gets a stack */
  _Atomic int64_t tokens_until_ns;     /* stacks taken at SUSPENDED, over all threads: paid for up to here */

  rb_postponed_job_handle_t job;
  _Atomic uint32_t *publisher_word;    /* see publisher_wake() */
  VALUE gc_symbols[5];
  uint64_t seen_window;                /* [job] when it looked after the threads last */
  uint32_t thread_cursor;
  uint32_t own_node;                   /* "(rperf-top)", under the root: the profiler's own work */
  int64_t aged_ns;                     /* [job] */

  VALUE stack_frames[SAMPLER_STACK_MAX];
  int stack_lines[SAMPLER_STACK_MAX];
};

/* Under the GVL. 0, or -1 when memory ran out. */
int sampler_create(struct sampler *sampler, uint32_t node_capacity, uint32_t frame_capacity,
                   uint32_t string_bytes);
/* Only of one that was never active: hooks may look at it for the life of the process. Also of one that was
 * made in part. */
void sampler_destroy(struct sampler *sampler);

/* Under the GVL: gives every living thread its data, the caller's as running. */
void sampler_adopt_threads(struct sampler *sampler);

/* When an event of this thread takes place. In a storm beyond any reason reading the clock and what follows from
 * it would be most of the profiler's cost: then all events between two ticks take place at the first of
 * them, for a nanosecond each. A stretch has no length then, or it holds ticks and is as long as the time between
 * these; since ticks know nothing of the program that comes out right in the mean, as all sampling does. */
static inline int64_t sampler_event_ns(struct sampler *sampler, const struct thread_data *data)
{
  if (!atomic_load_explicit(&sampler->coarse, memory_order_relaxed)) return clock_now_ns();
  int64_t since = threads_since_ns(atomic_load_explicit(&data->word, memory_order_relaxed));
  int64_t tick = atomic_load_explicit(&sampler->coarse_ns, memory_order_acquire);
  return tick > since ? tick : since;
}

/* Adds to a counter whose writers all hold the sampler's lock: a plain sum that others may read. */
static inline void sampler_count(_Atomic uint64_t *counter, uint64_t more)
{
  uint64_t before = atomic_load_explicit(counter, memory_order_relaxed);
  atomic_store_explicit(counter, before + more, memory_order_relaxed);
}

/* Charges the profiler's own work on a thread to the node of its own. Lock held, or the thread has ended and
 * `cells` are the publisher's. */
void sampler_charge_own(struct sampler *sampler, struct cells *cells, struct thread_data *data);

/* The tick that was due last has led to a sample. */
static inline void sampler_serve_tick(struct sampler *sampler)
{
  int64_t tick = atomic_load_explicit(&sampler->tick_ns, memory_order_relaxed);
  atomic_store_explicit(&sampler->tick_served_ns, tick, memory_order_relaxed);
}

/* Takes over what the VM counts (objects, collections, heap). Under the GVL, not in a hook. */
void sampler_read_vm(struct sampler *sampler);

/* The stack of the calling thread as a node. The lock is held. In a job, `unknown` may be non-NULL: when
 * a frame has no name yet, *unknown becomes its VALUE and the result means nothing. */
uint32_t sampler_stack(struct sampler *sampler, struct thread_data *data, VALUE *unknown);

/* [job] One tick's sample of the calling thread, and the housekeeping that needs the GVL. */
void sampler_job(struct sampler *sampler);

/* Under the GVL, before the session ends: what the calling thread has not charged yet goes to the stacks it was
 * charged to last. */
void sampler_hand_in(struct sampler *sampler);

/* Charges the pending running time (all of it) of the calling thread to `node`. `open_start_ns` and
 * `open_ns`: the stretch without a break that ended just now. The lock is held. */
void sampler_charge_running(struct sampler *sampler, struct thread_data *data, uint32_t node,
                            int64_t open_start_ns, int64_t open_ns);

#endif
