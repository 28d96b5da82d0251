/* SPDX-License-Identifier: MIT */
/* Which lock a thread waits for, and which ones it owns, read from the VM's data.
 *
 * A thread that waits for a Mutex, Monitor or queue has an element on its own stack in the lock's list of waiters,
 * unless it sleeps in it (ConditionVariable#wait). A thread's data begin the list of its Mutexes. None of this is part
 * of the VM's interface: at load, objects of our own are locked and examined, and if a word is not where it should be,
 * nothing is known of locks (tests/ext/test_layout.rb).
 *
 * The VM also locks Mutexes of its own, for loading files and writing to an IO, and so do C extensions. The thread's
 * word for the wanted Mutex is followed only if it is readable and confirmed by the list of waiters; it is called a
 * file lock only below `require`, `const_get` or a constant's autoload.
 *
 * A lock is identified by the address of its data, a Monitor by its Mutex; such addresses are never dereferenced.
 *
 * Threads: lock_words_learn() and lock_words_learn_more() with the GVL, not in a hook; may raise and make objects. The
 * others with the GVL of the thread; make none. [hook]
 */
#ifndef RTOP_EXT_LOCK_WORDS_H
#define RTOP_EXT_LOCK_WORDS_H

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>

enum { LOCK_WORDS_HELD_MAX = 6 };

void lock_words_learn(void);
/* Checks lock classes that were loaded since a hook met them. Cheap when there are none. */
void lock_words_learn_more(void);
bool lock_words_known(void);

/* What the calling thread, which is about to release the GVL, waits for: the kind (enum rtop_lock_kind) and the lock; for
 * the end of a thread that thread, a VALUE. */
struct lock_wait {
  uint32_t kind; /* RTOP_LOCK_NONE: for no lock */
  uint64_t lock;
};
struct lock_wait lock_words_wait(VALUE thread);

/* The Mutexes that a thread owns, latest first; of very many only the latest. Returns their number. The thread is the
 * calling one, or one that cannot run meanwhile. */
bool lock_words_holds(VALUE thread); /* any? The quick answer */
uint32_t lock_words_held(VALUE thread, uint64_t held[LOCK_WORDS_HELD_MAX]);

#endif
