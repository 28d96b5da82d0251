/* SPDX-License-Identifier: MIT */
/* Adds to the window who waited behind whom (ext/sampling/pairs.h). Private to the cut.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_PAIRS_H
#define RTOP_EXT_CUT_PAIRS_H

#include "cut.h"

/* Takes the waits that ended. Before the cells are swapped, so that their parties can be named. */
void cut_pairs_take(struct cut *cut);

/* Names the parties. Under the sampler's lock. */
void cut_pairs_name(struct cut *cut);

/* Adds the pairs, after tables were published. False when memory ran out. */
bool cut_pairs_add(struct cut *cut);

#endif
