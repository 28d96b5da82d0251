/* SPDX-License-Identifier: MIT */
/* What it costs that a call is traced: measured once, on a method of our own that is called with and without.
 *
 * Threads: in the job, once call_place_learn() was right. May raise. Takes about half a millisecond.
 */
#ifndef RTOP_EXT_TRACE_COST_H
#define RTOP_EXT_TRACE_COST_H

#include <stdint.h>

struct tracing;

/* Nanoseconds a call; never 0. */
int64_t trace_cost_ns(struct tracing *tracing);

#endif
