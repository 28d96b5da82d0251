/* SPDX-License-Identifier: MIT */
/* All calls of the program in reports: as text and as JSON. */
#ifndef RTOP_TUI_WHOLE_OUT_H
#define RTOP_TUI_WHOLE_OUT_H

#include "tui/history/symbols.h"
#include "tui/tables/whole_table.h"
#include <jansson.h>
#include <stdio.h>

#define WHOLE_LEAST 0.01 /* of all time: less is left out of the tree of a report */

/* Nothing where nothing was traced. least: calls with a smaller share of all time are left out of the tree, 0 to 1. */
void whole_write_text(const struct whole_table *table, const struct rtop_symbols *symbols, double least, FILE *out,
                      int columns);
/* An object, as rperf-top-json(5) says. */
json_t *whole_json(const struct whole_table *table, const struct rtop_symbols *symbols);

#endif
