/* SPDX-License-Identifier: MIT */
/* Which locks threads wait for, and who owns them: chains of threads that wait for one another, and circles.
 *
 * Lock numbers come from untrusted processes: an owner that does not exist or is the waiting thread itself counts as
 * unknown, and chains are followed for a few steps only. Threads: no shared state.
 */
#ifndef RTOP_TUI_LOCKS_H
#define RTOP_TUI_LOCKS_H

#include "tui/history/profile.h"

enum { RTOP_LOCK_CHAIN_MAX = 16 };

/* "Mutex", "Monitor", "Queue", "SizedQueue", "condition", "file", "thread to end"; "lock" for an unknown kind. */
const char *rtop_wants_name(enum rtop_wants wants);
/* Is it a lock that a single thread owns? */
static inline bool rtop_wants_owned(enum rtop_wants wants)
{
  return wants == RTOP_WANTS_MUTEX || wants == RTOP_WANTS_MONITOR || wants == RTOP_WANTS_LOAD;
}

/* What the holder of what is wanted does with it, or is: "has", "loads", "is". */
const char *rtop_wants_verb(enum rtop_wants wants);

/* Does the thread wait, at the end of the span, for a lock that a single thread owns? */
static inline bool rtop_lock_waits(const struct rtop_thread_row *thread)
{
  return !thread->ended && thread->state == RTOP_STATE_BLOCKED && rtop_wants_owned(thread->lock.wants);
}

/* Is what they wait for the same? */
static inline bool rtop_lock_same(const struct rtop_thread_row *a, const struct rtop_thread_row *b)
{
  return a->source == b->source && a->lock.number != 0 && a->lock.number == b->lock.number;
}

/* Index of the row of a thread of a source; SIZE_MAX: there is none. */
size_t rtop_lock_thread(const struct rtop_sum *sum, uint32_t source, uint64_t serial);
/* Index of the row of the owner of the lock that a thread waits for; SIZE_MAX: unknown. */
size_t rtop_lock_holder(const struct rtop_sum *sum, size_t row);
/* Returns the file that a thread is loading, as the frame of its code: "<top (required)>" in the stack of this node. 0:
 * the thread loads no file, or several nested ones, of which it is unknown which one is waited for. */
uint32_t rtop_lock_loads(const struct rtop_symbols *symbols, uint32_t node);
/* Number of threads that wait for the same lock as this one, including itself; 0: it waits for nothing that
   has a number. */
unsigned rtop_lock_waiters(const struct rtop_sum *sum, size_t row);

/* Counts numbered locks that threads wait for, in the order of their first rows; of very many only the first ones. */
enum { RTOP_LOCK_COUNTS_MAX = 64 };
struct rtop_lock_count {
  size_t row;       /* that waits for it longest */
  unsigned waiters; /* how many do */
};
size_t rtop_lock_counts(const struct rtop_sum *sum, struct rtop_lock_count counts[RTOP_LOCK_COUNTS_MAX]);

/* A chain of threads: the first waits for a lock or the end of a thread; each next one owns the lock of the one before, or
 * is what must end, and may wait, too. */
struct rtop_lock_chain {
  size_t rows[RTOP_LOCK_CHAIN_MAX]; /* of the threads in the sum */
  unsigned count;
  bool circle;     /* the last thread waits for a thread of the chain, */
  unsigned closes; /* that with this index in rows */
  /* The chain is longer than rows, or goes round for now only: not all of its threads have been blocked for long, or a
   * Timeout.timeout ends the wait of one. */
  bool longer;
};
/* The symbols are those of the threads' nodes. */
void rtop_lock_chain(struct rtop_lock_chain *chain, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                     size_t row);

/* Is Timeout.timeout on the stack, so that it ends the thread's wait at some time? Of a thread whose stack was not sampled
 * since it began to wait, that is the stack before. */
bool rtop_lock_has_timeout(const struct rtop_symbols *symbols, uint32_t node);

/* Threads that wait for one another in a circle, beginning with the first row, all of them blocked, none within
 * Timeout.timeout: a deadlock.
 * False: there is none among the first 64 locks, nor among the first 64 threads that wait for others to end. */
bool rtop_lock_deadlock(struct rtop_lock_chain *circle, const struct rtop_sum *sum, const struct rtop_symbols *symbols);

#endif
