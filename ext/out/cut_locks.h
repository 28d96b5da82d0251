/* SPDX-License-Identifier: MIT */
/* The locks' part of cutting a window: which lock each thread waits for, and the owner of each lock. Private to cut.c.
 *
 * A lock gets a number when a thread is first seen waiting for it, and keeps the number until no thread has waited for
 * ten seconds; a lock that is seen at the same address after that gets a new number.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_LOCKS_H
#define RTOP_EXT_CUT_LOCKS_H

#include "cut.h"

/* Adds the locks to the window. Call after the threads were listed. */
void cut_locks_add(struct cut *cut);

#endif
