/* SPDX-License-Identifier: MIT */
/* What each thread waits for and which locks it has, noted where that can change: when it goes off the GVL, and at ticks.
 *
 * A thread that is off the GVL takes no lock and gives none away: what it noted last is so until it comes back. The one
 * that runs is as it was at the last tick. So whoever compares all threads finds who has the lock that another one waits
 * for, without looking into a lock.
 *
 * Threads: lock_waits_go_off() and lock_waits_note_held() the thread itself, under the GVL; [hook]. The others any.
 */
#ifndef RTOP_EXT_LOCK_WAITS_H
#define RTOP_EXT_LOCK_WAITS_H

#include "threads.h"

/* It lets go of the GVL; told before its state is. */
void lock_waits_go_off(struct thread_data *data);

/* The kind of lock that it waits for, once that is told: enum rtop_lock_kind. [hook] */
uint32_t lock_waits_kind(const struct thread_data *data);

/* Those that it has now. */
void lock_waits_note_held(struct thread_data *data);

/* What it waits for, unless it moved on meanwhile: false then, and when it waits for no lock. */
bool lock_waits_of(const struct thread_data *data, struct lock_wait *wait);

/* The locks that it has; how many. */
uint32_t lock_waits_held(const struct thread_data *data, uint64_t held[LOCK_WORDS_HELD_MAX]);

#endif
