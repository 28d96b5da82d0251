/* SPDX-License-Identifier: MIT */
/* The sampler: the part of the profiler that runs on application threads. It takes samples and adds to the cells of the
 * open window; accounting.h explains what is exact and what is estimated. Stacks are taken:
 *
 * - At ticks: the publisher triggers a postponed job, which runs at the next safepoint of the thread with the GVL. A
 * tick counts only if it fell into that thread's current stretch. A thread that releases the GVL or begins a GC before
 * its job ran takes the sample at that moment instead.
 *
 * - At SUSPENDED: a thread that goes off the GVL takes its stack within a budget (stack_credit_ns, which the publisher
 * refills), or regardless of the budget if its last stack is too old.
 *
 * - At RESUMED: a wait without a stack gets one at its end, with a probability that grows with its length. In a storm,
 * events get the time of the last tick (sampler_event_ns()).
 *
 * Threads: [hook] functions run under the VM's scheduler lock: they only try locks, make no Ruby object and do not
 * allocate. [job] functions run at a safepoint with the GVL.
 */
#ifndef RTOP_EXT_SAMPLER_H
#define RTOP_EXT_SAMPLER_H

#include "ext/estimate/instants.h"
#include "newborn.h"
#include "pairs.h"
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

/* Totals since the start; the publisher reports their change per window. samples, cost_ns and points are written
 * under the lock (sampler_count()); dropped is written by threads that did not get the lock. */
struct sampler_counters {
  _Atomic uint64_t samples, dropped, cost_ns;
  /* number of instants that hit a thread which either ran or waited for a core, with no way to tell which */
  _Atomic uint64_t undecided;
  _Atomic uint64_t points[RTOP_STATE_COUNT]; /* number of stacks taken at the end of a stretch, by state */
  _Atomic uint64_t exceptions;
  _Atomic uint64_t makers_ns; /* estimated cost, in ns, of sampling new objects (ext/hooks/makers.h) */
  _Atomic uint64_t gc_minor, gc_major, allocations, heap_live_slots, malloc_bytes; /* values at the last reading */
};

/* The VM's counters when a session began or hooks were installed again; windows report only later changes. */
struct sampler_start {
  uint64_t exceptions, gc_minor, gc_major, allocations;
};

struct sampler {
  /* Fields that every release of the GVL reads; the fields that every release writes follow. They are close together to
   * save cache lines (see struct thread_data). */
  alignas(64) _Atomic bool active;
  _Atomic bool ractors_seen; /* the process has had more than one Ractor */
  _Atomic bool coarse;       /* during a storm, events are timed at coarse_ns; see sampler_event_ns() */
  /* under the lock: the cells in `open` belong to a window whose end is not announced yet */
  bool cut_pending;
  uint32_t depth_max; /* number of outermost frames of a stack that are kept; set only while nothing runs */
  /* fields that the publisher sets */
  _Atomic uint32_t waits_per_read; /* CPU time is measured for one wait in this many waits */
  _Atomic int64_t coarse_ns;       /* time of the last tick or cut, whether or not a thread ran */
  _Atomic int64_t boundary_ns;     /* announced end of the open window; stretches that pass it are split */
  struct ticks ticks;              /* instants that found a thread with the GVL */
  _Atomic int64_t period_ns;       /* mean time in ns between ticks */
  /* a thread whose last stack is older than this time in ns takes a stack regardless of stack_credit_ns */
  _Atomic int64_t fresh_ns;
  _Atomic uint64_t window; /* number of the open window */
  /* mean distance of points by state; a longer stretch always gets a stack */
  _Atomic int64_t distance_ns[RTOP_STATE_COUNT];
  VALUE gc_keys[GC_FIGURES];
  _Atomic uint32_t *publisher_word; /* see publisher_wake() */

  alignas(64) struct trylock lock; /* calltree, frames, cells, stack buffers */
  _Atomic uint32_t last_runner;    /* index of the thread that last got a GVL [hook] */
  struct newborn newborn;
  struct waiting waiting;
  struct cells *open;              /* cells of the open window; under the lock */
  _Atomic int64_t stack_credit_ns; /* budget in ns of CPU time for stacks at SUSPENDED until the next refill */
  _Atomic int64_t stacks_cost_ns;  /* cost of stacks so far */
  /* share of all time that samples of new objects may cost, in millionths; a million means no limit */
  _Atomic uint32_t makers_share_ppm;
  /* extra cost in ns of a release without a stack; taking a stack saves this much */
  _Atomic int64_t spared_ns;
  /* Threads that went off the GVL with an unnamed stack; the next job on any thread names them. */
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
  struct pairs pairs;

  rb_postponed_job_handle_t job;
  /* time at which hooks were removed for good, until the last window is reported; else 0 */
  _Atomic int64_t off_ns;
  struct on_core on_core;     /* result of the publisher's look at the last tick */
  struct sampler_start start; /* written under the GVL before `starts` grows */
  _Atomic uint32_t starts;
  int64_t start_ns;     /* start of the session and of its first window */
  uint64_t seen_window; /* [job] window in which the job last visited the threads */
  uint32_t thread_cursor;
  uint32_t own_node;    /* node "(rperf-top)" under the root, for the profiler's own work */
  uint32_t shared_node; /* "(shared)", under the root */
};

/* Learns at load the details of this VM that the sampler needs. Raises if the VM lacks a counter. */
void sampler_learn(struct sampler *sampler);

/* Allocates and initialises the sampler. With the GVL. Returns 0, or -1 when memory ran out. */
int sampler_create(struct sampler *sampler, uint32_t node_capacity, uint32_t frame_capacity, uint32_t string_bytes);
/* Frees a sampler that was never active, even if its creation failed halfway. Active samplers are never freed, since
 * hooks may read them until the process ends. */
void sampler_destroy(struct sampler *sampler);

/* Begins a session, before hooks are installed; the end of the session's first window is not announced yet. */
void sampler_begin(struct sampler *sampler);

/* Registers every living thread, with the calling one as running. With the GVL. */
void sampler_adopt_threads(struct sampler *sampler);

/* A job normally runs within this time in ns after its instant, if the job's thread has a core and runs Ruby code. */
#define SAMPLER_JOB_COMES_NS INT64_C(50000)

/* Returns the time of an event of this thread. In a storm of events, reading the clock would be most of the profiler's
 * cost, so all events between two ticks get the time of the first of the two. So a stretch either has no length, or it
 * contains ticks and is as long as the time between these ticks. That is right on average, since ticks are independent
 * of the program. */
static inline int64_t sampler_event_ns(struct sampler *sampler, const struct thread_data *data)
{
  if (!atomic_load_explicit(&sampler->coarse, memory_order_relaxed)) return clock_now_ns();
  int64_t since = threads_since_ns(atomic_load_explicit(&data->word, memory_order_relaxed));
  int64_t tick = atomic_load_explicit(&sampler->coarse_ns, memory_order_acquire);
  return tick > since ? tick : since;
}

/* Adds to a counter that is written only under the sampler's lock, but may be read by any thread at any time. */
static inline void sampler_count(_Atomic uint64_t *counter, uint64_t more)
{
  uint64_t before = atomic_load_explicit(counter, memory_order_relaxed);
  atomic_store_explicit(counter, before + more, memory_order_relaxed);
}

/* Starts counting from the VM's current counters. With the GVL, not in a hook. */
void sampler_count_from_now(struct sampler *sampler);

/* Reads the VM's counters (objects, collections, heap). With the GVL, not in a hook. */
void sampler_read_vm(struct sampler *sampler);

/* [job] Takes the sample of a tick from the calling thread, and does the housekeeping that needs the GVL. */
void sampler_job(struct sampler *sampler);

/* [job] Like sampler_job(), but for a thread of another Ractor, which runs in parallel with threads of the main one.
 * Only names what hooks recorded without names. Returns true if the calling thread is of another Ractor. */
bool sampler_job_elsewhere(struct sampler *sampler);

/* Charges the calling thread's time, CPU time, blame and allocations up to now, before the session ends. With the
 * GVL. */
void sampler_hand_in(struct sampler *sampler);

/* Records that a stack of this thread could not be named. Lock held. [hook] */
static inline void sampler_missed(struct sampler *sampler, const struct thread_data *data)
{
  uint32_t count = atomic_load_explicit(&sampler->missed_count, memory_order_relaxed);
  if (count == SAMPLER_MISSED_MAX || !data->main_ractor) return;
  sampler->missed[count] = data->index;
  atomic_store_explicit(&sampler->missed_count, count + 1, memory_order_release);
}

/* Records that `node` was the stack of this thread at now_ns. */
static inline void sampler_saw(struct thread_data *data, uint32_t node, int64_t now_ns)
{
  atomic_store_explicit(&data->node_seen_ns, now_ns, memory_order_relaxed);
  atomic_store_explicit(&data->node, node, memory_order_release);
}

/* Tells whether an instant fell into the thread's current running stretch and has not led to a sample yet. An instant
 * within the profiler's own work counts as sampled, since that work has a row of its own; if it were charged to the
 * call around the work, all other calls of the stretch would get less than their share. */
static inline bool sampler_tick_due(struct sampler *sampler, const struct thread_data *data, int64_t now_ns)
{
  int64_t tick = ticks_due(&sampler->ticks, data->running_since_ns, now_ns);
  if (!tick) return false;
  bool own = tick > data->own_begin_ns && tick <= data->own_end_ns;
  if (own) ticks_serve(&sampler->ticks);
  return !own;
}

/* Like sampler_tick_due(), for a thread that releases the GVL. While threads are being created, an instant for which no
 * job has come within SAMPLER_JOB_COMES_NS counts as sampled: a stack taken here would always show the call that
 * waits. */
static inline bool sampler_tick_due_at_release(struct sampler *sampler, const struct thread_data *data, int64_t now_ns)
{
  bool due = sampler_tick_due(sampler, data, now_ns);
  if (!due || !newborn_any(&sampler->newborn, now_ns)) return due;
  if (now_ns - ticks_until(&sampler->ticks, now_ns) < SAMPLER_JOB_COMES_NS) return due;
  ticks_serve(&sampler->ticks);
  return false;
}

#endif
