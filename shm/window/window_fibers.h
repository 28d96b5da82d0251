/* SPDX-License-Identifier: MIT */
/* Fibers of a window, sorted by thread, name and stack. Private to shm/.
 *
 * Works in place: nothing is allocated in the publisher.
 */
#ifndef RTOP_SHM_WINDOW_FIBERS_H
#define RTOP_SHM_WINDOW_FIBERS_H

#include "window.h"

/* Folds the fibers of each thread that waited at most this long into one row of RTOP_NODE_FOLDED without a name. */
void window_fold_fibers(struct rtop_window *window, uint64_t most_ns);

/* Adds the fibers of a later window: times are summed, counts are taken from the later one. False: some had to be
 * folded. Both are then sorted by thread, name and node. */
bool window_merge_fibers(struct rtop_window *to, const struct rtop_window *from);

#endif
