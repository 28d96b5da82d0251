#include "cells.h"

#include <stdlib.h>
#include <string.h>

enum { INDEX_SLOTS = 2 * CELLS_CAPACITY, INDEX_MASK = INDEX_SLOTS - 1 };

int cells_create(struct cells *cells)
{
  *cells = (struct cells){ 0 };
  cells->entries = calloc(CELLS_CAPACITY, sizeof *cells->entries);
  cells->index = calloc(INDEX_SLOTS, sizeof *cells->index);
  cells->late = calloc(CELLS_LATE_CAPACITY, sizeof *cells->late);
  if (cells->entries && cells->index && cells->late) return 0;
  cells_destroy(cells);
  return -1;
}

void cells_destroy(struct cells *cells)
{
  free(cells->entries);
  free(cells->index);
  free(cells->late);
  *cells = (struct cells){ 0 };
}

void cells_clear(struct cells *cells)
{
  if (cells->count) memset(cells->index, 0, INDEX_SLOTS * sizeof *cells->index);
  cells->count = 0;
  cells->late_count = 0;
  cells->folded = 0;
}

static uint32_t hash_key(const struct rtop_cell *cell)
{
  uint64_t key = (uint64_t)cell->node << 32 | cell->thread << 3 | cell->state;
  return (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 40);
}

static struct rtop_cell *find_or_make(struct cells *cells, const struct rtop_cell *key, uint32_t limit)
{
  uint32_t slot = hash_key(key) & INDEX_MASK;
  for (; cells->index[slot]; slot = (slot + 1) & INDEX_MASK) {
    struct rtop_cell *entry = &cells->entries[cells->index[slot] - 1];
    if (entry->node == key->node && entry->thread == key->thread && entry->state == key->state) return entry;
  }
  if (cells->count >= limit) return NULL;
  struct rtop_cell *entry = &cells->entries[cells->count++];
  cells->index[slot] = (uint16_t)cells->count;
  *entry = (struct rtop_cell){ .node = key->node, .thread = key->thread, .state = key->state };
  return entry;
}

void cells_add(struct cells *cells, const struct rtop_cell *cell)
{
  struct rtop_cell *entry = find_or_make(cells, cell, CELLS_CAPACITY - CELLS_RESERVE);
  if (!entry) {
    struct rtop_cell key = { .node = RTOP_NODE_FOLDED, .thread = cell->thread, .state = cell->state };
    cells->folded++;
    entry = find_or_make(cells, &key, CELLS_CAPACITY);
    if (!entry) entry = &cells->entries[0];   /* more threads than the reserve: totals still hold */
  }
  entry->samples += cell->samples;
  entry->wall_ns += cell->wall_ns;
  entry->cpu_ns += cell->cpu_ns;
  entry->allocations += cell->allocations;
  entry->blame_ns += cell->blame_ns;
}

bool cells_add_late(struct cells *cells, int64_t start_mono_ns, const struct rtop_cell *cell)
{
  if (cells->late_count == CELLS_LATE_CAPACITY) return false;
  cells->late[cells->late_count++] = (struct rtop_late){ .start_mono_ns = start_mono_ns, .cell = *cell };
  return true;
}
