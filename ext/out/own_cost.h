/* SPDX-License-Identifier: MIT */
/* Estimates the cost of hooks, which is too small to be measured, from the number of their calls.
 *
 * Two calibrations are interpolated: a loop of releases only, where caches are warm, and a puma server, whose work
 * evicts the caches between two releases. The estimate depends on how close together the releases of the GVL are.
 *
 * `counters`: the counters of a window, by id (shm/base/format.h).
 */
#ifndef RTOP_EXT_OWN_COST_H
#define RTOP_EXT_OWN_COST_H

#include <stdint.h>

/* Returns the CPU time in ns of the hooks at all releases of the GVL, including the VM's work to call them, but without
 * taking stacks, which is measured. */
int64_t own_cost_releases(const uint64_t *counters, int64_t length_ns);

/* Returns the extra cost in ns of a release without a stack: its wait is laid on the axes when it ends, which with cold
 * caches takes three quarters of the time of a stack of thirty frames. The cost is less in a tight loop, and 0 in a
 * storm of releases, in which this work is not done. `stacks_ns`: the cost of stacks in the window. */
int64_t own_cost_spared(const uint64_t *counters, int64_t length_ns, int64_t stacks_ns);

/* Returns the CPU time in ns of the hooks on exceptions. */
int64_t own_cost_raises(const uint64_t *counters);

#endif
