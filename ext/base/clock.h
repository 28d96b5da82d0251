/* Clocks and the one lock of the sampler.
 *
 * Threads: any. Async-signal-safe; no allocation.
 */
#ifndef RTOP_EXT_CLOCK_H
#define RTOP_EXT_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define CLOCK_NS_PER_SECOND INT64_C(1000000000)

static inline int64_t clock_read_ns(clockid_t clock)
{
  struct timespec now;
  if (clock_gettime(clock, &now) != 0) return 0;
  return (int64_t)now.tv_sec * CLOCK_NS_PER_SECOND + now.tv_nsec;
}

static inline int64_t clock_now_ns(void)
{
  return clock_read_ns(CLOCK_MONOTONIC);
}

static inline int64_t clock_own_cpu_ns(void)
{
  return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Application threads only ever try; the publisher, which may wait, spins on it. */
struct clock_trylock {
  atomic_flag taken;
};

static inline bool clock_trylock(struct clock_trylock *lock)
{
  return !atomic_flag_test_and_set_explicit(&lock->taken, memory_order_acquire);
}

static inline void clock_unlock(struct clock_trylock *lock)
{
  atomic_flag_clear_explicit(&lock->taken, memory_order_release);
}

#endif
