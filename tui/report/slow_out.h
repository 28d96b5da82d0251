/* SPDX-License-Identifier: MIT */
/* Slow calls of a traced method in reports: as text and as JSON. */
#ifndef RTOP_TUI_SLOW_OUT_H
#define RTOP_TUI_SLOW_OUT_H

#include "report.h"
#include <jansson.h>

/* Nothing where nobody asked for them and there are none. */
void slow_write_text(const struct rtop_report *report, const struct exact_row *row, FILE *out, int columns);
/* Puts them into the object of the method, as rperf-top-json(5) says. */
void slow_json(const struct rtop_report *report, const struct exact_row *row, json_t *object);

#endif
