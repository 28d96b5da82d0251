/* SPDX-License-Identifier: MIT */
/* Threads that are being created and have not had the GVL yet.
 *
 * While the native thread of a new Ruby thread is starting, the VM takes it for the running thread, until another
 * thread gets the GVL (up to 100 ms). A job that the publisher triggers then goes to the new thread, and the thread
 * that really runs is not sampled; without correction, programs that create many threads would show too much time in
 * the calls where threads wait.
 *
 * For the correction, see sampler_tick_due_at_release() and ext/hooks/timeslice.h.
 *
 * Threads: any, in hooks.
 */
#ifndef RTOP_EXT_NEWBORN_H
#define RTOP_EXT_NEWBORN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* After this time, a thread that has not started is no longer expected: the system may have refused to create it. */
#define NEWBORN_WITHIN_NS INT64_C(1000000000)

struct newborn {
  _Atomic int32_t count;
  _Atomic int64_t last_ns; /* time at which the last thread was created */
};

static inline void newborn_made(struct newborn *newborn, int64_t now_ns)
{
  atomic_store_explicit(&newborn->last_ns, now_ns, memory_order_relaxed);
  atomic_fetch_add_explicit(&newborn->count, 1, memory_order_relaxed);
}

/* Call when the thread got the GVL, or will never get it. */
static inline void newborn_gone(struct newborn *newborn)
{
  atomic_fetch_sub_explicit(&newborn->count, 1, memory_order_relaxed);
}

static inline bool newborn_any(const struct newborn *newborn, int64_t now_ns)
{
  return atomic_load_explicit(&newborn->count, memory_order_relaxed) > 0 &&
         now_ns - atomic_load_explicit(&newborn->last_ns, memory_order_relaxed) < NEWBORN_WITHIN_NS;
}

#endif
