/* SPDX-License-Identifier: MIT */
/* The tables that samples of a pprof file refer to: strings, functions (frames) and locations (frame and line),
 * numbered in order of first use. Private to export_pprof.c. */
#ifndef RTOP_TUI_EXPORT_PPROF_TABLES_H
#define RTOP_TUI_EXPORT_PPROF_TABLES_H

#include "tui/history/symbols.h"
#include <pprof.pb-c.h>
#include <stdbool.h>
#include <stdio.h>

struct pprof_text; /* one string */

struct pprof_location {
  uint32_t frame, line;
};

struct pprof_tables {
  struct pprof_text *texts; /* hash */
  const char **strings;     /* by number */
  size_t string_count, string_capacity;
  uint64_t *of_node;   /* location of each node, by node; 0: not used yet */
  uint64_t *of_frame;  /* by frame: function */
  uint32_t *functions; /* frames, by number - 1 */
  size_t function_count;
  struct pprof_location *locations; /* by number - 1 */
  size_t location_count, location_capacity;
  uint64_t *slots; /* (frame, line) to location; open addressing */
  size_t slot_count;
  uint8_t *buffer;
  size_t buffer_capacity;
  bool failed; /* memory ran out: the output is incomplete */
};

/* Opens the tables. False: memory ran out. The tables must be closed in any case. */
bool pprof_tables_open(struct pprof_tables *tables, const struct rtop_symbols *symbols);
void pprof_tables_close(struct pprof_tables *tables);

/* Returns the number of a string, which is copied; 0 for "", and when memory ran out. */
int64_t pprof_string(struct pprof_tables *tables, const char *text);
/* Writes the locations from the node to the root. Returns their number (at least 1); 0: memory ran out. */
size_t pprof_stack(struct pprof_tables *tables, const struct rtop_symbols *symbols, uint32_t node, uint64_t **stack,
                   size_t *capacity);
void pprof_emit(struct pprof_tables *tables, const Rtop__Pprof__Profile *piece, FILE *out);
/* Writes mapping, locations, functions and at last all strings. False: memory ran out at some point. */
bool pprof_tables_write(struct pprof_tables *tables, const struct rtop_symbols *symbols, const char *command,
                        FILE *out);

#endif
