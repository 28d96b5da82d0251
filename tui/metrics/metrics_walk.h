/* SPDX-License-Identifier: MIT */
/* Counts the windows of a profile for metrics.h. Private to metrics.c. */
#ifndef RTOP_TUI_METRICS_WALK_H
#define RTOP_TUI_METRICS_WALK_H

#include "metrics.h"

/* Everything but what is told of it. */
void metrics_walk(struct metrics *metrics, struct rtop_profile *profile);

#endif
