/* SPDX-License-Identifier: MIT */
/* Adds the exact figures of traced methods to the window, as differences from the previous window.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_EXACT_H
#define RTOP_EXT_CUT_EXACT_H

#include "cut.h"
#include "ext/tracing/tracing.h"

/* Returns false when memory ran out. */
bool cut_exact_add(struct cut *cut, struct tracing *tracing);

/* Returns the cost of tracing in the window, in ns. If over the last second it exceeded `budget` (a share of a core; 0:
 * unlimited), tracing ends for the method with the most calls, or for all methods in C if they cost more. */
int64_t cut_exact_cost(const struct cut *cut, struct tracing *tracing, double budget);

#endif
