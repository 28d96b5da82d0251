/* SPDX-License-Identifier: MIT */
/* What was spent for each label (RperfTop.label): endpoints, jobs. No screen.
 *
 * A row is a value of a key ("endpoint" = "GET /users"); all time under sets with that value is its own, whatever other
 * labels they have. `count` is how often the label began: requests, jobs. It is of all threads, and of no use when some
 * of them are hidden.
 *
 * Threads: one. Memory belongs to the table and is used again; a zeroed struct is empty.
 */
#ifndef RTOP_TUI_LABEL_TABLE_H
#define RTOP_TUI_LABEL_TABLE_H

#include "shm/base/label_text.h"
#include "tui/history/profile.h"
#include "tui/methods/methods.h"
#include "tui/methods/work_figures.h"

enum { LABEL_KEYS_MAX = 32 };

struct label_row {
  char name[RTOP_LABEL_KEY_MAX + 1 + RTOP_LABEL_VALUE_MAX + 1]; /* "endpoint=GET /users"; of time without: "" */
  size_t key_bytes;                                             /* the value stands behind the equals sign */
  struct rtop_cost cost;
  uint64_t count;
  uint64_t id;               /* the same in every table */
  struct work_figures *work; /* how long what ended took, and what is open; NULL: none is known. Of all threads, too */
};

struct label_table_key {
  char name[RTOP_LABEL_KEY_MAX + 1];
  uint64_t ns;
};

struct label_table_options {
  const char *key; /* rows of this key only; NULL: of all */
  enum rtop_sort_key sort;
  enum rtop_mode mode; /* what "self" is sorted by */
  bool reverse;
  const char *filter; /* as for methods, on "key=value"; NULL: none */
  bool filter_invert;
  uint32_t only_source; /* the number of a source + 1; 0: all */
};

struct label_table {
  struct label_row **rows;
  size_t count, capacity;
  struct rtop_cost rest;                       /* of threads that are shown, without the key (or without any) */
  bool counted;                                /* counts are of the same threads as times */
  struct label_table_key keys[LABEL_KEYS_MAX]; /* by name */
  int key_count;
  bool worked;               /* some row has `work` */
  struct label_entry *index; /* private */
  struct work_numbers numbers;
};

/* `sum`: of sets (rtop_profile_sum_sets, rtop_live_create_sets). False: memory ran out or the filter is bad. */
bool label_table_build(struct label_table *table, struct rtop_profile *profile, const struct rtop_sum *sum,
                       const struct label_table_options *options);
/* What a row is sorted by. self: by mode; total: all time; samples: the count; ratio: time for each; what means nothing
 * here is self. Names: 0. What began before the span, and goes on, takes as long as it is seen, at least. */
enum rtop_sort_key label_table_key(enum rtop_sort_key sort);
double label_table_value(const struct label_row *row, enum rtop_sort_key sort, enum rtop_mode mode);
/* How long it takes each time: exactly, of what ended in the span; where that is not known, all time for each time that the
 * label began. 0: it did not begin in the span. */
uint64_t label_row_each_ns(const struct label_row *row);
static inline const char *label_row_value(const struct label_row *row)
{
  return row->key_bytes ? row->name + row->key_bytes + 1 : "";
}
void label_table_destroy(struct label_table *table);

#endif
