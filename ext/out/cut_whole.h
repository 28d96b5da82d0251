/* SPDX-License-Identifier: MIT */
/* Hands over what was counted of all calls since the window before, as much as fits: the rest is told by the next ones.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_WHOLE_H
#define RTOP_EXT_CUT_WHOLE_H

#include "cut.h"
#include "ext/tracing/whole.h"

/* room: bytes that they may take in the window. False when memory ran out. */
bool cut_whole_add(struct cut *cut, struct whole *whole, size_t room);

/* Has it ended, and there is more to tell? */
bool cut_whole_rests(struct whole *whole);

#endif
