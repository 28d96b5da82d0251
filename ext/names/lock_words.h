/* SPDX-License-Identifier: MIT */
/* Reads from the VM's data which lock a thread waits for, and which locks it owns.
 *
 * A thread that waits for a Mutex, Monitor or queue has an element in the lock's list of waiters, on its own stack,
 * unless it sleeps with the lock released (ConditionVariable#wait). The list of the Mutexes that a thread owns begins
 * in the thread's data. None of this is part of the VM's interface: at load, objects of our own are locked and
 * examined; if a word is not at its expected position, no locks are reported (tests/ext/test_layout.rb).
 *
 * The VM also locks Mutexes of its own, for loading files and writing to an IO, and so do C extensions. The word in the
 * thread's data that points to the wanted Mutex is followed only if the Mutex is readable and its list of waiters
 * confirms the wait. Such a Mutex is called a file lock only below `require`, `const_get` or a constant's autoload.
 *
 * A lock is identified by the address of its data, a Monitor by its Mutex; the profiler never dereferences this
 * address.
 *
 * Threads: lock_words_learn() and lock_words_learn_more() with the GVL, not in a hook; may raise and make objects. The
 * other functions with the GVL of the thread; they make no objects. [hook]
 */
#ifndef RTOP_EXT_LOCK_WORDS_H
#define RTOP_EXT_LOCK_WORDS_H

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>

enum { LOCK_WORDS_HELD_MAX = 16 };

void lock_words_learn(void);
/* Checks the layout of lock classes that were loaded since a hook first saw one of their locks. Cheap when there are no
 * such classes. */
void lock_words_learn_more(void);
bool lock_words_known(void);

/* The wait of the calling thread, which is about to release the GVL: the kind (enum rtop_lock_kind) and the lock. For
 * the end of a thread, the lock is the VALUE of that thread. */
struct lock_wait {
  uint32_t kind; /* RTOP_LOCK_NONE: the thread waits for no lock */
  uint64_t lock;
};
struct lock_wait lock_words_wait(VALUE thread);

/* lock_words_held() writes the addresses of the Mutexes that a thread owns, latest first, at most LOCK_WORDS_HELD_MAX,
 * and returns their number. lock_words_holds() only tells whether the thread owns any. The thread is the calling one,
 * or one that cannot run meanwhile. */
bool lock_words_holds(VALUE thread); /* cheaper than lock_words_held() */
uint32_t lock_words_held(VALUE thread, uint64_t held[LOCK_WORDS_HELD_MAX]);

#endif
