/* SPDX-License-Identifier: MIT */
/* Reports which exceptions were raised in the window that is cut. Private to the cut.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_RAISED_H
#define RTOP_EXT_CUT_RAISED_H

#include "cut.h"

/* Adds the raised exceptions to the window. A row whose name is unknown or unpublished waits for the next window; in
 * the `last` window it is counted as unreported instead. Returns false when memory ran out. */
bool cut_raised_add(struct cut *cut, bool last);

#endif
