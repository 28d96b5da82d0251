/* SPDX-License-Identifier: MIT */
/* Estimates the cost of hooks that is too small to be measured, from how often they were called.
 *
 * Two calibrations are interpolated: a loop of releases only, where caches are warm, and a puma server, whose work
 * evicts the caches between two releases. How close releases of the GVL follow one another decides between the two.
 *
 * `counters` are those of a window, by id (shm/base/format.h). Threads: any; there is no shared state.
 */
#ifndef RTOP_EXT_OWN_COST_H
#define RTOP_EXT_OWN_COST_H

#include <stdint.h>

/* CPU time in ns of the hooks at all releases of the GVL, including the VM's work to call them, but without taking
 * stacks, whose cost is measured. */
int64_t own_cost_releases(const uint64_t *counters, int64_t length_ns);

/* Extra cost of a release without a stack when the caches are cold: its wait is laid on the axes when it ends, which
 * takes three quarters of the time of a stack of thirty frames. It is less in a tight loop, and 0 in a storm of
 * releases, in which this work is not done. `stacks_ns`: the cost of stacks in the window. */
int64_t own_cost_spared(const uint64_t *counters, int64_t length_ns, int64_t stacks_ns);

/* CPU time in ns of the hooks on exceptions. */
int64_t own_cost_raises(const uint64_t *counters);

#endif
