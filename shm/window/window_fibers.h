/* SPDX-License-Identifier: MIT */
/* Fibers of a window, by thread, name and stack. Private to shm/.
 *
 * Works in place: nothing is allocated on the publisher's path.
 */
#ifndef RTOP_SHM_WINDOW_FIBERS_H
#define RTOP_SHM_WINDOW_FIBERS_H

#include "window.h"

/* Those of a thread that waited so long in all, or less, become one of RTOP_NODE_FOLDED, without a name. */
void window_fold_fibers(struct rtop_window *window, uint64_t most_ns);

/* Adds those of a later window: times are summed, counts are its. False: they did not fit as they were. Both are in order
 * of thread, name and node then. */
bool window_merge_fibers(struct rtop_window *to, const struct rtop_window *from);

#endif
