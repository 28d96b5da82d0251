/* SPDX-License-Identifier: MIT */
/* Checks the values of a window that came from somebody who is not trusted. */
#include "window_parts.h"
#include "shm/base/label_text.h"
#include "shm/base/latency.h"

static bool valid_add(uint64_t *sum, uint64_t value)
{
  return !__builtin_add_overflow(*sum, value, sum) && *sum <= INT64_MAX;
}

/* What the values of a column must be less than. */
static uint64_t valid_end(enum window_check check, const struct rtop_window *window,
                          const struct rtop_window_limits *limits)
{
  switch (check) {
  case WINDOW_NODE: return limits->node_count;
  case WINDOW_SLOT: return limits->thread_slots;
  case WINDOW_STRING: return limits->string_bytes;
  case WINDOW_STATE: return RTOP_STATE_COUNT;
  case WINDOW_LABEL: return RTOP_LABEL_PAIRS_MAX;
  case WINDOW_ROW: return window->thread_count;
  case WINDOW_PAST: return window->end_mono_ns < 0 ? 0 : (uint64_t)window->end_mono_ns + 1;
  case WINDOW_SPAN:
  case WINDOW_SINCE: return (uint64_t)INT64_MAX + 1;
  default: return UINT64_MAX;
  }
}

/* `sums`: of all values so far, by check. */
static bool valid_column(const struct rtop_window *window, const struct window_part *part,
                         const struct window_column *column, const struct rtop_window_limits *limits, uint64_t *sums)
{
  const char *rows = window_rows(window, part);
  size_t count = *window_count(window, part);
  if (column->check == WINDOW_ANY) return true;
  uint64_t end = valid_end((enum window_check)column->check, window, limits);
  for (size_t i = 0; i < count; i++) {
    uint64_t value = window_field(rows + i * part->row_bytes, column);
    bool valid = column->check >= WINDOW_SUM_SAMPLES ? valid_add(&sums[column->check], value) : value < end;
    if (!valid) return false;
  }
  return true;
}

/* ---- rules among the fields of a row ------------------------------------------------------------------ */

static bool valid_late(const void *row)
{
  const struct rtop_late *late = row;
  return late->cell.wall_ns <= (uint64_t)(INT64_MAX - late->start_mono_ns);
}

static bool valid_fibers(const void *row)
{
  const struct rtop_fibers *fibers = row;
  return fibers->waiting <= fibers->alive;
}

/* Validates a bucket, which viewers use as an index. Causes and labels may be those of a later version. */
static bool valid_exact(const void *row)
{
  const struct rtop_exact *exact = row;
  if (exact->what == RTOP_WORK_TIMES) return rtop_work_key_bucket(exact->key) < RTOP_LATENCY_BUCKETS;
  bool times = exact->what == RTOP_EXACT_TOTAL_TIMES || exact->what == RTOP_EXACT_SELF_TIMES;
  return !times || exact->key < RTOP_LATENCY_BUCKETS;
}

/* What a block did by cause takes no longer than the block. */
static bool valid_slow(const void *row)
{
  const struct rtop_slow *slow = row;
  uint64_t left = slow->total_ns;
  for (int cause = RTOP_WORK_RUNNING; cause < RTOP_WORK_CAUSES; cause++) {
    if (slow->work_ns[cause] > left) return false;
    left -= slow->work_ns[cause];
  }
  return slow->work_ns[RTOP_WORK_WHOLE] == 0 && slow->self_ns <= slow->total_ns &&
         slow->args_bytes <= sizeof slow->args;
}

static bool valid_raised(const void *row)
{
  const struct rtop_raised *raised = row;
  return raised->first_mono_ns <= raised->last_mono_ns;
}

static bool valid_rows(const struct rtop_window *window, const struct window_part *part)
{
  static bool (*const rules[RTOP_PART_KIND_END])(const void *row) = {
    [RTOP_PART_LATE] = valid_late, [RTOP_PART_FIBERS] = valid_fibers, [RTOP_PART_EXACT] = valid_exact,
    [RTOP_PART_SLOW] = valid_slow, [RTOP_PART_RAISES] = valid_raised,
  };
  const char *rows = window_rows(window, part);
  for (size_t i = 0; rules[part->kind] && i < *window_count(window, part); i++)
    if (!rules[part->kind](rows + i * part->row_bytes)) return false;
  return true;
}

bool rtop_window_valid(struct rtop_window *window, const struct rtop_window_limits *limits)
{
  uint64_t sums[WINDOW_CHECK_END] = { 0 };
  for (unsigned kind = RTOP_PART_THREADS; kind < RTOP_PART_KIND_END; kind++) {
    const struct window_part *part = &window_parts[kind];
    for (const struct window_column *column = part->columns; column->bytes; column++)
      if (!valid_column(window, part, column, limits, sums)) return false;
    if (!valid_rows(window, part)) return false;
  }
  for (size_t i = 0; i < window->cell_count; i++)
    if (window->cells[i].node == RTOP_NODE_FOLDED) window->folded = true;
  return true;
}
