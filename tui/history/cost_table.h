/* SPDX-License-Identifier: MIT */
/* A table (thread, node) -> cost: a dense array of cells, and a hash index into it.
 *
 * Private to the profile. The cells may be borrowed from a struct rtop_sum, so that a sum is built in place. A struct
 * of zeros is an empty table.
 */
#ifndef RTOP_TUI_COST_TABLE_H
#define RTOP_TUI_COST_TABLE_H

#include "profile.h"
#include "tui/text/pairs.h"

struct cost_table {
  struct rtop_pairs pairs; /* index + 1 of a cell */
  struct rtop_sum_cell *cells;
  size_t count, capacity;
};

/* Finds or adds the cost of (thread, node); a new one is zero. NULL when memory ran out. The pointer is valid until the
   next call. */
struct rtop_cost *cost_table_at(struct cost_table *table, uint32_t thread, uint32_t node);
/* Like cost_table_at(), but NULL when there is no such cell. */
struct rtop_cost *cost_table_find(const struct cost_table *table, uint32_t thread, uint32_t node);
/* Forgets the cells, keeps memory. */
void cost_table_clear(struct cost_table *table);
void cost_table_destroy(struct cost_table *table);

#endif
