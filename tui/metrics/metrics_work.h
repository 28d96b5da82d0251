/* SPDX-License-Identifier: MIT */
/* How long labelled work took, as a histogram, and its time by cause: figures of the labels of a process (metrics_top.h).
 *
 * A histogram counts the work whose length the channel tells: where more was too much for a window, it is counted as left
 * out. Lengths are known within 0.8 %, so work that took almost exactly as long as a bound may count above or below it.
 * Time by cause is exact and of all work that ended.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_METRICS_WORK_H
#define RTOP_TUI_METRICS_WORK_H

#include "metrics_walk.h"

enum { METRICS_BUCKETS = 15 };

/* Figures of a label. */
enum metrics_named {
  METRICS_NAMED_BUSY,
  METRICS_NAMED_RUNS,
  METRICS_NAMED_LATENCY, /* time of the work that is in buckets */
  METRICS_NAMED_BUCKETS,
  METRICS_NAMED_TIME = METRICS_NAMED_BUCKETS + METRICS_BUCKETS, /* by cause, without the whole */
  METRICS_NAMED_FIGURES = METRICS_NAMED_TIME + RTOP_WORK_CAUSES - 1,
  METRICS_NAMED_RANKED = METRICS_NAMED_BUCKETS,
};

static inline int metrics_named_time(enum rtop_work_cause cause)
{
  return METRICS_NAMED_TIME + (int)cause - RTOP_WORK_RUNNING;
}

/* The upper bound of a bucket in seconds, as text: "0.005", "+Inf". */
const char *metrics_bucket_bound(int bucket);

/* Counts the work of a window. */
void metrics_work_add(struct metrics_process *process, const struct rtop_symbols *symbols,
                      const struct walk_window *window);
/* Notes what is open at the end of a window, the last one of the process. */
void metrics_work_open(struct metrics_process *process, const struct rtop_symbols *symbols,
                       const struct rtop_look *look);

#endif
