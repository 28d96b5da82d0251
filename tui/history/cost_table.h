/* (thread, node) → cost: an open-addressing index over a dense array of sum cells.
 *
 * Private to the profile. The cells may be borrowed from a struct rtop_sum, so that a sum is built where
 * it will stay. A zeroed struct is an empty table.
 */
#ifndef RTOP_TUI_COST_TABLE_H
#define RTOP_TUI_COST_TABLE_H

#include "profile.h"

struct cost_table {
  uint32_t *slots;   /* index + 1 of a cell; 0: free */
  size_t slot_count; /* power of two, or 0 */
  struct rtop_sum_cell *cells;
  size_t count, capacity;
};

/* The cost of (thread, node), zero when new; NULL when memory ran out. Valid until the next call. */
struct rtop_cost *cost_table_at(struct cost_table *table, uint32_t thread, uint32_t node);
/* The same, only when it is there: else NULL. */
struct rtop_cost *cost_table_find(const struct cost_table *table, uint32_t thread, uint32_t node);
/* Forgets the cells, keeps memory. */
void cost_table_clear(struct cost_table *table);
void cost_table_destroy(struct cost_table *table);

#endif
