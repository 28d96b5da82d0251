/* SPDX-License-Identifier: MIT */
/* Adds to the window the durations of work with labels that ended in it, and the work that is still open
 * (ext/sampling/work.h). Private to the cut.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_WORK_H
#define RTOP_EXT_CUT_WORK_H

#include "cut.h"

/* Takes the ended work. Call before the cells are swapped, so that labels of the work and of the cells are named
 * together. */
void cut_work_take(struct cut *cut);

/* Names labels of ended work under which no work began in this window. Under the sampler's lock. */
void cut_work_name(struct cut *cut);

/* Adds the work to the window, after labels were named and tables published. Work of labels without a node is reported
 * without labels (RTOP_NODE_FOLDED). `last`: no window follows. Returns false when memory ran out. */
bool cut_work_add(struct cut *cut, bool last);

#endif
