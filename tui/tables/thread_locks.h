/* SPDX-License-Identifier: MIT */
/* What blocked threads wait for, and which thread owns the lock: as reported by the process (tui/stalls/locks.h), else
 * guessed from stacks.
 *
 * Stacks do not identify locks, only places. A thread that waits in Mutex#synchronize (or Monitor's) wants the lock of
 * the calling method; another thread with the same call from the same line on its stack, with further calls below that
 * one, is inside the lock. Such a thread is named only if it is the only one. A thread that waits for a condition in
 * one of these calls has released the lock, which makes the guess uncertain. Without reports, owners by Mutex#lock are
 * unknown. Calls through monitor.rb count with the line that called monitor.rb. No screen. Threads: one.
 */
#ifndef RTOP_TUI_THREAD_LOCKS_H
#define RTOP_TUI_THREAD_LOCKS_H

#include "tui/stalls/locks.h"

/* Is it a C method, or a method of Ruby itself, that waits for a Mutex or a Monitor? */
bool thread_lock_is(const struct rtop_symbol *symbol);

struct thread_lock {
  bool waits;      /* the thread waits for a lock; otherwise all other members are 0 */
  bool told;       /* lock and owner are reported by the process, not guessed */
  uint32_t wanted; /* frame of the program's method that wants the lock; 0: none */
  unsigned inside; /* number of other threads inside the lock, certainly or possibly */
  bool known;      /* exactly one thread is inside; `owner` is its row of the sum */
  size_t owner;
};

/* Finds the lock that one thread waits for. `row`: the thread's row of the sum. Examines the stacks of
   all other threads. */
struct thread_lock thread_lock_of(const struct rtop_sum *sum, const struct rtop_symbols *symbols, size_t row);

/* Sets `behind` of all rows: the number of threads that wait for a lock that the thread is inside. */
void thread_locks_note(struct rtop_sum *sum, const struct rtop_symbols *symbols);

/* Writes where a thread is: "Kernel#sleep < Report#write": the leaf, and the nearest method of the program if the leaf
 * is not one; "-" if unknown. */
void thread_where(char *out, size_t bytes, const struct rtop_symbols *symbols, uint32_t node);

/* Name of a lock: "Mutex #3"; "a Mutex" without a known number; "Mutex #3 for a condition"; "" for none. */
void thread_lock_name(char *out, size_t bytes, const struct rtop_lock *lock);

/* "puma 002", "thread 4711". */
void thread_lock_thread(char *out, size_t bytes, const struct rtop_thread_row *thread);

/* Describes a thread's wait: "waits 1.3 s for Mutex #3 in App#call; puma 002 has it, in Kernel#sleep < Report#write",
 * "...; puma 002 has it, waits for Mutex #5; main has that: deadlock"; guessed: "waits 1.3 s for the lock of App#call;
 * puma 002 is inside it, in ..."; otherwise "blocked 2.0 s in Thread::Queue#pop < Worker#run; Queue #4, 3 threads wait
 * for it"; "" if the thread is not off the GVL, or its stack is unknown. */
void thread_lock_words(char *out, size_t bytes, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                       size_t row);

/* Describes a deadlock: "deadlock: puma 001 waits for Mutex #3 in App#call, puma 002 has it; puma 002 waits for Mutex
 * #5 in App#other, puma 001 has it". */
void thread_deadlock_words(char *out, size_t bytes, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                           const struct rtop_lock_chain *circle);

#endif
