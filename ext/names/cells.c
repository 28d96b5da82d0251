/* SPDX-License-Identifier: MIT */
/* The cells of a window: finds a cell by its key, and adds to it. */
#include "cells.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SLOTS = 2 * CELLS_CAPACITY, FIRST_SLOTS = 512 };

int cells_create(struct cells *cells)
{
  *cells = (struct cells){ 0 };
  cells->entries = calloc(CELLS_CAPACITY, sizeof *cells->entries);
  cells->index = calloc(MOST_SLOTS, sizeof *cells->index);
  cells->mask = FIRST_SLOTS - 1;
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

/* Clears the cells. The hash table keeps about its size, since a window usually has about as many cells as the window
 * before. */
void cells_clear(struct cells *cells)
{
  if (cells->count) memset(cells->index, 0, (cells->mask + 1) * sizeof *cells->index);
  while (cells->mask >= FIRST_SLOTS && cells->count < cells->mask / 8) cells->mask /= 2;
  cells->count = 0;
  cells->folded = 0;
}

static uint32_t hash_key(const struct rtop_cell *cell)
{
  uint64_t key = (uint64_t)cell->node << 32 | cell->thread << 3 | cell->state;
  return (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 40);
}

/* Doubles the hash table and inserts all cells again, at a few ns per cell. */
static void grow(struct cells *cells)
{
  memset(cells->index, 0, (cells->mask + 1) * sizeof *cells->index);
  cells->mask = 2 * cells->mask + 1;
  for (uint32_t i = 0; i < cells->count; i++) {
    uint32_t slot = hash_key(&cells->entries[i]) & cells->mask;
    while (cells->index[slot]) slot = (slot + 1) & cells->mask;
    cells->index[slot] = (uint16_t)(i + 1);
  }
}

static struct rtop_cell *find_or_make(struct cells *cells, const struct rtop_cell *key, uint32_t limit)
{
  uint32_t slot = hash_key(key) & cells->mask;
  for (; cells->index[slot]; slot = (slot + 1) & cells->mask) {
    struct rtop_cell *entry = &cells->entries[cells->index[slot] - 1];
    if (entry->node == key->node && entry->thread == key->thread && entry->state == key->state) return entry;
  }
  if (cells->count >= limit) return NULL;
  struct rtop_cell *entry = &cells->entries[cells->count++];
  cells->index[slot] = (uint16_t)cells->count;
  *entry = (struct rtop_cell){ .node = key->node, .thread = key->thread, .state = key->state };
  if (cells->count > cells->mask / 2 && cells->mask < MOST_SLOTS - 1) grow(cells);
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
