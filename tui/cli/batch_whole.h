/* SPDX-License-Identifier: MIT */
/* Watches until all calls were counted for the given time and everything was published.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_BATCH_WHOLE_H
#define RTOP_TUI_BATCH_WHOLE_H

#include "batch_watch.h"

struct whole_watch {
  struct batch_watch batch; /* open */
  struct rtop_options options;
  struct rtop_span held; /* what came before us */
  struct whole_before before;
  int64_t end_ns; /* end of the counting by this program's clock (ns); 0: nothing to watch yet */
};

/* Watches until the counting is complete. False as for batch_watch_open(); otherwise the caller
   must close watch->batch. */
bool whole_watch_run(struct whole_watch *watch, const struct rtop_options *options, int *status);
/* What came since. */
struct rtop_span whole_watch_span(const struct whole_watch *watch);

#endif
