/* SPDX-License-Identifier: MIT */
/* The structure of a window's payload: a table shared by encoder and decoder. Private to shm/window_*.c.
 *
 * A part is an array of structs, stored as a count and then column by column; a column is a field.
 */
#ifndef RTOP_SHM_WINDOW_PARTS_H
#define RTOP_SHM_WINDOW_PARTS_H

#include "window.h"
#include "shm/base/format.h"

enum window_coding {
  WINDOW_PLAIN, /* varint */
  WINDOW_DELTA, /* zigzag varint of the difference to the previous element */
  WINDOW_TIME,  /* like WINDOW_DELTA; the first one is relative to the window's start */
};

struct window_column {
  size_t offset;
  size_t field_bytes; /* 4 or 8 */
  enum window_coding coding;
};

enum { WINDOW_COLUMN_MAX = 10 };

struct window_part {
  enum rtop_window_part kind;
  size_t element_bytes;
  size_t column_count;
  struct window_column columns[WINDOW_COLUMN_MAX];
};

extern const struct window_part window_part_threads;
extern const struct window_part window_part_cells;
extern const struct window_part window_part_late;
extern const struct window_part window_part_marks;
extern const struct window_part window_part_stacks; /* a column more of the threads */
extern const struct window_part window_part_begun;
extern const struct window_part window_part_fibers;
extern const struct window_part window_part_exact;
extern const struct window_part window_part_slow;
extern const struct window_part window_part_locks; /* columns more of the threads */
extern const struct window_part window_part_raises;
extern const struct window_part window_part_args;   /* lengths; their bytes stand behind them */
extern const struct window_part window_part_causes; /* columns more of what is slow */
extern const struct window_part window_part_pairs;

/* Is the figure a detail, of which there may be many per method or label? */
static inline bool window_exact_is_detail(const struct rtop_exact *exact)
{
  if (exact->what >= RTOP_WORK_ENDED && exact->what < RTOP_WORK_WHAT_END) return exact->what == RTOP_WORK_TIMES;
  return exact->what == RTOP_EXACT_CALLER || exact->what == RTOP_EXACT_TOTAL_TIMES ||
         exact->what == RTOP_EXACT_SELF_TIMES || exact->what >= RTOP_EXACT_WHAT_END;
}

/* Is the detail a time of work by cause, which is dropped first? */
static inline bool window_exact_is_by_cause(const struct rtop_exact *exact)
{
  return exact->what == RTOP_WORK_TIMES && rtop_work_key_cause(exact->key) != RTOP_WORK_WHOLE;
}

/* Makes room for `wanted` elements and returns the array, which may move; NULL when memory ran out (the old one stays
 * valid). */
void *window_grow(void *array, size_t *capacity, size_t wanted, size_t element_bytes);

#endif
