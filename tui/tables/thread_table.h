/* SPDX-License-Identifier: MIT */
/* The threads of a sum as rows: which are shown, in which order.
 *
 * Unless another order is asked for, who is blamed by others comes first (rtop_thread_row.blamed); then, as among these, who
 * is to blame by the time that others waited for the GVL (blame) and
 * for a lock that the thread is inside at the end (thread_locks.h), then by time that the GVL was held, then by how many
 * wait for such a lock, then by time spent waiting; idle threads last.
 * The figure that rows are sorted by counts as it is read, in tenths of a percent; of what decides among equal ones
 * whole percents count, so that threads that do the same keep their places. No screen. Threads: one. Memory belongs to
 * the table.
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
  uint32_t only_source; /* the number of a source + 1: no others; 0: all */
  bool no_idle;         /* threads that were off the GVL for the whole span have no row */
};

/* Does this sort key put those who are to blame first? Keys that mean nothing for threads do. */
bool thread_table_by_blame(enum rtop_sort_key sort);

/* What a sort key means for a thread, in nanoseconds or counts: "running" is the time that it held the GVL; self,
 * total, ratio and threads are the time that it was not off the GVL. RTOP_SORT_NAME: 0. */
double thread_table_key(const struct rtop_thread_row *thread, enum rtop_sort_key sort);

/* Off the GVL for the whole span of a sum: waiting for work, most likely. `length_ns` is the sum's. */
bool thread_table_idle(const struct rtop_thread_row *thread, uint64_t length_ns);

/* The same, but not because of a lock, and inside none that others wait for, as thread_locks_note() has found, nor blamed for
 * anything else. Whether it rests is not looked at. */
bool thread_table_quiet(const struct rtop_thread_row *thread, const struct rtop_symbols *symbols, uint64_t length_ns);

/* Looks at the locks of the sum. False: memory ran out or the expression is bad. */
bool thread_table_build(struct thread_table *table, struct rtop_sum *sum, const struct rtop_symbols *symbols,
                        const struct thread_table_options *options);
void thread_table_destroy(struct thread_table *table);

#endif
