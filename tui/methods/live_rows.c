/* SPDX-License-Identifier: MIT */
/* The rows of a live sum: one per method, made with its first cell and dropped with the last one. */
#include "live_impl.h"

#include "tui/text/reserve.h"
#include <string.h>

static bool push(uint32_t **list, size_t *capacity, uint32_t *count, uint32_t value)
{
  if (!rtop_reserve(list, capacity, (size_t)*count + 1, sizeof **list)) return false;
  (*list)[(*count)++] = value;
  return true;
}

/* Index; LIVE_NONE: memory ran out. */
static uint32_t row_for(struct rtop_live *live, uint32_t frame)
{
  if (frame < live->row_of_capacity && live->row_of[frame]) return live->row_of[frame] - 1;
  size_t rows = (size_t)live->row_count + 1;
  if (!rtop_reserve(&live->row_of, &live->row_of_capacity, rtop_symbols_frame_count(live->symbols),
                    sizeof *live->row_of) ||
      !rtop_reserve(&live->rows, &live->row_capacity, rows, sizeof *live->rows) ||
      !rtop_reserve(&live->row_cells, &live->row_cell_capacity, rows, sizeof *live->row_cells))
    return LIVE_NONE;
  live->rows[live->row_count] = (struct rtop_method_row){ .frame = frame };
  live->row_cells[live->row_count] = 0;
  live->row_of[frame] = ++live->row_count;
  live_most_changed(live, frame);
  return live->row_count - 1;
}

void live_row_add(struct rtop_live *live, uint32_t frame, const struct live_gain *gain)
{
  uint32_t at = row_for(live, frame);
  if (at == LIVE_NONE) {
    live->failed = true;
    return;
  }
  struct rtop_method_row *row = &live->rows[at];
  if (gain->self) {
    rtop_cost_add(&row->self, gain->self);
    row->self_ns += rtop_mode_clock(gain->self, live->mode);
  }
  if (gain->total) {
    rtop_cost_add(&row->total, gain->total);
    row->total_ns += rtop_mode_clock(gain->total, live->mode);
  }
  row->threads += gain->threads;
  live->row_cells[at] += gain->cells;
  if (!live->row_cells[at] && !row->threads && !push(&live->idle, &live->idle_capacity, &live->idle_count, frame))
    live->failed = true;
}

void live_rows_clock(struct rtop_live *live, enum rtop_mode mode)
{
  live->mode = mode;
  for (uint32_t i = 0; i < live->row_count; i++) {
    live->rows[i].self_ns = rtop_mode_clock(&live->rows[i].self, mode);
    live->rows[i].total_ns = rtop_mode_clock(&live->rows[i].total, mode);
  }
}

/* Drops an empty row; the last row moves to its index. */
static void drop_row(struct rtop_live *live, uint32_t frame)
{
  uint32_t at = live->row_of[frame] - 1, last = --live->row_count;
  live->rows[at] = live->rows[last];
  live->row_cells[at] = live->row_cells[last];
  live->row_of[live->rows[at].frame] = at + 1;
  live->row_of[frame] = 0;
}

/* Drops idle rows. A row may have become non-empty again, and the list may contain it twice. */
static void drop_idle(struct rtop_live *live)
{
  for (uint32_t i = 0; i < live->idle_count; i++) {
    uint32_t row = live->row_of[live->idle[i]];
    if (row && !live->row_cells[row - 1] && !live->rows[row - 1].threads) drop_row(live, live->idle[i]);
  }
  live->idle_count = 0;
}

static void take_ratios(struct rtop_live *live)
{
  uint32_t count;
  const uint32_t *frames = live_shares_finish(live, &count);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t row = frames[i] < live->row_of_capacity ? live->row_of[frames[i]] : 0;
    if (row) live->rows[row - 1].most_ns = live_most_ns(live, frames[i]);
  }
}

void live_rows_finish(struct rtop_live *live, const struct rtop_sum *sum)
{
  live->length_ns = sum->length_ns;
  drop_idle(live);
  take_ratios(live);
}

void live_rows_restart(struct rtop_live *live)
{
  for (uint32_t i = 0; i < live->row_count; i++) live->row_of[live->rows[i].frame] = 0;
  for (uint32_t i = 0; i < live->standing_count; i++) live->threads[live->standing[i]].stack = 0;
  live->row_count = live->idle_count = live->standing_count = 0;
}
