/* SPDX-License-Identifier: MIT */
/* The cost of tracing a call, measured once on a method of our own with and without tracing.
 *
 * Threads: in the job, after call_place_learn() has succeeded. May raise. Takes about half a millisecond.
 */
#ifndef RTOP_EXT_TRACE_COST_H
#define RTOP_EXT_TRACE_COST_H

#include <stdint.h>

struct tracing;

/* Returns the cost in ns per call; never 0. */
int64_t trace_cost_ns(struct tracing *tracing);

#endif
