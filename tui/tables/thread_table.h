/* SPDX-License-Identifier: MIT */
/* The threads of a sum as rows, filtered and sorted.
 *
 * Without another choice, blamed threads come first (rtop_thread_row.blamed). Then come, in this order of importance:
 * the time that others waited for the GVL (blame) or for a lock that the thread is inside at the end (thread_locks.h),
 * time with the GVL, the number of waiters for such a lock, and waiting time; idle threads come last. The sort figure
 * is compared as it is displayed, in tenths of a percent; among equal figures the other ones decide in whole percents,
 * so that threads doing the same keep their places. No screen. Threads: one. The table owns its memory.
 */
#ifndef RTOP_TUI_THREAD_TABLE_H
#define RTOP_TUI_THREAD_TABLE_H

#include "tui/methods/methods.h"

struct thread_table {
  uint32_t *rows; /* indexes into sum->threads */
  size_t count, capacity;
};

struct thread_table_options {
  enum rtop_sort_key sort;
  bool reverse;
  const char *filter; /* see thread_filter.h; NULL: none */
  bool filter_invert;
  uint32_t only_source; /* source number + 1, to show only the threads of this source; 0: all */
  bool no_idle;         /* hides threads that were off the GVL for the whole span */
};

/* Does this sort key put threads to blame first? Keys that do not apply to threads do. */
bool thread_table_by_blame(enum rtop_sort_key sort);

/* Returns the value of a sort key for a thread, in nanoseconds or counts: "running" is its time with the GVL; self,
 * total, ratio and threads are its time not off the GVL. RTOP_SORT_NAME: 0. */
double thread_table_key(const struct rtop_thread_row *thread, enum rtop_sort_key sort);

/* Was the thread off the GVL for the whole span, most likely waiting for work? `length_ns`: length of the span. */
bool thread_table_idle(const struct rtop_thread_row *thread, uint64_t length_ns);

/* Like thread_table_idle(), but false if the thread waits for a lock, is inside a lock that others wait for (as found
 * by thread_locks_note()), or is blamed. Does not check whether the thread's stack shows that it waits for work. */
bool thread_table_quiet(const struct rtop_thread_row *thread, const struct rtop_symbols *symbols, uint64_t length_ns);

/* Builds the table, and examines the locks of the sum. False: memory ran out or the expression is invalid. */
bool thread_table_build(struct thread_table *table, struct rtop_sum *sum, const struct rtop_symbols *symbols,
                        const struct thread_table_options *options);
void thread_table_destroy(struct thread_table *table);

#endif
