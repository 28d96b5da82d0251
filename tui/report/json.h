/* SPDX-License-Identifier: MIT */
/* A refresh as one JSON object on one line: the contract "rperf-top/1", described in rperf-top(1).
 *
 * Times are seconds with nanosecond precision, everything that is a number is a number. Names are valid
 * UTF-8 already.
 */
#ifndef RTOP_TUI_JSON_H
#define RTOP_TUI_JSON_H

#include "report.h"
#include <jansson.h>
#include <stdio.h>

enum { RTOP_JSON_STACK_MAX = 200 };

/* A new reference; NULL when memory ran out. */
json_t *rtop_json_build(const struct rtop_report *report);
/* Leaf first: "Object#fib (fib.rb:3)". */
json_t *rtop_json_stack(const struct rtop_report *report, uint32_t node);
/* An object for each process, with what it has of the frame. */
json_t *rtop_json_processes(const struct rtop_report *report);
void rtop_json_processes_gone(json_t *object, const struct rtop_report *report);
/* Writes the line and flushes. False when that did not work. */
bool rtop_json_write(const struct rtop_report *report, FILE *out);

#endif
