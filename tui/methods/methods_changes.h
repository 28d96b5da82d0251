/* SPDX-License-Identifier: MIT */
/* Compares the methods of two spans: each row gets its change, and methods that only the earlier span has get empty
 * rows.
 *
 * Threads: one. The struct owns its memory, which the next call reuses; a struct of zeros is empty.
 */
#ifndef RTOP_TUI_METHODS_CHANGES_H
#define RTOP_TUI_METHODS_CHANGES_H

#include "methods.h"

struct rtop_changes {
  struct rtop_method_row *rows; /* present rows in their order, then rows of methods that only the earlier span has */
  size_t count, capacity;
  uint32_t *row_of; /* by frame: row of `before` + 1 */
  size_t row_of_capacity;
};

/* Joins both sides; row->delta is the change of the figure `of`. Rows that only the earlier span has come last, largest
 * loss first. `frames`: number of all frames. Rows below min_percent on both sides are left out, so neither side may
 * have been limited before the call. False when memory ran out. */
bool rtop_changes_join(struct rtop_changes *changes, const struct rtop_methods *now, const struct rtop_methods *before,
                       uint32_t frames, enum rtop_sort_key of, double min_percent);
/* Returns the earlier row of a method, as of the last join; NULL: the earlier span did not have it. */
const struct rtop_method_row *rtop_changes_before(const struct rtop_changes *changes, const struct rtop_methods *before,
                                                  uint32_t frame);
/* Can the column be compared? Figures can; names, places, and columns that show changes cannot. */
bool rtop_changes_has(enum rtop_sort_key key);
/* Writes a change with its sign: shares in percentage points ("+1.2", "0.0"), counts as such ("-3.1k"). At most 6
 * columns. */
void rtop_changes_text(char *out, size_t out_bytes, double change, enum rtop_sort_key key);
void rtop_changes_destroy(struct rtop_changes *changes);

#endif
