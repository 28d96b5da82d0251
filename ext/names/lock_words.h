/* SPDX-License-Identifier: MIT */
/* Which lock a thread waits for, and which ones it has, from words of the VM.
 *
 * A thread that waits for a Mutex, a Monitor or a queue is in the list of those who wait for it, with an element that lies
 * on its own stack; it is in no such list while it only sleeps in one (ConditionVariable#wait). A thread's own data begin
 * the list of the Mutexes that it has. None of that is part of the VM's interface: at load objects of our own are locked
 * and looked at, and unless every word is where it should be, nothing is known of locks (tests/ext/test_layout.rb).
 *
 * The VM locks Mutexes of its own: while a file is loaded (require, autoload), while an IO is written to; extensions in C do
 * the same. The word of a thread before that list is the Mutex that it waits for; it is followed only where the kernel says
 * that it can be read, and believed if what is there is a Mutex that the thread waits for. It is said to be of a file only
 * if what waits is `require`, `const_get`, or Ruby code that uses a constant; else it is a Mutex.
 *
 * A lock is told by the address of its data, which stays as long as the lock does: a number, not to be followed. That of
 * a Monitor is its Mutex's.
 *
 * Threads: lock_words_learn() and lock_words_learn_more() under the GVL, not in a hook; may raise, make objects. The others
 * with the thread's GVL, and make none. [hook]
 */
#ifndef RTOP_EXT_LOCK_WORDS_H
#define RTOP_EXT_LOCK_WORDS_H

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>

enum { LOCK_WORDS_HELD_MAX = 6 };

void lock_words_learn(void);
/* A class of locks that a hook met may have been loaded since. Cheap when none was. */
void lock_words_learn_more(void);
bool lock_words_known(void);

/* What the calling thread, which lets go of the GVL now, waits for: enum rtop_lock_kind, and the lock. */
struct lock_wait {
  uint32_t kind; /* RTOP_LOCK_NONE: for no lock */
  uint64_t lock;
};
struct lock_wait lock_words_wait(VALUE thread);

/* The Mutexes that a thread has, the last one first; returns how many, of very many only the last ones. It is the calling
 * thread, or one that cannot run meanwhile. */
bool lock_words_holds(VALUE thread); /* any? The quick answer */
uint32_t lock_words_held(VALUE thread, uint64_t held[LOCK_WORDS_HELD_MAX]);

#endif
