/* SPDX-License-Identifier: MIT */
/* Exceptions of a window, sorted by class, place and thread. Private to shm/.
 *
 * Works in place: nothing is allocated in the publisher.
 */
#ifndef RTOP_SHM_WINDOW_RAISED_H
#define RTOP_SHM_WINDOW_RAISED_H

#include "window.h"

/* Folds exceptions raised at most this often into one row of RTOP_NODE_FOLDED without a class. */
void window_fold_raised(struct rtop_window *window, uint64_t most);

/* Adds the exceptions of another window. False: some had to be folded. The result is sorted by class, place and
 * thread. */
bool window_merge_raised(struct rtop_window *to, const struct rtop_window *from);

#endif
