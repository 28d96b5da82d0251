/* SPDX-License-Identifier: MIT */
/* Counts the windows of a profile for metrics.h. Private to metrics.c and metrics_work.c. */
#ifndef RTOP_TUI_METRICS_WALK_H
#define RTOP_TUI_METRICS_WALK_H

#include "metrics.h"
#include "tui/history/profile_each.h"

/* A window, which may have been merged with others since the last update. */
struct walk_window {
  const struct rtop_look *look;
  struct rtop_span settled, pending;
  bool is_settled, is_pending; /* all of it */
};

struct walk_part {
  uint64_t settled, pending;
};

/* Divides a figure of the window. */
struct walk_part walk_part(const struct walk_window *window, uint64_t value);

/* Everything but what is told of it. */
void metrics_walk(struct metrics *metrics, struct rtop_profile *profile);

#endif
