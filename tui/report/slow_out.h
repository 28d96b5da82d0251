/* SPDX-License-Identifier: MIT */
/* Slow calls of a traced method in reports: as text and as JSON. */
#ifndef RTOP_TUI_SLOW_OUT_H
#define RTOP_TUI_SLOW_OUT_H

#include "report.h"
#include <jansson.h>

/* Writes slow calls; nothing if there are none and none were requested. */
void slow_write_text(const struct rtop_report *report, const struct exact_row *row, FILE *out, int columns);
/* Adds slow calls to the method's object, as in rperf-top-json(5). */
void slow_json(const struct rtop_report *report, const struct exact_row *row, json_t *object);

/* Adds the members that a call and a block have in common: when it ended, how long it took, its thread and process. */
void slow_json_about(const struct rtop_report *report, const struct slow_row *row, json_t *object);
json_t *slow_labels(const struct rtop_report *report, uint32_t frame);

#endif
