/* SPDX-License-Identifier: MIT */
/* Which labels began in the window that is cut. Private to the cut.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_LABELS_H
#define RTOP_EXT_CUT_LABELS_H

#include "cut.h"

/* Sets whose labels began get a node although no stack of theirs was seen yet. Lock held. */
void cut_labels_name(struct cut *cut);

/* Adds to the window what began; sets whose node is not published yet wait for the next one. False when memory ran out. */
bool cut_labels_add(struct cut *cut);

#endif
