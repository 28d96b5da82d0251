/* SPDX-License-Identifier: MIT */
/* Allocation sites in reports: as text and as JSON. */
#ifndef RTOP_TUI_SITES_OUT_H
#define RTOP_TUI_SITES_OUT_H

#include "tui/history/symbols.h"
#include "sites_table.h"
#include <jansson.h>
#include <stdio.h>

/* Nothing where nothing was sampled. */
void sites_write_text(const struct sites_table *table, const struct rtop_symbols *symbols, FILE *out, int columns);
/* An object, as rperf-top-json(5) says. */
json_t *sites_json(const struct sites_table *table, const struct rtop_symbols *symbols);

#endif
