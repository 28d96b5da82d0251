/* SPDX-License-Identifier: MIT */
/* What blocked threads wait for, and who has the lock that they want: as the process tells it (tui/stalls/locks.h); where
 * it does not, as far as stacks tell.
 *
 * No stack names a lock. What is known is the place: a thread that waits in Mutex#synchronize (or Monitor's) wants the
 * lock of the method that called it, and another thread that has the same call, from the same line, on its stack with
 * something below it is inside. It is named only if it is the only one; a thread that waits for a condition in there has
 * let go of the lock, so one of those makes it uncertain. Who has a lock by Mutex#lock is not known then.
 * Calls through monitor.rb count with the line that called monitor.rb. No screen. Threads: one.
 */
#ifndef RTOP_TUI_THREAD_LOCKS_H
#define RTOP_TUI_THREAD_LOCKS_H

#include "tui/stalls/locks.h"

/* A method of C, or of Ruby's own, that waits for a Mutex or a Monitor. */
bool thread_lock_is(const struct rtop_symbol *symbol);

struct thread_lock {
  bool waits;      /* for a lock; all else is 0 if not */
  bool told;       /* by the process itself: which one, and who has it, is no guess */
  uint32_t wanted; /* frame of the program that wants it; 0: none */
  unsigned inside; /* other threads that are inside, certain or not */
  bool known;      /* the only one is this row of the sum: */
  size_t owner;
};

/* Of one thread: a row of the sum. Looks at the stacks of all others. */
struct thread_lock thread_lock_of(const struct rtop_sum *sum, const struct rtop_symbols *symbols, size_t row);

/* Who waits for a lock that each thread, as far as is known, is inside: `behind` of all rows. */
void thread_locks_note(struct rtop_sum *sum, const struct rtop_symbols *symbols);

/* "Kernel#sleep < Report#write": the leaf, and the nearest method of the program if the leaf is none; "-": nothing. */
void thread_where(char *out, size_t bytes, const struct rtop_symbols *symbols, uint32_t node);

/* "Mutex #3"; "a Mutex", of which the number is not known; "Mutex #3 for a condition". "": none. */
void thread_lock_name(char *out, size_t bytes, const struct rtop_lock *lock);

/* "puma 002", "thread 4711". */
void thread_lock_thread(char *out, size_t bytes, const struct rtop_thread_row *thread);

/* "waits 1.3 s for Mutex #3 in App#call; puma 002 has it, in Kernel#sleep < Report#write", "...; puma 002 has it, waits for
 * Mutex #5; main has that: deadlock", of one that is only guessed "waits 1.3 s for the lock of App#call; puma 002 is inside
 * it, in ...", "blocked 2.0 s in Thread::Queue#pop < Worker#run; Queue #4, 3 threads wait for it"; "": it is not off the GVL, or where is not
 * known. */
void thread_lock_words(char *out, size_t bytes, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                       size_t row);

/* "deadlock: puma 001 waits for Mutex #3 in App#call, puma 002 has it; puma 002 waits for Mutex #5 in App#other, puma 001
 * has it". */
void thread_deadlock_words(char *out, size_t bytes, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                           const struct rtop_lock_chain *circle);

#endif
