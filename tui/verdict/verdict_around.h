/* SPDX-License-Identifier: MIT */
/* The calls around the place of a verdict on its stacks: a loop, or a connection pool.
 *
 * `own` is the application's method that represents the node's stack (off_gvl.h).
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

/* Returns the frame of the application's method nearest to `own` that calls it in a loop, that is through a method of
 * Ruby that calls a block for each of many (each, map, times); else `own` itself if it contains such a loop; 0: there
 * is none, or methods of a framework are in between. */
uint32_t verdict_loop_of(const struct verdict_stacks *stacks, uint32_t node, uint32_t own);

/* Is a method of a connection pool between the leaf and `own`? Then the thread waits for a connection or returns one. */
bool verdict_waits_for_pool(const struct verdict_stacks *stacks, uint32_t node, uint32_t own);
/* Is `own` called by a pool that lends it a connection until it returns? */
bool verdict_uses_pool(const struct verdict_stacks *stacks, uint32_t node, uint32_t own);

#endif
