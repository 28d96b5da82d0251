/* SPDX-License-Identifier: MIT */
/* Counted calls of the program in reports: as text and as JSON. */
#ifndef RTOP_TUI_WHOLE_OUT_H
#define RTOP_TUI_WHOLE_OUT_H

#include "tui/history/symbols.h"
#include "tui/tables/whole_table.h"
#include <jansson.h>
#include <stdio.h>

#define WHOLE_LEAST 0.01 /* least share of all time of a call that is listed in a report's tree */

/* Writes the table; nothing if nothing was counted. least: smallest share of all time (0 to 1) of calls that
 * the tree contains. */
void whole_write_text(const struct whole_table *table, const struct rtop_symbols *symbols, double least, FILE *out,
                      int columns);
/* An object, as rperf-top-json(5) says. */
json_t *whole_json(const struct whole_table *table, const struct rtop_symbols *symbols);

#endif
