/* SPDX-License-Identifier: MIT */
/* The activity of each thread over time, as slices: its state, and below it the methods that were on its stack for more
 * than half of the time. Adjacent windows with equal contents form one slice. */
#ifndef RTOP_TUI_EXPORT_SLICES_H
#define RTOP_TUI_EXPORT_SLICES_H

#include "export_impl.h"

enum { EXPORT_SLICE_DEPTH_MAX = 256 };

struct export_slice {
  const struct rtop_thread_row *thread;
  int64_t start_ns, end_ns;
  size_t depth;          /* 0: the state */
  enum rtop_state state; /* the state with most time in each window of the slice */
  uint32_t frame;        /* from depth 1 on */
  struct rtop_cost cost; /* at depth 0: all cost of the thread during the slice */
};
typedef void export_slice_write(void *context, const struct export_slice *slice);

/* Returns all windows and gaps of the span of the job's sum; the caller frees them. NULL: memory ran out. */
struct rtop_window_summary *export_windows(const struct export_job *job, size_t *count);

/* Makes the sum of a span, filtered like the job's sum. False: memory ran out. */
bool export_sum_span(const struct export_job *job, struct rtop_span span, struct rtop_sum *sum);

/* Calls `visit` for every slice once its state has ended: the state, then the slices below it by start and depth.
 * False: memory ran out. */
bool export_slices(const struct export_job *job, const struct rtop_window_summary *windows, size_t count,
                   export_slice_write *write, void *context);

#endif
