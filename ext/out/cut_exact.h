/* SPDX-License-Identifier: MIT */
/* Hands over what is known exactly of traced methods: what has changed since the window before.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_EXACT_H
#define RTOP_EXT_CUT_EXACT_H

#include "cut.h"
#include "ext/tracing/tracing.h"

/* False when memory ran out. */
bool cut_exact_add(struct cut *cut, struct tracing *tracing);

/* What tracing has cost the process in the window, ns. When it was more than that share of a core in a second, the
 * method with the most calls is to be traced no more, or all that are not in Ruby if these cost more; budget 0: it may
 * cost whatever it does. */
int64_t cut_exact_cost(const struct cut *cut, struct tracing *tracing, double budget);

#endif
