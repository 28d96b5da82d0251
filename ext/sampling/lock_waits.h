/* SPDX-License-Identifier: MIT */
/* The lock that each thread waits for and the locks that it owns, recorded when the thread goes off the GVL, and at
 * ticks.
 *
 * A thread off the GVL neither takes nor releases locks, so its record stays valid until it gets the GVL again; a
 * running thread's record is as old as the last tick. Comparing all threads therefore finds the owner of a lock without
 * reading the lock itself.
 *
 * Threads: lock_waits_go_off() and lock_waits_note_held() only the thread itself, with the GVL, [hook]; the other
 * functions any thread.
 */
#ifndef RTOP_EXT_LOCK_WAITS_H
#define RTOP_EXT_LOCK_WAITS_H

#include "threads.h"

/* Call when the thread releases the GVL, before its state changes. */
void lock_waits_go_off(struct threads *threads, struct thread_data *data);

/* Returns the kind of the lock (enum rtop_lock_kind) that the thread waits for. Call after lock_waits_go_off().
 * [hook] */
uint32_t lock_waits_kind(const struct thread_data *data);
/* Returns the address of this lock; 0: none. [hook] */
uint64_t lock_waits_lock(const struct thread_data *data);

/* Records the locks that the thread owns now. */
void lock_waits_note_held(struct thread_data *data);

/* Reads what the thread waits for. If the thread waits for the end of another thread, the lock is the serial of that
 * thread. Returns false when the thread waits for no lock, or went on during the call. */
bool lock_waits_of(const struct thread_data *data, struct lock_wait *wait);

/* Reads the locks that the thread owns, and returns their number. */
uint32_t lock_waits_held(const struct thread_data *data, uint64_t held[LOCK_WORDS_HELD_MAX]);

#endif
