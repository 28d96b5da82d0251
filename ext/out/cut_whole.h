/* SPDX-License-Identifier: MIT */
/* Adds the counts of all calls since the previous window, as many as fit; later windows report the remainder.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_WHOLE_H
#define RTOP_EXT_CUT_WHOLE_H

#include "cut.h"
#include "ext/tracing/whole.h"

/* Adds the counts. `room`: bytes that the counts may take in the window. Returns false when memory ran out. */
bool cut_whole_add(struct cut *cut, struct whole *whole, size_t room);

/* Tells whether counting has ended with counts still to be reported. */
bool cut_whole_rests(struct whole *whole);

#endif
