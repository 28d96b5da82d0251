/* SPDX-License-Identifier: MIT */
/* The locks that each thread waits for and owns, recorded when it goes off the GVL, and at ticks.
 *
 * A thread off the GVL neither takes nor releases locks, so its record stays valid until it gets the GVL again; a
 * running thread's record is as old as the last tick. Comparing all threads therefore finds the owner of a lock without
 * reading the lock itself.
 *
 * Threads: lock_waits_go_off() and lock_waits_note_held() the thread itself, with the GVL; [hook]. The others any.
 */
#ifndef RTOP_EXT_LOCK_WAITS_H
#define RTOP_EXT_LOCK_WAITS_H

#include "threads.h"

/* Call when the thread releases the GVL, before its state changes. */
void lock_waits_go_off(struct threads *threads, struct thread_data *data);

/* The kind of the lock (enum rtop_lock_kind) that the thread waits for. Call after lock_waits_go_off(). [hook] */
uint32_t lock_waits_kind(const struct thread_data *data);
/* And the lock, by its address; 0: none. [hook] */
uint64_t lock_waits_lock(const struct thread_data *data);

/* Records the locks that the thread owns now. */
void lock_waits_note_held(struct thread_data *data);

/* Reads what the thread waits for; for the end of a thread the lock is its serial. False when it waits for no lock, or has moved on meanwhile. */
bool lock_waits_of(const struct thread_data *data, struct lock_wait *wait);

/* Reads the locks that the thread owns, and returns their number. */
uint32_t lock_waits_held(const struct thread_data *data, uint64_t held[LOCK_WORDS_HELD_MAX]);

#endif
