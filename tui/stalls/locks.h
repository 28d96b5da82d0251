/* SPDX-License-Identifier: MIT */
/* Which locks threads wait for, and who has them: chains of threads that wait for one another, and circles of them.
 *
 * Numbers come from strangers: a thread that is not there, or that has its own lock, is nobody; chains are followed for a
 * few steps only. Threads: no shared state.
 */
#ifndef RTOP_TUI_LOCKS_H
#define RTOP_TUI_LOCKS_H

#include "tui/history/profile.h"

enum { RTOP_LOCK_CHAIN_MAX = 16 };

/* "Mutex", "Monitor", "Queue", "SizedQueue", "condition", "file"; "lock": nobody knows. */
const char *rtop_wants_name(enum rtop_wants wants);
/* Does one thread have what another one wants? */
static inline bool rtop_wants_owned(enum rtop_wants wants)
{
  return wants == RTOP_WANTS_MUTEX || wants == RTOP_WANTS_MONITOR || wants == RTOP_WANTS_LOAD;
}

/* Does the thread wait for a lock that one thread has, at the end of the span? */
static inline bool rtop_lock_waits(const struct rtop_thread_row *thread)
{
  return !thread->ended && thread->state == RTOP_STATE_BLOCKED && rtop_wants_owned(thread->lock.wants);
}

/* Is what they wait for the same? */
static inline bool rtop_lock_same(const struct rtop_thread_row *a, const struct rtop_thread_row *b)
{
  return a->source == b->source && a->lock.number != 0 && a->lock.number == b->lock.number;
}

/* The row of a thread of a source; SIZE_MAX: it has none. */
size_t rtop_lock_thread(const struct rtop_sum *sum, uint32_t source, uint64_t serial);
/* The row of the thread that has the lock for which another one waits; SIZE_MAX: not known. */
size_t rtop_lock_holder(const struct rtop_sum *sum, size_t row);
/* The file that a thread loads, by the frame of its code: "<top (required)>" in the stack of this node. 0: it loads none, or
 * several, one within the other: nobody knows which of them is waited for. */
uint32_t rtop_lock_loads(const struct rtop_symbols *symbols, uint32_t node);
/* How many threads wait for the same as this one, which is one of them; 0: it waits for nothing that has a number. */
unsigned rtop_lock_waiters(const struct rtop_sum *sum, size_t row);

/* Locks that threads wait for and that have numbers, in the order of their first rows, of very many only the first ones. */
enum { RTOP_LOCK_COUNTS_MAX = 64 };
struct rtop_lock_count {
  size_t row;       /* that waits for it longest */
  unsigned waiters; /* how many do */
};
size_t rtop_lock_counts(const struct rtop_sum *sum, struct rtop_lock_count counts[RTOP_LOCK_COUNTS_MAX]);

/* From a thread to the one that has its lock, and on, as long as that one waits, too. */
struct rtop_lock_chain {
  size_t rows[RTOP_LOCK_CHAIN_MAX]; /* the first one is where it begins */
  unsigned count;
  bool circle;     /* the last one waits for one of these: */
  unsigned closes; /* its place */
  bool longer;     /* it goes on */
};
void rtop_lock_chain(struct rtop_lock_chain *chain, const struct rtop_sum *sum, size_t row);

/* Threads that wait for one another in a circle, the first by row; none of them will ever come back by itself. Only where
 * all of them are blocked. False: there is none, of those that are looked at (of the locks, the first 64). */
bool rtop_lock_deadlock(struct rtop_lock_chain *circle, const struct rtop_sum *sum);

#endif
