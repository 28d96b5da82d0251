/* SPDX-License-Identifier: MIT */
/* The parts of a window as a table (parts.def), for code that handles all of them alike. Private to shm/window_*.c.
 *
 * A part is an array of rows, stored as a count and then column by column; a column is a field.
 */
#ifndef RTOP_SHM_WINDOW_PARTS_H
#define RTOP_SHM_WINDOW_PARTS_H

#include "window.h"
#include "shm/base/format.h"

#include <string.h>

enum window_coding { WINDOW_PLAIN, WINDOW_DELTA, WINDOW_TIME };

enum window_check {
  WINDOW_ANY,
  WINDOW_NODE,
  WINDOW_SLOT,
  WINDOW_STRING,
  WINDOW_STATE,
  WINDOW_LABEL,
  WINDOW_ROW,
  WINDOW_SPAN,
  WINDOW_PAST,
  WINDOW_SINCE,
  WINDOW_SUM_SAMPLES, /* the first sum */
  WINDOW_SUM_WALL,
  WINDOW_SUM_CPU,
  WINDOW_SUM_ALLOCATIONS,
  WINDOW_SUM_BLAME,
  WINDOW_SUM_BEGUN,
  WINDOW_SUM_FIBERS,
  WINDOW_SUM_WAITING,
  WINDOW_SUM_EXACT,
  WINDOW_SUM_SLOW,
  WINDOW_SUM_OFF,
  WINDOW_SUM_RAISED,
  WINDOW_SUM_TURNS,
  WINDOW_SUM_BEHIND,
  WINDOW_CHECK_END,
};

/* How rows with equal keys are merged; those from WINDOW_KEY to WINDOW_KEY_LAST are keys. */
enum window_merge_rule {
  WINDOW_NONE,
  WINDOW_KEY,
  WINDOW_KEY_0,
  WINDOW_KEY_FOLDED,
  WINDOW_KEY_HOLDER,
  WINDOW_KEY_THREAD,
  WINDOW_KEY_LAST = WINDOW_KEY_THREAD,
  WINDOW_ADD,
  WINDOW_WEIGHT,
  WINDOW_LEAST,
  WINDOW_LARGEST,
  WINDOW_LATER,
};

struct window_column {
  uint16_t offset;
  uint8_t bytes;  /* of the field: 4 or 8; 0 behind the last column */
  uint8_t coding; /* enum window_coding */
  uint8_t check;  /* enum window_check */
  uint8_t merge;  /* enum window_merge_rule */
};

enum { WINDOW_COLUMN_MAX = 10 };

struct window_part {
  enum rtop_window_part kind;      /* 0: there is no such part, or it has no columns (RTOP_PART_COUNTERS) */
  bool is_more;                    /* its columns belong to rows of an earlier part */
  uint16_t array, count, capacity; /* offsets in struct rtop_window */
  uint16_t row_bytes;
  uint16_t share, most, rests;                         /* as in parts.def; 0 if is_more */
  struct window_column columns[WINDOW_COLUMN_MAX + 1]; /* the last one has 0 bytes */
};

/* By kind. */
extern const struct window_part window_parts[RTOP_PART_KIND_END];

static inline void *window_rows(const struct rtop_window *window, const struct window_part *part)
{
  void *rows;
  memcpy(&rows, (const char *)window + part->array, sizeof rows);
  return rows;
}

static inline void window_set_rows(struct rtop_window *window, const struct window_part *part, void *rows)
{
  memcpy((char *)window + part->array, &rows, sizeof rows);
}

static inline size_t *window_count(const struct rtop_window *window, const struct window_part *part)
{
  return (size_t *)((char *)window + part->count);
}

static inline size_t *window_capacity(const struct rtop_window *window, const struct window_part *part)
{
  return (size_t *)((char *)window + part->capacity);
}

static inline uint64_t window_field(const void *row, const struct window_column *column)
{
  uint64_t wide;
  uint32_t narrow;
  if (column->bytes == sizeof wide) {
    memcpy(&wide, (const char *)row + column->offset, sizeof wide);
    return wide;
  }
  memcpy(&narrow, (const char *)row + column->offset, sizeof narrow);
  return narrow;
}

/* Stores a value. False: the field is narrower. */
static inline bool window_set_field(void *row, const struct window_column *column, uint64_t value)
{
  if (column->bytes == sizeof value) {
    memcpy((char *)row + column->offset, &value, sizeof value);
    return true;
  }
  uint32_t narrow = (uint32_t)value;
  memcpy((char *)row + column->offset, &narrow, sizeof narrow);
  return value <= UINT32_MAX;
}

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

/* Makes room for `wanted` rows in a part. False: memory ran out, and the rows stay as they are. */
bool window_grow(struct rtop_window *window, const struct window_part *part, size_t wanted);

#endif
