/* SPDX-License-Identifier: MIT */
/* What stands around the place of a verdict on its stacks: the loop that it is in, the pool that it waits for.
 *
 * `own` is the application's method that the stack of the node is known by (off_gvl.h).
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_VERDICT_AROUND_H
#define RTOP_TUI_VERDICT_AROUND_H

#include "tui/history/profile.h"

struct verdict_stacks {
  const struct rtop_symbols *symbols;
  const struct rtop_lens *lens;
};

/* Frame: the application's method nearest to `own` that calls it out of a method of Ruby's own that calls a block for each
 * of many (each, map, times); of none `own` itself, if that has such a loop there; 0: there is none, or a framework's methods
 * are between. */
uint32_t verdict_loop_of(const struct verdict_stacks *stacks, uint32_t node, uint32_t own);

/* Is a connection pool's method between the leaf and `own`: the thread waits for a connection, or gives it back? */
bool verdict_waits_for_pool(const struct verdict_stacks *stacks, uint32_t node, uint32_t own);
/* Is `own` called by a pool, which has lent it a connection until it returns? */
bool verdict_uses_pool(const struct verdict_stacks *stacks, uint32_t node, uint32_t own);

#endif
