/* Traced methods in reports: as text and as JSON. */
#ifndef RTOP_TUI_EXACT_OUT_H
#define RTOP_TUI_EXACT_OUT_H

#include "tui/history/symbols.h"
#include "tui/tables/exact_table.h"
#include <jansson.h>
#include <stdio.h>

/* Nothing without rows. */
void exact_write_text(const struct exact_table *table, const struct rtop_symbols *symbols, FILE *out, int columns);
/* An array, as rperf-top-json(5) says. */
json_t *exact_json(const struct exact_table *table, const struct rtop_symbols *symbols);

#endif
