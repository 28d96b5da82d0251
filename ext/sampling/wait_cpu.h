/* SPDX-License-Identifier: MIT */
/* What a wait takes of a core, by the stack that it waits with: a read of a socket, a write and a sleep differ by a factor
 * of ten, and a system call for each of them would cost more than all else. Means of those that were measured.
 *
 * Most take about the same however long they are: going to sleep, waking up, copying what came. Where more than half of the
 * time is on a core it is code that computes without the GVL, or the kernel that does: what these take is a part of their time.
 *
 * Threads: any that has a GVL; no lock. Two that learn at once may lose one of two values.
 */
#ifndef RTOP_EXT_WAIT_CPU_H
#define RTOP_EXT_WAIT_CPU_H

#include <stdint.h>

enum { WAIT_CPU_SLOTS_LOG2 = 12 };

/* All 0: nothing is known. Two stacks that share a slot take it from each other. */
struct wait_cpu {
  _Atomic uint64_t cpu[1 << WAIT_CPU_SLOTS_LOG2];  /* node << 32 | mean ns */
  _Atomic uint64_t wall[1 << WAIT_CPU_SLOTS_LOG2]; /* the same of how long they are */
};

/* A wait with this stack (a node, not 0) took so much in so long. */
void wait_cpu_learn(struct wait_cpu *waits, uint32_t node, int64_t cpu_ns, int64_t wall_ns);

/* What one takes in the mean; -1: not known. */
int64_t wait_cpu_mean_ns(const struct wait_cpu *waits, uint32_t node);

/* What one of this length takes; may be more than that. -1: not known. */
int64_t wait_cpu_usual_ns(const struct wait_cpu *waits, uint32_t node, int64_t wall_ns);

/* The mean with one more value: the last ones count most. 0: there was none before. */
int64_t wait_cpu_mean_with(int64_t mean_ns, int64_t cpu_ns);

#endif
