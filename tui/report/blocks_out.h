/* SPDX-License-Identifier: MIT */
/* Slow blocks with labels (requests, jobs) in reports: as text and as JSON. */
#ifndef RTOP_TUI_BLOCKS_OUT_H
#define RTOP_TUI_BLOCKS_OUT_H

#include "report.h"
#include <jansson.h>

/* Nothing where nobody asked for them. */
void blocks_write_text(const struct rtop_report *report, FILE *out, int columns);
/* Adds "slow_requests" to the object, as in rperf-top-json(5); nothing if there are none and none were requested. */
void blocks_json(json_t *object, const struct rtop_report *report);

#endif
