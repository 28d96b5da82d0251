#include "cost_table.h"

#include <stdlib.h>
#include <string.h>

static size_t cost_table_probe(const struct cost_table *table, uint32_t thread, uint32_t node)
{
  uint64_t hash = ((uint64_t)thread << 32 | node) * UINT64_C(0x9E3779B97F4A7C15);
  size_t mask = table->slot_count - 1;
  size_t at = (size_t)(hash >> 32) & mask;
  while (table->slots[at]) {
    const struct rtop_sum_cell *cell = &table->cells[table->slots[at] - 1];
    if (cell->thread == thread && cell->node == node) break;
    at = (at + 1) & mask;
  }
  return at;
}

static bool cost_table_grow_slots(struct cost_table *table)
{
  size_t slot_count = table->slot_count ? table->slot_count * 2 : 1024;
  uint32_t *slots = calloc(slot_count, sizeof *slots);
  if (!slots) return false;
  free(table->slots);
  table->slots = slots;
  table->slot_count = slot_count;
  for (size_t i = 0; i < table->count; i++)
    slots[cost_table_probe(table, table->cells[i].thread, table->cells[i].node)] = (uint32_t)(i + 1);
  return true;
}

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
  if ((table->count + 1) * 2 > table->slot_count && !cost_table_grow_slots(table)) return NULL;
  size_t at = cost_table_probe(table, thread, node);
  if (table->slots[at]) return &table->cells[table->slots[at] - 1].cost;
  if (table->count == table->capacity && !cost_table_grow_cells(table)) return NULL;
  struct rtop_sum_cell *cell = &table->cells[table->count++];
  *cell = (struct rtop_sum_cell){ .node = node, .thread = thread };
  table->slots[at] = (uint32_t)table->count;
  return &cell->cost;
}

struct rtop_cost *cost_table_find(const struct cost_table *table, uint32_t thread, uint32_t node)
{
  uint32_t slot = table->slot_count ? table->slots[cost_table_probe(table, thread, node)] : 0;
  return slot ? &table->cells[slot - 1].cost : NULL;
}

void cost_table_clear(struct cost_table *table)
{
  if (table->slots) memset(table->slots, 0, table->slot_count * sizeof *table->slots);
  table->count = 0;
}

void cost_table_destroy(struct cost_table *table)
{
  free(table->slots);
  free(table->cells);
  *table = (struct cost_table){ 0 };
}
