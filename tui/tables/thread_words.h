/* SPDX-License-Identifier: MIT */
/* Texts about a thread's stack, in particular one that is out of date (rtop_thread_row.stale).
 *
 * Independent of the screen. Threads: one.
 */
#ifndef RTOP_TUI_THREAD_WORDS_H
#define RTOP_TUI_THREAD_WORDS_H

#include "tui/history/profile.h"

/* Is the last known stack of the thread out of date? */
static inline bool thread_stack_is_old(const struct rtop_thread_row *thread)
{
  return thread->stale && !thread->ended;
}

/* "0.8 s", "12.0 ms", "2m14s". */
void thread_age_text(char *out, size_t bytes, uint64_t age_ns);

/* Returns the thread that has had the GVL longest in a call not sampled yet; NULL: none. A thread not sampled since it
 * woke up must have had the GVL for a second, since it may just have waited for a core until then. */
const struct rtop_thread_row *thread_unfinished(const struct rtop_sum *sum);
/* Describes this thread by its last known stack: "? Order#total, 2.1 s so far (worker 3)"; without the method if that
   stack belongs to a wait that is over. */
void thread_unfinished_words(char *out, size_t bytes, const struct rtop_thread_row *thread,
                             const struct rtop_symbols *symbols);

/* Writes why a stack is out of date: "no safepoint for 0.8 s", "stack unknown"; "" when the stack is up to date. */
void thread_stack_words(char *out, size_t bytes, const struct rtop_thread_row *thread);

/* Writes the age of a stack that is up to date: "in it for 3.4 s" for a thread that waits or is blocked, "stack of 8 ms
 * ago" for one that runs, "stack of its last window" if unknown; "" if the stack is out of date, or there is none. */
void thread_stack_age(char *out, size_t bytes, const struct rtop_thread_row *thread);

/* Writes the innermost method: "Order#total", "no safepoint for 0.8 s, last seen in Order#total", "stack unknown, last
 * seen in Order#total 2.1 s ago"; brief: "? Order#total". "-": unknown. */
void thread_stack_leaf(char *out, size_t bytes, const struct rtop_thread_row *thread,
                       const struct rtop_symbols *symbols, bool brief);

#endif
