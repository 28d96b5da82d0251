/* SPDX-License-Identifier: MIT */
/* Finds out whether a thread that had the GVL at a sampling instant also had a core.
 *
 * A thread with the GVL may wait for a core, or rest, which means to sleep while it keeps the GVL. The publisher reads
 * the thread's CPU clock twice; if the clock stands still, the thread is without a core. On a busy machine, however,
 * the publisher may itself have taken the thread's core when it woke up for this look. So the result for a thread whose
 * clock stands still is:
 *   it rests, or has not run since the last look   no core
 *   it waits for a core that is not the publisher's  no core while cores are short, else it counts as running
 *   it waits for the publisher's core              had a core, unless cores are short: then unknown, the thread decides
 *                                                  later by its longest break, and the publisher changes its core
 * Several instants may hit a thread before it can report a stack (C code); their results are combined.
 *
 * Threads: on_core_look(), on_core_roam() and on_core_tell() only the publisher; the other functions the thread that
 * was examined. It may read a half-written result; the error is then at most the time between two instants.
 */
#ifndef RTOP_EXT_ON_CORE_H
#define RTOP_EXT_ON_CORE_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum {
  ON_CORE_YES = 1,
  ON_CORE_RESTS = 2,
  ON_CORE_WAITS = 4, /* the thread waits for a core */
  ON_CORE_NO = ON_CORE_RESTS | ON_CORE_WAITS,
  ON_CORE_UNKNOWN = 8, /* the publisher could not determine the state */
  ON_CORE_ALL = 16
};

/* A break shorter than this means that the publisher or an interrupt took the thread's core. */
#define ON_CORE_BREAK_NS INT64_C(50000)

struct on_core {
  _Atomic uint64_t found; /* number of the examined thread * ON_CORE_ALL + combined results (ON_CORE_...) */
  /* CLOCK_MONOTONIC minus the thread's CPU clock at the first and at the last instant of a series; this gap grows while
   * the thread has no core */
  _Atomic int64_t first_gap_ns, last_gap_ns;
  _Atomic bool wanted; /* other threads wait for cores */
};

struct on_core_thread {
  uint64_t number; /* number that identifies the thread, not 0 */
  clockid_t clock;
  uint32_t native_id; /* gettid() */
  bool may_open;      /* files may be opened for a moment, since no fork can happen meanwhile */
};

/* The state that the publisher keeps from one look to the next; all 0 at the start. */
struct on_core_past {
  uint64_t thread;
  int64_t cpu_ns;
  unsigned met;       /* result of the last look (ON_CORE_...) */
  uint32_t since_ran; /* number of looks that decided nothing since the last look that saw the thread run */
  uint32_t shortage;  /* estimated shortage of cores, see on_core.c */
  bool confined;      /* the publisher's thread is restricted to the cores in `others` instead of those in `cores` */
  cpu_set_t cores, others;
};

struct on_core_look {
  uint64_t thread; /* number of the examined thread; 0: no thread was examined */
  unsigned met;    /* result (ON_CORE_...) */
  bool wanted;     /* recently a look saw a thread wait for another core */
  int64_t gap_ns;
};

/* Examines the thread at an instant. Takes about 1 us, and 10 us more if the thread does not run. May move the
 * calling thread to another core. */
struct on_core_look on_core_look(struct on_core_past *past, const struct on_core_thread *thread);

/* Lifts the restriction of cores that a look put on the calling thread. Call it also when no more looks follow. */
void on_core_roam(struct on_core_past *past);

/* Publishes the result of a look to the thread that was examined. `first`: the results for all earlier instants have
 * been used, so a new series begins. */
void on_core_tell(struct on_core *on_core, const struct on_core_look *look, bool first);

/* Returns the combined results (ON_CORE_...) of the looks at this thread since the series began; 0 when there was no
 * look. */
static inline unsigned on_core_met(const struct on_core *on_core, uint64_t thread)
{
  uint64_t found = atomic_load_explicit(&on_core->found, memory_order_acquire);
  return found / ON_CORE_ALL == thread ? (unsigned)(found % ON_CORE_ALL) : 0;
}

/* Returns the number of voluntary context switches of the calling thread: how often it has gone to sleep. Returns -1
 * when unknown, for instance because an active seccomp filter might kill the process for the call. Costs two system
 * calls. */
int64_t on_core_voluntary_switches(void);

#endif
