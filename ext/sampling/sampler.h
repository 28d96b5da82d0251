/* SPDX-License-Identifier: MIT */
/* The sampler: what runs on application threads. Measures, attributes, adds to the cells of the window
 * that is open. Publishing is somebody else's job.
 *
 * What is exact and what is estimated, and how: accounting.h. Here are the stacks.
 *   the clock     the publisher triggers a postponed job at every tick; it runs at the next safepoint of the thread
 *                 that holds the GVL. A tick counts only when it fell into the stretch that the thread is running
 *                 now: one that found the GVL free says nothing about where whoever comes next runs. A thread that
 *                 goes off the GVL, or into the GC, before its job came serves the tick there.
 *   SUSPENDED     a thread that goes off the GVL takes the stack it waits with, as long as what all that cost so far,
 *                 and did not spare (spared_ns), is within the budget (stack_credit_ns, refilled by the publisher),
 *                 and when its last one is too old.
 *   RESUMED       a wait whose stack was not taken gets one by its length, at its end.
 * In storms beyond any reason the time of events is that of the last tick: sampler_event_ns().
 *
 * Threads: functions marked [hook] run under the VM's scheduler lock: they take no lock (they try), make
 * no Ruby object and allocate nothing. [job] runs at a safepoint under the GVL.
 */
#ifndef RTOP_EXT_SAMPLER_H
#define RTOP_EXT_SAMPLER_H

#include "ext/estimate/instants.h"
#include "newborn.h"
#include "ext/estimate/pools.h"
#include "raised.h"
#include "threads.h"
#include "wait_cpu.h"
#include "waiting.h"
#include "work.h"
#include "ext/base/gc_figures.h"
#include "ext/base/on_core.h"
#include "ext/base/trylock.h"
#include "ext/names/calltree.h"
#include "ext/names/cells.h"
#include "ext/names/frames.h"
#include "ext/names/label_sets.h"
#include "ext/names/stack_cache.h"
#include "ext/names/task_names.h"
#include "shm/base/clock.h"
#include <ruby.h>
#include <ruby/debug.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { SAMPLER_STACK_MAX = STACK_CACHE_DEPTH_MAX, SAMPLER_MISSED_MAX = 16 };

/* Totals since the start; the publisher reports their change per window. samples, cost_ns and points are
 * written under the lock (sampler_count()), dropped by who did not get it. */
struct sampler_counters {
  _Atomic uint64_t samples, dropped, cost_ns;
  _Atomic uint64_t undecided; /* instants of which it is not known whether they met who ran, or who waited for a core */
  _Atomic uint64_t points[RTOP_STATE_COUNT]; /* stacks taken at the end of a stretch */
  _Atomic uint64_t exceptions;
  _Atomic uint64_t makers_ns; /* what samples of new objects cost (ext/hooks/makers.h), by estimate */
  _Atomic uint64_t gc_minor, gc_major, allocations, heap_live_slots, malloc_bytes; /* as read last */
};

/* What was counted before a session, or before its hooks came back on: windows tell of what came after. */
struct sampler_start {
  uint64_t exceptions, gc_minor, gc_major, allocations;
};

struct sampler {
  /* What every release of the GVL reads, and what it writes: close together, see struct thread_data. */
  alignas(64) _Atomic bool active;
  _Atomic bool ractors_seen; /* the process has had more than one */
  _Atomic bool coarse;       /* a storm: events take place at coarse_ns; see sampler_event_ns() */
  bool cut_pending;          /* under the lock: the open cells are of a window whose end is not known yet */
  uint32_t depth_max;        /* outermost frames of a stack that are kept; set while nothing runs */
  /* set by the publisher */
  _Atomic uint32_t waits_per_read; /* CPU is asked for at the end of one wait in so many */
  _Atomic int64_t coarse_ns;       /* the last tick or cut, whether anybody ran or not */
  _Atomic int64_t boundary_ns;     /* end of the open window, known before: stretches that pass it are told apart */
  struct ticks ticks;              /* instants of the clock */
  _Atomic int64_t period_ns;       /* between ticks */
  _Atomic int64_t fresh_ns;        /* a thread whose last stack is older takes one whatever the credit is */
  _Atomic uint64_t window;         /* number of the open window */
  _Atomic int64_t distance_ns[RTOP_STATE_COUNT]; /* mean distance of points; longer stretches are always seen */
  VALUE gc_keys[GC_FIGURES];
  _Atomic uint32_t *publisher_word; /* see publisher_wake() */

  alignas(64) struct trylock lock; /* calltree, frames, cells, stack buffers */
  _Atomic uint32_t last_runner;    /* index of the thread that got a GVL last [hook] */
  struct newborn newborn;
  struct waiting waiting;
  struct cells *open;                /* under the lock */
  _Atomic int64_t stack_credit_ns;   /* what stacks at SUSPENDED may cost before the next refill */
  _Atomic int64_t stacks_cost_ns;    /* what they cost so far */
  _Atomic uint32_t makers_share_ppm; /* of all time, for samples of new objects; a million: as many as there can be */
  _Atomic int64_t spared_ns;         /* a release without a stack costs so much more: no stack pays for that */
  /* Threads that went off the GVL with a stack that had no names yet: the next job, on any thread, sees to them. */
  _Atomic uint32_t missed_count;
  int stack_depth;
  struct sampler_counters counters;

  uint32_t missed[SAMPLER_MISSED_MAX];
  VALUE stack_frames[SAMPLER_STACK_MAX];
  int stack_lines[SAMPLER_STACK_MAX];
  struct cells cells[2];
  struct calltree tree;
  struct stack_cache known;
  struct frames frames;
  struct threads threads;
  struct label_sets labels;
  struct task_names task_names;
  struct pools pools;
  struct wait_cpu wait_cpu;
  struct raised raised;
  struct work work;

  rb_postponed_job_handle_t job;
  _Atomic int64_t off_ns;     /* when hooks went off for good, and the last window was not told yet; else 0 */
  struct on_core on_core;     /* at the last tick */
  struct sampler_start start; /* written under the GVL before `starts` grows */
  _Atomic uint32_t starts;
  int64_t start_ns;     /* of the session; the first window begins then */
  uint64_t seen_window; /* [job] when it looked after the threads last */
  uint32_t thread_cursor;
  uint32_t own_node;    /* "(rperf-top)", under the root: the profiler's own work */
  uint32_t shared_node; /* "(shared)", under the root */
};

/* Once, at load: what of this VM is to be known. Raises when it lacks a counter. */
void sampler_learn(struct sampler *sampler);

/* Under the GVL. 0, or -1 when memory ran out. */
int sampler_create(struct sampler *sampler, uint32_t node_capacity, uint32_t frame_capacity, uint32_t string_bytes);
/* Only of one that was never active: hooks may look at it for the life of the process. Also of one that was
 * made in part. */
void sampler_destroy(struct sampler *sampler);

/* Before the hooks are on: a session begins now, and when its first window ends is not known yet. */
void sampler_begin(struct sampler *sampler);

/* Under the GVL: gives every living thread its data, the caller's as running. */
void sampler_adopt_threads(struct sampler *sampler);

/* A job comes within so much of its instant, where its thread has a core and runs Ruby code. */
#define SAMPLER_JOB_COMES_NS INT64_C(50000)

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

/* Counting begins. Under the GVL, not in a hook. */
void sampler_count_from_now(struct sampler *sampler);

/* Takes over what the VM counts (objects, collections, heap). Under the GVL, not in a hook. */
void sampler_read_vm(struct sampler *sampler);

/* [job] One tick's sample of the calling thread, and the housekeeping that needs the GVL. */
void sampler_job(struct sampler *sampler);

/* [job] The same on a thread of another Ractor, where the main one's threads run beside: true when it is one. Only what
 * hooks noted is seen to. */
bool sampler_job_elsewhere(struct sampler *sampler);

/* Under the GVL, before the session ends: the time, CPU, blame and allocations of the calling thread up to now. */
void sampler_hand_in(struct sampler *sampler);

/* A stack of this thread could not be named. Lock held. [hook] */
static inline void sampler_missed(struct sampler *sampler, const struct thread_data *data)
{
  uint32_t count = atomic_load_explicit(&sampler->missed_count, memory_order_relaxed);
  if (count == SAMPLER_MISSED_MAX || !data->main_ractor) return;
  sampler->missed[count] = data->index;
  atomic_store_explicit(&sampler->missed_count, count + 1, memory_order_release);
}

/* `node` is the stack of this thread as it was at now_ns. */
static inline void sampler_saw(struct thread_data *data, uint32_t node, int64_t now_ns)
{
  atomic_store_explicit(&data->node_seen_ns, now_ns, memory_order_relaxed);
  atomic_store_explicit(&data->node, node, memory_order_release);
}

/* A tick of the clock fell into the stretch that the thread has been running since, and no sample came of it yet. One that fell
 * into our own work tells nothing of the program and counts as served. (That work has a row of its own: if such instants
 * told of the call beside it, the rest of the stretch would have less than its share.) */
static inline bool sampler_tick_due(struct sampler *sampler, const struct thread_data *data, int64_t now_ns)
{
  int64_t tick = ticks_due(&sampler->ticks, data->running_since_ns, now_ns);
  if (!tick) return false;
  bool own = tick > data->own_begin_ns && tick <= data->own_end_ns;
  if (own) ticks_serve(&sampler->ticks);
  return !own;
}

/* The same where it lets go of the GVL. While threads are being made, one that no job answered in time tells nothing, and counts
 * as served: what stands here is always the call that waits. */
static inline bool sampler_tick_due_at_release(struct sampler *sampler, const struct thread_data *data, int64_t now_ns)
{
  bool due = sampler_tick_due(sampler, data, now_ns);
  if (!due || !newborn_any(&sampler->newborn, now_ns)) return due;
  if (now_ns - ticks_until(&sampler->ticks, now_ns) < SAMPLER_JOB_COMES_NS) return due;
  ticks_serve(&sampler->ticks);
  return false;
}

#endif
