/* SPDX-License-Identifier: MIT */
/* What hooks cost that nobody can measure, from how often they were called.
 *
 * Calibrated once: in loops that do nothing else, where all is in the processor's caches, and sampled in a puma, whose work
 * takes them between two calls (tests/bench/RESULTS.md). Between the two it goes by how closely releases of the GVL followed
 * one another.
 *
 * `counters`: of a window, by their ids (shm/base/format.h). Threads: any, no shared state.
 */
#ifndef RTOP_EXT_OWN_COST_H
#define RTOP_EXT_OWN_COST_H

#include <stdint.h>

/* Nanoseconds of a core that the hooks of all releases took, with what the VM does to call them, beside the stacks, which are
 * measured. In a puma 0.83 us of a release are hooks, 0.2 the VM's calls of them; the rest is the kernel's, and what the
 * application has to fetch again because its caches were taken. */
int64_t own_cost_releases(const uint64_t *counters, int64_t length_ns);

/* What one release without a stack cost more than one beside its stack, where the caches were taken: its wait is laid on the
 * axes when it ends, which takes three quarters of what a stack of thirty frames takes, sampled in a puma.
 * In a loop of nothing else it is less, and in a storm nothing of the kind is done: 0. `stacks_ns`: what stacks cost in
 * the window. */
int64_t own_cost_spared(const uint64_t *counters, int64_t length_ns, int64_t stacks_ns);

/* The same for the hooks of exceptions. */
int64_t own_cost_raises(const uint64_t *counters);

#endif
