/* SPDX-License-Identifier: MIT */
/* Writes what threads waited for, and which methods caused the waiting, as text and as JSON.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_WAITS_OUT_H
#define RTOP_TUI_WAITS_OUT_H

#include "report.h"
#include <jansson.h>

/* Writes waiting time by kind; nothing when no thread was blocked. */
void waits_write_kinds(const struct rtop_report *report, FILE *out, int columns);
/* Writes where and how long threads waited, and which methods caused it, for at least a hundredth of the span; nothing
 * if there is none. */
void waits_write_text(const struct rtop_report *report, FILE *out, int columns);
/* Adds "blocked_on" and "waits", as in rperf-top-json(5). */
void waits_json(json_t *object, const struct rtop_report *report);

#endif
