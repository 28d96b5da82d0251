/* SPDX-License-Identifier: MIT */
/* Figures of labelled work in a window (enum rtop_work_what). Private to shm/.
 *
 * Works in place: nothing is allocated in the publisher.
 */
#ifndef RTOP_SHM_WINDOW_WORK_H
#define RTOP_SHM_WINDOW_WORK_H

#include "window.h"

static inline bool window_is_work(const struct rtop_exact *exact)
{
  return exact->what >= RTOP_WORK_ENDED && exact->what < RTOP_WORK_WHAT_END;
}

/* Is it work without labels, because these found no room? */
static inline bool window_is_work_rest(const struct rtop_exact *exact)
{
  return window_is_work(exact) && exact->node == RTOP_NODE_FOLDED;
}

/* Removes the labels of a figure. False for a figure that is neither a sum nor a maximum, and so cannot be combined. */
bool window_work_become_rest(struct rtop_exact *exact);

/* All become those. False: they are already. */
bool window_fold_work(struct rtop_window *window);

#endif
