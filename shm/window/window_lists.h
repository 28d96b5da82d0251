/* SPDX-License-Identifier: MIT */
/* The lists of a window (LIST of parts.def), for code that does the same with each: sends it, copies it, translates what
 * its rows refer to.
 *
 * Threads: no shared state. Only rtop_window_size() and rtop_window_copy() allocate.
 */
#ifndef RTOP_SHM_WINDOW_LISTS_H
#define RTOP_SHM_WINDOW_LISTS_H

#include "window.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Positions of the lists, from 0. */
enum rtop_window_lists {
#define LIST(kind, ...) RTOP_LIST_##kind,
#include "shm/base/parts.def"
  RTOP_LISTS
};

struct rtop_window_list {
  void *rows;        /* of the window; NULL if it never had any */
  size_t count;      /* of rows */
  size_t row_bytes;  /* in memory */
  size_t most_bytes; /* of one row with its further columns and the arguments, when encoded */
};

struct rtop_window_list rtop_window_list(const struct rtop_window *window, enum rtop_window_lists list);

/* Makes room for this many rows of each list, which the caller fills, and sets their counts. False: memory ran out. */
bool rtop_window_size(struct rtop_window *window, const uint32_t counts[RTOP_LISTS]);

/* Copies everything but the sequence, with the arrays of *to, which grow. False: memory ran out. */
bool rtop_window_copy(struct rtop_window *to, const struct rtop_window *from);

/* Call visit for each node that a row refers to, and for each time (CLOCK_MONOTONIC, ns) but those of the window itself. */
void rtop_window_each_node(struct rtop_window *window, void (*visit)(void *context, uint32_t *node), void *context);
void rtop_window_each_time(struct rtop_window *window, void (*visit)(void *context, int64_t *mono_ns), void *context);

#endif
