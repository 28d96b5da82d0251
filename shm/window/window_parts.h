/* SPDX-License-Identifier: MIT */
/* What a window's payload is made of: one table read by the encoder and by the decoder. Private to
 * shm/window_*.c.
 *
 * A part is an array of structs, stored as a count and then column by column. A column is a field.
 */
#ifndef RTOP_SHM_WINDOW_PARTS_H
#define RTOP_SHM_WINDOW_PARTS_H

#include "window.h"
#include "shm/base/format.h"

enum window_coding {
  WINDOW_PLAIN, /* varint */
  WINDOW_DELTA, /* zigzag varint of the difference to the element before */
  WINDOW_TIME,  /* the same, the first to the start of the window */
};

struct window_column {
  size_t offset;
  size_t field_bytes; /* 4 or 8 */
  enum window_coding coding;
};

enum { WINDOW_COLUMN_MAX = 9 };

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
extern const struct window_part window_part_args; /* lengths; their bytes stand behind them */

/* Of a traced method, or of labels, what there may be much of. */
static inline bool window_exact_is_detail(const struct rtop_exact *exact)
{
  if (exact->what >= RTOP_WORK_ENDED && exact->what < RTOP_WORK_WHAT_END) return exact->what == RTOP_WORK_TIMES;
  return exact->what == RTOP_EXACT_CALLER || exact->what == RTOP_EXACT_TOTAL_TIMES ||
         exact->what == RTOP_EXACT_SELF_TIMES || exact->what >= RTOP_EXACT_WHAT_END;
}

/* Of details, those that go first: times of work by cause. */
static inline bool window_exact_is_by_cause(const struct rtop_exact *exact)
{
  return exact->what == RTOP_WORK_TIMES && rtop_work_key_cause(exact->key) != RTOP_WORK_WHOLE;
}

/* Room for `wanted` elements: the array, moved perhaps; NULL when memory ran out (the old one stays). */
void *window_grow(void *array, size_t *capacity, size_t wanted, size_t element_bytes);

#endif
