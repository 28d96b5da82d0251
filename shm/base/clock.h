/* SPDX-License-Identifier: MIT */
/* Reads clocks, in nanoseconds.
 *
 * Threads: any. Async-signal-safe; no allocation. A clock that cannot be read returns 0.
 */
#ifndef RTOP_SHM_CLOCK_H
#define RTOP_SHM_CLOCK_H

#include <stdint.h>
#include <time.h>

#define CLOCK_NS_PER_SECOND INT64_C(1000000000)
#define CLOCK_NS_PER_MS INT64_C(1000000)

static inline int64_t clock_read_ns(clockid_t clock)
{
  struct timespec now;
  if (clock_gettime(clock, &now) != 0) return 0;
  return (int64_t)now.tv_sec * CLOCK_NS_PER_SECOND + now.tv_nsec;
}

/* Returns CLOCK_MONOTONIC, the time of windows. */
static inline int64_t clock_now_ns(void)
{
  return clock_read_ns(CLOCK_MONOTONIC);
}

static inline int64_t clock_now_ms(void)
{
  return clock_now_ns() / CLOCK_NS_PER_MS;
}

/* Returns the wall-clock time (CLOCK_REALTIME), for display. */
static inline int64_t clock_real_ns(void)
{
  return clock_read_ns(CLOCK_REALTIME);
}

/* Returns the CPU time of the calling thread. */
static inline int64_t clock_own_cpu_ns(void)
{
  return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

#endif
