/* SPDX-License-Identifier: MIT */
/* Whom labelled work waits behind: for the GVL, for collections of others, for locks. Exact. No screen.
 *
 * Threads: one. The list owns its memory and reuses it; a zeroed struct is empty.
 */
#ifndef RTOP_TUI_BEHIND_H
#define RTOP_TUI_BEHIND_H

#include "shm/base/label_text.h"
#include "tui/history/profile.h"
#include "tui/history/profile_lists.h"

/* Pairs of a span; parties and places are nodes. */
struct behind_list {
  struct rtop_behind_count *all;
  size_t count, capacity, joined; /* so many are sorted, each pair once */
};

/* Waits of one source (its number + 1; 0: of all), but for work that the lens leaves out. False: memory ran out. */
bool behind_list_build(struct behind_list *list, struct rtop_profile *profile, struct rtop_span span,
                       uint32_t only_source);
void behind_list_destroy(struct behind_list *list);

/* The holder is a value of the key where it has one, else its labels, or the block that its threads began with. */
enum { BEHIND_ROWS_MAX = 32, BEHIND_NAME_BYTES = 256 };
struct behind_row {
  char holder[BEHIND_NAME_BYTES]; /* "": several, or not known; of a hand-over: nobody */
  uint32_t cause;                 /* enum rtop_pair_cause */
  uint32_t place;                 /* of a lock: frame of the method that waited for it; 0: not known */
  uint64_t count, wait_ns;
};
struct behind_rows {
  struct behind_row
      rows[BEHIND_ROWS_MAX]; /* the longest first; of more than there is room for, the rest are one by cause */
  size_t count;
};

/* For work with this label. */
void behind_of_label(struct behind_rows *out, const struct behind_list *list, const struct rtop_symbols *symbols,
                     const char *key, size_t key_bytes, const char *value);

/* A word: "gvl", "gc", "lock", "handover". */
const char *behind_cause_name(uint32_t cause);
/* "GET /report 34 ms (GVL), nightly 12 ms (lock in Cache#fetch)": a mean of `ended` pieces of work, or the sum where none
 * ended; the longest first, as many as fit. */
void behind_words(char *text, size_t bytes, const struct behind_rows *rows, const struct rtop_symbols *symbols,
                  uint64_t ended);

#endif
