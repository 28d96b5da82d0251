/* SPDX-License-Identifier: MIT */
/* The order of a window's cells, and folding the small ones. Private to shm/window_*.c.
 *
 * Works in place with the caller's scratch memory: nothing is allocated on the publisher's path.
 */
#ifndef RTOP_SHM_WINDOW_SORT_H
#define RTOP_SHM_WINDOW_SORT_H

#include "window.h"

struct window_sort_pair {
  uint64_t key;
  uint64_t index;
};

/* Adds what was spent, whatever the keys say. */
void window_cell_add(struct rtop_cell *sum, const struct rtop_cell *cell);

/* Sorts by (thread, node, state) and sums cells of equal key. `scratch`: two pairs per cell. */
void window_sort_cells(struct rtop_window *window, struct window_sort_pair *scratch);

/* Cells that are not folded yet. */
size_t window_unfolded_cells(const struct rtop_window *window);

/* Keeps the `keep` unfolded cells with the most wall time, sums the rest per (thread, state) into
 * RTOP_NODE_FOLDED, and sorts again. Those of RTOP_NODE_UNSAMPLED go last: late records are still to take
 * from them. */
void window_fold_cells(struct rtop_window *window, size_t keep, struct window_sort_pair *scratch);

#endif
