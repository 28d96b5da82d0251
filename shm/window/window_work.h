/* SPDX-License-Identifier: MIT */
/* Numbers of labelled work in a window (enum rtop_work_what). Private to shm/.
 *
 * Works in place: nothing is allocated on the publisher's path.
 */
#ifndef RTOP_SHM_WINDOW_WORK_H
#define RTOP_SHM_WINDOW_WORK_H

#include "window.h"

static inline bool window_is_work(const struct rtop_exact *exact)
{
  return exact->what >= RTOP_WORK_ENDED && exact->what < RTOP_WORK_WHAT_END;
}

/* Is it of no labels: they found no room? */
static inline bool window_is_work_rest(const struct rtop_exact *exact)
{
  return window_is_work(exact) && exact->node == RTOP_NODE_FOLDED;
}

/* Makes it one of those; what is no sum, and no longest, is none of all: false. */
bool window_work_become_rest(struct rtop_exact *exact);

/* All become those. False: they are already. */
bool window_fold_work(struct rtop_window *window);

#endif
