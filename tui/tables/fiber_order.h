/* SPDX-License-Identifier: MIT */
/* Chooses which kinds of fibers are shown, and sorts them.
 *
 * Threads: one. Keeps no state.
 */
#ifndef RTOP_TUI_FIBER_ORDER_H
#define RTOP_TUI_FIBER_ORDER_H

#include "fiber_table.h"

enum fiber_sort { FIBER_SORT_ALIVE, FIBER_SORT_WAITING, FIBER_SORT_SHARE, FIBER_SORT_LONGEST, FIBER_SORT_NAME };
enum { FIBER_SORTS = FIBER_SORT_NAME + 1 };

struct fiber_order {
  enum fiber_sort sort; /* the largest first; names by alphabet */
  bool reverse;
  const char *filter; /* NULL: none */
  bool filter_invert;
};

/* Sorts each thread's rows. A filter keeps kinds that match or wait in a matching method; if a thread has none, all its
 * kinds are kept, since the thread itself was selected by something else that matched. Inverted: keeps kinds for which
 * neither holds. False: memory ran out or the expression is invalid; all rows are then kept. */
bool fiber_order(struct fiber_table *table, const struct rtop_symbols *symbols, const struct fiber_order *order);

#endif
