/* SPDX-License-Identifier: MIT */
/* An update as one JSON object on one line: the format "rperf-top/1", described in rperf-top(1).
 *
 * Times are seconds with nanosecond precision, and numbers are JSON numbers. Names are valid UTF-8 already.
 */
#ifndef RTOP_TUI_JSON_H
#define RTOP_TUI_JSON_H

#include "report.h"
#include <jansson.h>
#include <stdio.h>

enum { RTOP_JSON_STACK_MAX = 200 };

/* Builds the object and returns a new reference; NULL when memory ran out. */
json_t *rtop_json_build(const struct rtop_report *report);
/* Leaf first: "Object#fib (fib.rb:3)". */
json_t *rtop_json_stack(const struct rtop_report *report, uint32_t node);
/* Returns an array of objects, one per process, with its figures in the frame. */
json_t *rtop_json_processes(const struct rtop_report *report);
void rtop_json_processes_gone(json_t *object, const struct rtop_report *report);
/* Writes the object as a line and flushes. False when writing failed. */
bool rtop_json_write(const struct rtop_report *report, FILE *out);

#endif
