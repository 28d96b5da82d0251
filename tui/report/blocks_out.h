/* SPDX-License-Identifier: MIT */
/* Slow blocks with labels (requests, jobs) in reports: as text and as JSON. */
#ifndef RTOP_TUI_BLOCKS_OUT_H
#define RTOP_TUI_BLOCKS_OUT_H

#include "report.h"
#include <jansson.h>

/* Nothing where nobody asked for them. */
void blocks_write_text(const struct rtop_report *report, FILE *out, int columns);
/* Puts "slow_requests" into the object, as rperf-top-json(5) says; nothing where there are none and nobody asked. */
void blocks_json(json_t *object, const struct rtop_report *report);

#endif
