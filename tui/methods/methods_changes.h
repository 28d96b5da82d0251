/* SPDX-License-Identifier: MIT */
/* The methods of now beside those of before: each row gets its change, and methods that were there only before
 * get rows, with nothing in them.
 *
 * Threads: one. Memory belongs to the struct and is used again by the next call; a zeroed one is empty.
 */
#ifndef RTOP_TUI_METHODS_CHANGES_H
#define RTOP_TUI_METHODS_CHANGES_H

#include "methods.h"

struct rtop_changes {
  struct rtop_method_row *rows; /* those of now in their order, then those that are gone */
  size_t count, capacity;
  uint32_t *row_of; /* by frame: row of `before` + 1 */
  size_t row_of_capacity;
};

/* row->delta is the change of the figure `of`; those that are gone come with the largest loss first. `frames` is
 * the number of all frames. Left out is what is less than this part of both sides, so neither of them may have
 * been cut before. False when memory ran out. */
bool rtop_changes_join(struct rtop_changes *changes, const struct rtop_methods *now, const struct rtop_methods *before,
                       uint32_t frames, enum rtop_sort_key of, double min_percent);
/* What a method was before, as the last join saw it; NULL: not there. */
const struct rtop_method_row *rtop_changes_before(const struct rtop_changes *changes, const struct rtop_methods *before,
                                                  uint32_t frame);
/* Figures change, names and places do not, nor what is made of changes. */
bool rtop_changes_has(enum rtop_sort_key key);
/* With its sign: shares in points ("+1.2", "0.0"), what is counted as that ("-3.1k"). At most 6 columns. */
void rtop_changes_text(char *out, size_t out_bytes, double change, enum rtop_sort_key key);
void rtop_changes_destroy(struct rtop_changes *changes);

#endif
