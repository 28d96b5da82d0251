/* SPDX-License-Identifier: MIT */
/* The locks' part of cutting a window: who waits for which lock, and who has it. Private to cut.c.
 *
 * A lock gets a number when somebody is first seen to wait for it, and keeps it until nobody has for ten seconds; a lock
 * that then takes its place in memory has another one.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_LOCKS_H
#define RTOP_EXT_CUT_LOCKS_H

#include "cut.h"

/* After the threads were listed. */
void cut_locks_add(struct cut *cut);

#endif
