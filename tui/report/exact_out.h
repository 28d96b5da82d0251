/* SPDX-License-Identifier: MIT */
/* Traced methods in reports: as text and as JSON. */
#ifndef RTOP_TUI_EXACT_OUT_H
#define RTOP_TUI_EXACT_OUT_H

#include "report.h"
#include <jansson.h>
#include <stdio.h>

/* Nothing without rows. */
void exact_write_text(const struct rtop_report *report, FILE *out, int columns);
/* An array, as rperf-top-json(5) says. */
json_t *exact_json(const struct rtop_report *report);

#endif
