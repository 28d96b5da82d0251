/* SPDX-License-Identifier: MIT */
/* Exceptions of a window, by class, place and thread. Private to shm/.
 *
 * Works in place: nothing is allocated on the publisher's path.
 */
#ifndef RTOP_SHM_WINDOW_RAISED_H
#define RTOP_SHM_WINDOW_RAISED_H

#include "window.h"

/* Those that were raised so often or less become one of RTOP_NODE_FOLDED, of no class. */
void window_fold_raised(struct rtop_window *window, uint64_t most);

/* Adds those of another window. False: they did not fit as they were. The sum is in order of class, place and thread. */
bool window_merge_raised(struct rtop_window *to, const struct rtop_window *from);

#endif
