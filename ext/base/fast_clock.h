/* SPDX-License-Identifier: MIT */
/* A clock cheap enough for hooks on every method call: the processor's counter where the kernel keeps time by it, else
 * the kernel's clock. The length of a tick differs between machines; fast_clock_ns_per_tick() returns this length, some
 * milliseconds after the start.
 *
 * Threads: fast_clock_learn() once, before the other functions; these from any thread. [hook]
 */
#ifndef RTOP_EXT_FAST_CLOCK_H
#define RTOP_EXT_FAST_CLOCK_H

#include "shm/base/clock.h"
#include <stdbool.h>
#include <stdint.h>

extern bool fast_clock_is_counter;

void fast_clock_learn(void);

static inline int64_t fast_clock_ticks(void)
{
#if defined __x86_64__
  if (fast_clock_is_counter) return (int64_t)__builtin_ia32_rdtsc();
#endif
  return clock_now_ns();
}

struct fast_clock_start {
  int64_t ticks, ns;
};

struct fast_clock_start fast_clock_start(void);
double fast_clock_ns_per_tick(const struct fast_clock_start *start);

#endif
