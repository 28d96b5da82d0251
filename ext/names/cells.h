/* SPDX-License-Identifier: MIT */
/* What is collected for one window: cells (node, thread, state), in the order in which they
 * were first added to.
 *
 * Fixed capacity, so that adding never allocates. When the table is full, further keys are summed into
 * RTOP_NODE_FOLDED of their thread and state, so that no time is lost.
 *
 * Threads: whoever holds the sampler's lock; after the swap, the publisher alone.
 */
#ifndef RTOP_EXT_CELLS_H
#define RTOP_EXT_CELLS_H

#include "shm/window/window.h"
#include <stdbool.h>
#include <stdint.h>

enum { CELLS_CAPACITY = 8192, CELLS_RESERVE = 1024 };

/* `thread` is the index in threads.h; the publisher turns it into the window's own. */
struct cells {
  struct rtop_cell *entries;
  uint16_t *index; /* open addressing: entry + 1, 0 = free */
  uint32_t count;
  uint32_t mask;   /* of the part of index that is used; it follows the count, so that few cells are on few lines */
  uint64_t folded; /* additions that went to RTOP_NODE_FOLDED */
};

int cells_create(struct cells *cells);
void cells_destroy(struct cells *cells);
void cells_clear(struct cells *cells);

/* The CPU that goes with so much of the cell's wall time. Where the cell has no more CPU than wall time neither part has. */
static inline uint64_t cells_cpu_of(const struct rtop_cell *cell, uint64_t wall_ns)
{
  uint64_t left_ns = cell->wall_ns - wall_ns;
  uint64_t cpu_ns = (uint64_t)((double)cell->cpu_ns * (double)wall_ns / (double)cell->wall_ns);
  return cell->cpu_ns > cpu_ns + left_ns ? cell->cpu_ns - left_ns : cpu_ns;
}

/* Adds the cost in `cell` to the cell with its key. False when there is no room even for what is folded. */
bool cells_add(struct cells *cells, const struct rtop_cell *cell);

#endif
