/* SPDX-License-Identifier: MIT */
/* Exceptions by class and place in reports: as text and as JSON. */
#ifndef RTOP_TUI_RAISED_OUT_H
#define RTOP_TUI_RAISED_OUT_H

#include "report.h"
#include <jansson.h>

/* Nothing where there are none. */
void raised_write_text(const struct rtop_report *report, FILE *out, int columns);
/* The array "raised", as rperf-top-json(5) says. */
json_t *raised_json(const struct rtop_report *report);

#endif
