/* SPDX-License-Identifier: MIT */
/* The total time that threads have waited for the GVL: the integral over time of the number of waiting threads.
 *
 * A thread reads this integral when it gets the GVL and when it is sampled; the difference is the time that other
 * threads waited meanwhile: the thread's blame. The integral is kept in one word, so that it is read and changed as a
 * whole: the low 16 bits count waiting threads, the high 48 bits hold an accumulator A such that the integral at time t
 * is A + count * t (modulo 2^48 ns = 78 hours; only differences are used).
 *
 * Threads: any. Each function is one atomic operation, without a lock.
 */
#ifndef RTOP_EXT_WAITING_H
#define RTOP_EXT_WAITING_H

#include <stdatomic.h>
#include <stdint.h>

struct waiting {
  _Atomic uint64_t word;
};

static inline void waiting_begin(struct waiting *waiting, int64_t now_ns)
{
  atomic_fetch_add_explicit(&waiting->word, 1 - ((uint64_t)now_ns << 16), memory_order_relaxed);
}

static inline void waiting_end(struct waiting *waiting, int64_t now_ns)
{
  atomic_fetch_add_explicit(&waiting->word, ((uint64_t)now_ns << 16) - 1, memory_order_relaxed);
}

/* Returns the integral at now_ns, modulo 2^48. */
static inline uint64_t waiting_integral(struct waiting *waiting, int64_t now_ns)
{
  uint64_t word = atomic_load_explicit(&waiting->word, memory_order_relaxed);
  return ((word >> 16) + (word & 0xFFFF) * (uint64_t)now_ns) & (UINT64_MAX >> 16);
}

/* Returns the waiting time of all threads since the integral was `before`, in ns. The result is never negative,
 * although clocks of different cores may disagree by some ns. */
static inline int64_t waiting_since(uint64_t integral, uint64_t before)
{
  uint64_t difference = (integral - before) & (UINT64_MAX >> 16);
  return difference > UINT64_MAX >> 17 ? 0 : (int64_t)difference;
}

#endif
