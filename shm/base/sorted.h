/* SPDX-License-Identifier: MIT */
/* Binary search in sorted rows.
 *
 * Threads: any. No state, no allocation.
 */
#ifndef RTOP_SHM_SORTED_H
#define RTOP_SHM_SORTED_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the number of rows (of row_bytes each) that come before the key. This is the position of the key, or the
 * position for inserting it. */
static inline size_t sorted_place(const void *rows, size_t count, size_t row_bytes, const void *key,
                                  bool (*comes_before)(const void *row, const void *key))
{
  size_t from = 0, to = count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (comes_before((const char *)rows + middle * row_bytes, key)) from = middle + 1;
    else to = middle;
  }
  return from;
}

#endif
