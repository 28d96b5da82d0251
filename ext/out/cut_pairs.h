/* SPDX-License-Identifier: MIT */
/* Adds to the window who waited behind whom (ext/sampling/pairs.h): the time that each party waited for another party.
 * Private to the cut.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_PAIRS_H
#define RTOP_EXT_CUT_PAIRS_H

#include "cut.h"

/* Takes the waits that ended. Call before the cells are swapped, so that the parties can be named. */
void cut_pairs_take(struct cut *cut);

/* Names the parties. Under the sampler's lock. */
void cut_pairs_name(struct cut *cut);

/* Adds the pairs. Call after tables were published. Returns false when memory ran out. */
bool cut_pairs_add(struct cut *cut);

#endif
