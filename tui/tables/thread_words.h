/* SPDX-License-Identifier: MIT */
/* What is said of the stack of a thread when it is not the one of now (rtop_thread_row.stale).
 *
 * No screen. Threads: one.
 */
#ifndef RTOP_TUI_THREAD_WORDS_H
#define RTOP_TUI_THREAD_WORDS_H

#include "tui/history/profile.h"

/* Is there a stack, and is it an old one? */
static inline bool thread_stack_is_old(const struct rtop_thread_row *thread)
{
  return thread->stale && !thread->ended;
}

/* "0.8 s", "12.0 ms", "2m14s". */
void thread_age_text(char *out, size_t bytes, uint64_t age_ns);

/* The thread that holds the GVL longest in a call that was not sampled yet and lasts; NULL: none does. One that was not
 * seen since it woke up holds it for a second at least: sooner it may just wait for a core. */
const struct rtop_thread_row *thread_unfinished(const struct rtop_sum *sum);
/* "? Order#total, 2.1 s so far (worker 3)": what it was last seen in, but for a wait that is over. */
void thread_unfinished_words(char *out, size_t bytes, const struct rtop_thread_row *thread,
                             const struct rtop_symbols *symbols);

/* "no safepoint for 0.8 s", "stack unknown"; "" when the stack is the one of now. */
void thread_stack_words(char *out, size_t bytes, const struct rtop_thread_row *thread);

/* How old a stack is that is the one of now: "in it for 3.4 s" of a thread that waits or is blocked, "stack of 8 ms ago"
 * of one that runs, "stack of its last window" if nobody says; "": it is old, or there is none. */
void thread_stack_age(char *out, size_t bytes, const struct rtop_thread_row *thread);

/* Where it is: "Order#total", "no safepoint for 0.8 s, last seen in Order#total", "stack unknown, last seen in
 * Order#total 2.1 s ago"; or short of that "? Order#total". "-": nothing is known. */
void thread_stack_leaf(char *out, size_t bytes, const struct rtop_thread_row *thread,
                       const struct rtop_symbols *symbols, bool brief);

#endif
