/* SPDX-License-Identifier: MIT */
/* Threads that are being made, and have not had the GVL yet.
 *
 * From when the native thread of one starts, before it has the GVL, the VM takes it for the one that runs, until the next one
 * gets the GVL (up to 100 ms). What triggers the job from outside of Ruby's threads, as the publisher does, triggers it there:
 * the thread that does run is not asked for its stack. (A program that made a thread every 5 ms and had two methods run for as
 * long as each other was asked 105 times in 4 s, and showed 1.7 s of one, 1.1 s of the other and 1.1 s of Thread#initialize.)
 *
 * So an instant that no job answered may be one of these: see sampler_tick_due_at_release(), and ext/hooks/timeslice.h.
 *
 * Threads: any, in hooks.
 */
#ifndef RTOP_EXT_NEWBORN_H
#define RTOP_EXT_NEWBORN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* One that the system refused would be on its way for ever. */
#define NEWBORN_WITHIN_NS INT64_C(1000000000)

struct newborn {
  _Atomic int32_t count;
  _Atomic int64_t last_ns; /* when the last one was made */
};

static inline void newborn_made(struct newborn *newborn, int64_t now_ns)
{
  atomic_store_explicit(&newborn->last_ns, now_ns, memory_order_relaxed);
  atomic_fetch_add_explicit(&newborn->count, 1, memory_order_relaxed);
}

/* It has the GVL, or never will. */
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
