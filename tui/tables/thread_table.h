/* The threads of a sum as rows: which are shown, in which order.
 *
 * Threads keep their places unless their figures differ by more than half a per cent of the span.
 * No screen. Threads: one. Memory belongs to the table.
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

/* What a sort key means for a thread, in nanoseconds or counts: self, total, ratio and threads are the
 * time that it was not off the GVL. RTOP_SORT_NAME: 0. */
double thread_table_key(const struct rtop_thread_row *thread, enum rtop_sort_key sort);

/* Off the GVL for the whole span of a sum: waiting for work, most likely. `length_ns` is the sum's. */
bool thread_table_idle(const struct rtop_thread_row *thread, uint64_t length_ns);

/* False: memory ran out or the expression is bad. */
bool thread_table_build(struct thread_table *table, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                        const struct thread_table_options *options);
void thread_table_destroy(struct thread_table *table);

#endif
