/* SPDX-License-Identifier: MIT */
/* Rows of a part that is merged by key (parts.def): how they are merged, and how little ones become one. Private to
 * shm/window_*.c.
 *
 * Works in place: nothing is allocated in the publisher.
 */
#ifndef RTOP_SHM_WINDOW_ROWS_H
#define RTOP_SHM_WINDOW_ROWS_H

#include "window.h"
#include "window_parts.h"

/* Joins the rows of little weight (at most `most`) into rows that stand for the others, and sorts all by key. `threads`:
 * the others of several threads are joined, too. */
void window_fold_rows(struct rtop_window *window, const struct window_part *part, uint64_t most, bool threads);

/* Returns the least weight that at most `keep` rows exceed. */
uint64_t window_rows_threshold(const struct rtop_window *window, const struct window_part *part, size_t keep);

/* Adds the rows of a later window to those of earlier ones, which have been added in the same way. False: some found no
 * room, and were added to a row that stands for the others. */
bool window_merge_rows(struct rtop_window *to, const struct rtop_window *from, const struct window_part *part);

#endif
