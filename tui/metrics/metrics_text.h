/* SPDX-License-Identifier: MIT */
/* Figures as text: OpenMetrics 1.0, and the older Prometheus text format (0.0.4) that other collectors read.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_METRICS_TEXT_H
#define RTOP_TUI_METRICS_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct metrics;

enum metrics_format { METRICS_OPEN, METRICS_PLAIN, METRICS_FORMATS };
const char *metrics_content_type(enum metrics_format format);

/* The whole page. False: writing failed. */
bool metrics_write(const struct metrics *metrics, enum metrics_format format, FILE *out);
/* Writes the page to memory that the caller frees; NULL: memory ran out. */
char *metrics_page(const struct metrics *metrics, enum metrics_format format, size_t *bytes);

/* The value of a label, in quotes. */
void metrics_quote(FILE *out, const char *text);

#endif
