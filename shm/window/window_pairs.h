/* SPDX-License-Identifier: MIT */
/* Pairs of a window, summed up or merged. Private to shm/.
 *
 * Threads: no shared state. Nothing allocates.
 */
#ifndef RTOP_SHM_WINDOW_PAIRS_H
#define RTOP_SHM_WINDOW_PAIRS_H

#include "window.h"
#include <stdbool.h>

/* Sums pairs with at most this much waiting into a row per cause; totals stay. */
void window_fold_pairs(struct rtop_window *window, uint64_t most_ns);

/* Adds the pairs of a later window to sorted ones. What finds no room, of pair_capacity, is summed by cause; false:
 * something did. */
bool window_merge_pairs(struct rtop_window *to, const struct rtop_window *from);

#endif
