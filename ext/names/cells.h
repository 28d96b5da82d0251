/* SPDX-License-Identifier: MIT */
/* The cells collected for one window, one cell per (node, thread, state), in the order of their first use.
 *
 * The capacity is fixed, so adding never allocates. When the table is full, time with further keys is added to
 * RTOP_NODE_FOLDED of the same thread and state, so no time is lost.
 *
 * Threads: any thread that holds the sampler's lock; after the two tables of cells were swapped, the publisher alone.
 */
#ifndef RTOP_EXT_CELLS_H
#define RTOP_EXT_CELLS_H

#include "shm/window/window.h"
#include <stdbool.h>
#include <stdint.h>

enum { CELLS_CAPACITY = 8192, CELLS_RESERVE = 1024 };

/* `thread` in a cell is the registry index of threads.h; the publisher converts it to the window's own index. */
struct cells {
  struct rtop_cell *entries;
  uint16_t *index; /* hash table, open addressing: index of an entry + 1, 0 = free */
  uint32_t count;
  /* mask of the used part of `index`, which follows the count so that few cells touch few cache lines */
  uint32_t mask;
  uint64_t folded; /* number of additions that went to RTOP_NODE_FOLDED */
};

int cells_create(struct cells *cells);
void cells_destroy(struct cells *cells);
void cells_clear(struct cells *cells);

/* Returns the CPU time that belongs to wall_ns of the cell's wall time. If the cell's CPU time does not exceed its wall
 * time, the same holds for this part and for the remainder. */
static inline uint64_t cells_cpu_of(const struct rtop_cell *cell, uint64_t wall_ns)
{
  uint64_t left_ns = cell->wall_ns - wall_ns;
  uint64_t cpu_ns = (uint64_t)((double)cell->cpu_ns * (double)wall_ns / (double)cell->wall_ns);
  return cell->cpu_ns > cpu_ns + left_ns ? cell->cpu_ns - left_ns : cpu_ns;
}

/* Adds the figures of `cell` to the cell with the same key. Returns false when there is no room, not even for folded
 * time. */
bool cells_add(struct cells *cells, const struct rtop_cell *cell);

#endif
