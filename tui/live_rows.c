#include "live_impl.h"

#include "reserve.h"
#include <string.h>

static bool push(uint32_t **list, size_t *capacity, uint32_t *count, uint32_t value)
{
  if (!rtop_reserve(list, capacity, (size_t)*count + 1, sizeof **list))
    return false;
  (*list)[(*count)++] = value;
  return true;
}

static bool has_frame(struct rtop_live *live, uint32_t frame)
{
  return frame < live->frame_capacity ||
         rtop_reserve(&live->frames, &live->frame_capacity, rtop_symbols_frame_count(live->symbols),
                      sizeof *live->frames);
}

static void touch(struct rtop_live *live, uint32_t frame)
{
  struct live_row *beside = &live->beside[live->frames[frame].row - 1];
  if (beside->touched)
    return;
  beside->touched = true;
  if (!push(&live->touched, &live->touched_capacity, &live->touched_count, frame))
    live->failed = true;
}

struct rtop_method_row *live_row(struct rtop_live *live, uint32_t frame)
{
  if (!has_frame(live, frame))
    return NULL;
  struct live_frame *entry = &live->frames[frame];
  if (entry->row)
    return &live->rows[entry->row - 1];
  if (!rtop_reserve(&live->rows, &live->row_capacity, (size_t)live->row_count + 1, sizeof *live->rows) ||
      !rtop_reserve(&live->beside, &live->beside_capacity, (size_t)live->row_count + 1,
                    sizeof *live->beside))
    return NULL;
  live->rows[live->row_count] = (struct rtop_method_row){.frame = frame};
  live->beside[live->row_count] = (struct live_row){0};
  entry->row = ++live->row_count;
  live_most_changed(live, frame);
  return &live->rows[entry->row - 1];
}

void live_row_add(struct rtop_live *live, uint32_t frame, const struct rtop_cost *self,
                  const struct rtop_cost *total, uint64_t cells)
{
  struct rtop_method_row *row = live_row(live, frame);
  if (!row) {
    live->failed = true;
    return;
  }
  if (self)
    live_cost_add(&row->self, self);
  if (total)
    live_cost_add(&row->total, total);
  live->beside[row - live->rows].cells += cells;
  touch(live, frame);
}

/* Nobody has it any more: the last row takes its room. */
static void drop_row(struct rtop_live *live, uint32_t frame)
{
  uint32_t at = live->frames[frame].row - 1, last = --live->row_count;
  live->rows[at] = live->rows[last];
  live->beside[at] = live->beside[last];
  live->frames[live->rows[at].frame].row = at + 1;
  live->frames[frame].row = 0;
}

/* Which methods are on stacks at the end of the span: what was so at the last update is taken back. */
static void count_stacks(struct rtop_live *live, const struct rtop_sum *sum)
{
  for (uint32_t i = 0; i < live->stacked_count; i++) {
    struct rtop_method_row *row = live_row(live, live->stacked[i]);
    if (row) {
      row->threads = 0;
      touch(live, live->stacked[i]);
    }
  }
  live->stacked_count = 0;
  for (size_t i = 0; i < sum->thread_count; i++) {
    const struct rtop_thread_row *thread = &sum->threads[i];
    live->epoch++;
    if (thread->ended || thread->hidden)
      continue;
    for (uint32_t node = thread->node; node;) {
      const struct rtop_call_node *call = rtop_symbols_get_node(live->symbols, node);
      struct rtop_method_row *row = live_row(live, call->frame);
      if (row && live->frames[call->frame].seen != live->epoch) {
        live->frames[call->frame].seen = live->epoch;
        if (row->threads++ == 0) {
          touch(live, call->frame);
          if (!push(&live->stacked, &live->stacked_capacity, &live->stacked_count, call->frame))
            live->failed = true;
        }
      }
      live->failed = live->failed || !row;
      node = call->parent < node ? call->parent : 0;
    }
  }
}

static void take_ratios(struct rtop_live *live)
{
  uint32_t count;
  const uint32_t *frames = live_shares_finish(live, &count);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t row = frames[i] < live->frame_capacity ? live->frames[frames[i]].row : 0;
    if (!row)
      continue;
    live->rows[row - 1].most_ns = live_most_ns(live, frames[i]);
    touch(live, frames[i]);
  }
}

static uint64_t clock_of(const struct rtop_cost *cost, enum rtop_mode mode)
{
  return mode == RTOP_MODE_CPU ? cost->cpu_ns : rtop_cost_wall(cost);
}

static void take_clock(struct rtop_live *live, struct rtop_method_row *row)
{
  row->self_ns = clock_of(&row->self, live->mode);
  row->total_ns = clock_of(&row->total, live->mode);
}

void live_rows_finish(struct rtop_live *live, const struct rtop_sum *sum)
{
  live->length_ns = sum->length_ns;
  count_stacks(live, sum);
  take_ratios(live);
  for (uint32_t i = 0; i < live->touched_count; i++) {
    uint32_t at = live->frames[live->touched[i]].row - 1;
    live->beside[at].touched = false;
    take_clock(live, &live->rows[at]);
    if (!live->beside[at].cells && !live->rows[at].threads)
      drop_row(live, live->touched[i]);
  }
  uint32_t *told = live->told;
  size_t capacity = live->told_capacity;
  live->told = live->touched;
  live->told_count = live->touched_count;
  live->told_capacity = live->touched_capacity;
  live->touched = told;
  live->touched_capacity = capacity;
  live->touched_count = 0;
}

void live_rows_restart(struct rtop_live *live)
{
  for (uint32_t i = 0; i < live->row_count; i++)
    live->frames[live->rows[i].frame].row = 0;
  live->row_turn++;                    /* nobody can follow */
  live->row_count = live->touched_count = live->stacked_count = 0;
}
