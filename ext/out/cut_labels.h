/* SPDX-License-Identifier: MIT */
/* Reports which labels began work in the window that is cut. Private to the cut.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_LABELS_H
#define RTOP_EXT_CUT_LABELS_H

#include "cut.h"

/* Gives a node to each label set that began work, even if no stack with the set was sampled yet. Lock held. */
void cut_labels_name(struct cut *cut);

/* Adds the labels that began work to the window; sets whose node is not published yet wait for the next window. Returns
 * false when memory ran out. */
bool cut_labels_add(struct cut *cut);

#endif
