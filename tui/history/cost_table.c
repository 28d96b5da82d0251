/* SPDX-License-Identifier: MIT */
/* Costs by (thread, node). */
#include "cost_table.h"

#include <stdlib.h>
#include <string.h>

static bool cost_table_grow_cells(struct cost_table *table)
{
  size_t capacity = table->capacity ? table->capacity * 2 : 256;
  struct rtop_sum_cell *cells = realloc(table->cells, capacity * sizeof *cells);
  if (!cells) return false;
  table->cells = cells;
  table->capacity = capacity;
  return true;
}

struct rtop_cost *cost_table_at(struct cost_table *table, uint32_t thread, uint32_t node)
{
  uint32_t *index = rtop_pairs_at(&table->pairs, thread, node);
  if (!index) return NULL;
  if (*index) return &table->cells[*index - 1].cost;
  if (table->count == table->capacity && !cost_table_grow_cells(table)) return NULL;
  struct rtop_sum_cell *cell = &table->cells[table->count++];
  *cell = (struct rtop_sum_cell){ .node = node, .thread = thread };
  *index = (uint32_t)table->count;
  return &cell->cost;
}

struct rtop_cost *cost_table_find(const struct cost_table *table, uint32_t thread, uint32_t node)
{
  uint32_t index = rtop_pairs_find(&table->pairs, thread, node);
  return index ? &table->cells[index - 1].cost : NULL;
}

void cost_table_clear(struct cost_table *table)
{
  rtop_pairs_clear(&table->pairs);
  table->count = 0;
}

void cost_table_destroy(struct cost_table *table)
{
  rtop_pairs_destroy(&table->pairs);
  free(table->cells);
  *table = (struct cost_table){ 0 };
}
