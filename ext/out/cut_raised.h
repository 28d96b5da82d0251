/* SPDX-License-Identifier: MIT */
/* Which exceptions were raised in the window that is cut. Private to the cut.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_RAISED_H
#define RTOP_EXT_CUT_RAISED_H

#include "cut.h"

/* Adds to the window what was raised; what has no name yet, or none that is published, waits for the next one, and is counted
 * as untold if there is none (`last`). False when memory ran out. */
bool cut_raised_add(struct cut *cut, bool last);

#endif
