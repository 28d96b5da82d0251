/* The cells of a window: finding one by its key and adding to it. */
#include "cells.h"

#include <stdlib.h>
#include <string.h>

enum { INDEX_SLOTS = 2 * CELLS_CAPACITY, INDEX_MASK = INDEX_SLOTS - 1 };

int cells_create(struct cells *cells)
{
  *cells = (struct cells){ 0 };
  cells->entries = calloc(CELLS_CAPACITY, sizeof *cells->entries);
  cells->index = calloc(INDEX_SLOTS, sizeof *cells->index);
  if (cells->entries && cells->index) return 0;
  cells_destroy(cells);
  return -1;
}

void cells_destroy(struct cells *cells)
{
  free(cells->entries);
  free(cells->index);
  *cells = (struct cells){ 0 };
}

void cells_clear(struct cells *cells)
{
  if (cells->count) memset(cells->index, 0, INDEX_SLOTS * sizeof *cells->index);
  cells->count = 0;
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

bool cells_add(struct cells *cells, const struct rtop_cell *cell)
{
  struct rtop_cell *entry = find_or_make(cells, cell, CELLS_CAPACITY - CELLS_RESERVE);
  if (!entry) {
    struct rtop_cell key = { .node = RTOP_NODE_FOLDED, .thread = cell->thread, .state = cell->state };
    cells->folded++;
    entry = find_or_make(cells, &key, CELLS_CAPACITY);
    if (!entry) return false;
  }
  entry->samples += cell->samples;
  entry->wall_ns += cell->wall_ns;
  entry->cpu_ns += cell->cpu_ns;
  entry->allocations += cell->allocations;
  entry->blame_ns += cell->blame_ns;
  return true;
}
