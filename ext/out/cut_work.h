/* SPDX-License-Identifier: MIT */
/* What labelled work of the window that is cut took, and what is still open (ext/sampling/work.h). Private to the cut.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_WORK_H
#define RTOP_EXT_CUT_WORK_H

#include "cut.h"

/* What ended before the cells are swapped, so that all its labels can be named then. */
void cut_work_take(struct cut *cut);

/* Names labels under which nothing began in this window. Under the sampler's lock. */
void cut_work_name(struct cut *cut);

/* After labels were named and tables published. What is told of labels that have no node is told of none
 * (RTOP_NODE_FOLDED). False when memory ran out. */
bool cut_work_add(struct cut *cut);

#endif
