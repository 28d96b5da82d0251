/* SPDX-License-Identifier: MIT */
/* The usual CPU time of waits by stack. Reads, writes and sleeps differ by a factor of ten, but measuring every wait
 * would take a system call each; so this table keeps averages of the measured waits.
 *
 * Most waits use about the same CPU time however long they are: for going to sleep, waking up, and copying. A wait
 * whose CPU time is more than half of its length computes without the GVL; its CPU time is taken to be proportional to
 * its length.
 *
 * Threads: any thread that has a GVL; no lock. Of two concurrent updates one may be lost.
 */
#ifndef RTOP_EXT_WAIT_CPU_H
#define RTOP_EXT_WAIT_CPU_H

#include <stdint.h>

enum { WAIT_CPU_SLOTS_LOG2 = 12 };

/* All fields are 0 while nothing is known. Two stacks with the same slot displace each other. */
struct wait_cpu {
  _Atomic uint64_t cpu[1 << WAIT_CPU_SLOTS_LOG2];  /* node << 32 | mean ns */
  _Atomic uint64_t wall[1 << WAIT_CPU_SLOTS_LOG2]; /* the same for the length of waits: node << 32 | mean ns */
};

/* Adds a measured wait with this stack (a node, not 0). */
void wait_cpu_learn(struct wait_cpu *waits, uint32_t node, int64_t cpu_ns, int64_t wall_ns);

/* Returns the average CPU time of waits with this stack; -1 when unknown. */
int64_t wait_cpu_mean_ns(const struct wait_cpu *waits, uint32_t node);

/* Returns the estimated CPU time of a wait with this stack and length; the estimate may exceed the length. -1 when
 * unknown. */
int64_t wait_cpu_usual_ns(const struct wait_cpu *waits, uint32_t node, int64_t wall_ns);

/* Returns the mean updated with one more value; recent values have the greatest weight. A mean of 0 stands for no value
 * so far. */
int64_t wait_cpu_mean_with(int64_t mean_ns, int64_t cpu_ns);

#endif
