/* SPDX-License-Identifier: MIT */
/* Sorts a window's cells, and folds small ones. Private to shm/window_*.c.
 *
 * Works in place with the caller's scratch memory: nothing is allocated in the publisher.
 */
#ifndef RTOP_SHM_WINDOW_SORT_H
#define RTOP_SHM_WINDOW_SORT_H

#include "window.h"

struct window_sort_pair {
  uint64_t key;
  uint64_t index;
};

/* Adds the cost of a cell, regardless of keys. */
void window_cell_add(struct rtop_cell *sum, const struct rtop_cell *cell);

/* Sorts by (thread, node, state) and sums cells with equal keys. `scratch`: two pairs per cell. */
void window_sort_cells(struct rtop_window *window, struct window_sort_pair *scratch);

/* Cells that are not folded yet. */
size_t window_unfolded_cells(const struct rtop_window *window);

/* Keeps the `keep` cells with most wall time, sums the others per (thread, state) into RTOP_NODE_FOLDED, and sorts
 * again. Cells of RTOP_NODE_UNSAMPLED are folded last, since late records will still take time from them. */
void window_fold_cells(struct rtop_window *window, size_t keep, struct window_sort_pair *scratch);

#endif
