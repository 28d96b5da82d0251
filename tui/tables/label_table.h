/* SPDX-License-Identifier: MIT */
/* Time by label (RperfTop.label): endpoints, jobs. No screen.
 *
 * A row is a value of a key ("endpoint" = "GET /users"), with all time under label sets that contain it. `count`
 * is the number of times that the label began (requests, jobs), over all threads, so it is not valid when
 * threads are hidden.
 *
 * Threads: one. The table owns its memory and reuses it; a struct of zeros is empty.
 */
#ifndef RTOP_TUI_LABEL_TABLE_H
#define RTOP_TUI_LABEL_TABLE_H

#include "shm/base/label_text.h"
#include "tui/history/profile.h"
#include "tui/methods/behind.h"
#include "tui/methods/methods.h"
#include "tui/methods/work_figures.h"
#include "slow_list.h"

enum { LABEL_KEYS_MAX = 32 };

struct label_row {
  char name[RTOP_LABEL_KEY_MAX + 1 + RTOP_LABEL_VALUE_MAX + 1]; /* "endpoint=GET /users"; of time without: "" */
  size_t key_bytes;                                             /* the value stands behind the equals sign */
  struct rtop_cost cost;
  uint64_t count;
  uint64_t id;               /* the same in every table */
  struct work_figures *work; /* durations of ended work, and work that has not ended, over all threads; NULL: unknown */
  size_t block, block_count; /* slowest blocks, one by one: label_row_block() */
};

struct label_table_key {
  char name[RTOP_LABEL_KEY_MAX + 1];
  uint64_t ns;
};

struct label_table_options {
  const char *key; /* key of the rows to include; NULL: all keys */
  enum rtop_sort_key sort;
  enum rtop_mode mode; /* what "self" is sorted by */
  bool reverse;
  const char *filter; /* regular expression, applied to "key=value" as for methods; NULL: none */
  bool filter_invert;
  uint32_t only_source; /* number of a source + 1, to include only this source; 0: all */
  uint64_t slower_ns;   /* threshold above which blocks are listed one by one (ns);
                           0: the slowest LABEL_BLOCKS_FEW of each row are listed */
};
enum { LABEL_BLOCKS_FEW = SLOW_LIST_FEW };

struct label_table {
  struct label_row **rows;
  size_t count, capacity;
  struct rtop_cost rest;                       /* cost of shown threads without the key (or without any label) */
  bool counted;                                /* counts of begins are for the same threads as times */
  struct label_table_key keys[LABEL_KEYS_MAX]; /* by name */
  int key_count;
  bool worked;               /* some row has `work` */
  struct label_entry *index; /* private */
  struct work_numbers numbers;
  struct slow_list blocks;
  struct behind_list behind; /* over all threads; empty unless counted */
  struct label_block *links;
  size_t link_count, link_capacity;
};

/* Builds the table. `sum`: a sum by label sets (rtop_profile_sum_sets(), rtop_live_create_sets()). False: memory ran
 * out or the filter is invalid. */
bool label_table_build(struct label_table *table, struct rtop_profile *profile, const struct rtop_sum *sum,
                       const struct label_table_options *options);
/* Builds the table of a span, its rows in the order of their names, for label_table_named(). */
bool label_table_of(struct label_table *table, struct rtop_profile *profile, struct rtop_span span);
/* The row with this name ("endpoint=GET /users") in a table of label_table_of(); NULL: none. */
const struct label_row *label_table_named(const struct label_table *table, const char *name);
/* The latency of the row's work that ended, if its quantiles are known; else NULL. `row` may be NULL. */
const struct work_figures *label_row_latency(const struct label_row *row);
/* The value of a sort key. self: by mode; total: all time; samples: the count; ratio: time per begin; keys without
 * meaning here: self. Names: 0. Open work that began before the span takes at least as long as it has been seen. */
enum rtop_sort_key label_table_key(enum rtop_sort_key sort);
double label_table_value(const struct label_row *row, enum rtop_sort_key sort, enum rtop_mode mode);
/* Returns the time per begin (ns): exact for work that ended in the span; if that is unknown, all time divided by the
 * number of begins. 0: the label did not begin in the span. */
uint64_t label_row_each_ns(const struct label_row *row);
/* Returns a block of a row, oldest first, of any thread; NULL: there are no more. */
const struct slow_row *label_row_block(const struct label_table *table, const struct label_row *row, size_t index);
/* Computes the least number of blocks of the row that took slower_ns but are not listed, because there was no room for
   them. False: the number is not known. */
bool label_row_left_out(const struct label_table *table, const struct label_row *row, uint64_t *count);
/* Whom the row's work waited behind. */
void label_row_behind(const struct label_table *table, const struct label_row *row, const struct rtop_symbols *symbols,
                      struct behind_rows *out);
static inline const char *label_row_value(const struct label_row *row)
{
  return row->key_bytes ? row->name + row->key_bytes + 1 : "";
}
void label_table_destroy(struct label_table *table);

#endif
