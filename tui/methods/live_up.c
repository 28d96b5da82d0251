/* SPDX-License-Identifier: MIT */
/* Propagates changes of cells up the stacks, deepest first, so that an update visits each node once. */
#include "live_impl.h"

#include "tui/text/reserve.h"
#include <string.h>

static bool cost_is_zero(const struct rtop_cost *cost)
{
  uint64_t any = cost->cpu_ns | cost->blame_ns | cost->allocations | cost->samples;
  for (int state = 0; state < RTOP_STATES; state++) any |= cost->wall_ns[state];
  return any == 0;
}

/* Returns the pending change of a node; NULL: memory ran out. Valid until the next call. */
static struct live_up *up_of(struct rtop_live *live, uint32_t entry)
{
  struct rtop_live_node *node = &live->nodes[entry];
  if (node->change) return &live->ups[node->change - 1];
  if (!rtop_reserve(&live->ups, &live->up_capacity, (size_t)live->up_count + 1, sizeof *live->ups)) {
    live->failed = true;
    return NULL;
  }
  struct live_up *up = &live->ups[live->up_count];
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what was reserved is there */
  *up = (struct live_up){ .entry = entry };
  if (!live_depths_push(&live->node_depths, node->depth, live->up_count, &up->next)) {
    live->failed = true;
    return NULL;
  }
  node->change = ++live->up_count;
  return up;
}

void live_node_change(struct rtop_live *live, uint32_t entry, const struct rtop_cost *cost, uint64_t cells)
{
  struct live_up *up = up_of(live, entry);
  if (!up) return;
  rtop_cost_add(&up->self, cost);
  rtop_cost_add(&up->total, cost);
  up->cells += cells;
  up->own_cells += cells;
  up->own = true;
}

static void stack_change(struct rtop_live *live, struct live_thread *thread, uint32_t stack)
{
  struct live_up *up = NULL;
  if (thread->stack == stack) return;
  if (thread->stack && (up = up_of(live, thread->stack - 1))) up->threads--;
  if (stack && (up = up_of(live, stack - 1))) up->threads++;
  thread->stack = stack;
}

void live_stacks_change(struct rtop_live *live, const struct rtop_sum *sum)
{
  uint32_t turn = (uint32_t)live->turn + 1, before = live->standing_count;
  for (size_t i = 0; i < sum->thread_count; i++) {
    const struct rtop_thread_row *row = &sum->threads[i];
    struct live_thread *thread = &live->threads[row->thread];
    bool stands = !row->ended && !row->stale && !row->hidden && !row->left_out && row->node;
    uint32_t entry = stands ? live_entry(live, row->node) : LIVE_NONE;
    live->failed = live->failed || (stands && entry == LIVE_NONE);
    if (!thread->stack && entry != LIVE_NONE) {
      if (!rtop_reserve(&live->standing, &live->standing_capacity, (size_t)live->standing_count + 1,
                        sizeof *live->standing)) {
        live->failed = true;
        continue;
      }
      live->standing[live->standing_count++] = row->thread;
    }
    thread->seen = turn;
    stack_change(live, thread, entry == LIVE_NONE ? 0 : entry + 1);
  }
  uint32_t kept = 0;
  for (uint32_t i = 0; i < live->standing_count; i++) {
    struct live_thread *thread = &live->threads[live->standing[i]];
    if (i < before && thread->seen != turn) stack_change(live, thread, 0);
    if (thread->stack) live->standing[kept++] = live->standing[i];
  }
  live->standing_count = kept;
}

static bool cell_make(struct rtop_live *live, uint32_t index)
{
  struct live_place *place = &live->places[index];
  if (!rtop_reserve(&live->cells, &live->cell_capacity, (size_t)live->cell_count + 1, sizeof *live->cells) ||
      !rtop_reserve(&live->cell_places, &live->cell_place_capacity, (size_t)live->cell_count + 1,
                    sizeof *live->cell_places))
    return false;
  live->cells[live->cell_count] =
      (struct rtop_sum_cell){ .node = place->node, .thread = live->threads[place->thread].row - 1 };
  live->cell_places[live->cell_count] = index;
  place->cell = ++live->cell_count;
  return true;
}

/* The last one takes its room. */
static void cell_drop(struct rtop_live *live, struct live_place *place)
{
  uint32_t at = place->cell - 1, last = --live->cell_count;
  live->cells[at] = live->cells[last];
  live->cell_places[at] = live->cell_places[last];
  live->places[live->cell_places[at]].cell = at + 1;
  place->cell = 0;
}

/* Applies the change of a place to its cell, its thread and its node, and notes it for the node's callers. */
static void settle_one(struct rtop_live *live, const struct live_delta *delta)
{
  struct live_place *place = &live->places[delta->place];
  bool had = place->windows > 0;
  place->delta = 0;
  place->windows += delta->windows;
  if (!delta->windows && cost_is_zero(&delta->cost)) return;
  if (!place->cell && !cell_make(live, delta->place)) {
    live->failed = true;
    return;
  }
  struct live_thread *thread = &live->threads[place->thread];
  rtop_cost_add(&live->cells[place->cell - 1].cost, &delta->cost);
  rtop_cost_add(&thread->cost, &delta->cost);
  rtop_cost_add(&live->total, &delta->cost);
  bool has = place->windows > 0;
  if (!has) cell_drop(live, place);
  if (!thread->hidden) live_node_change(live, place->entry, &delta->cost, (uint64_t)has - (uint64_t)had);
  live->places_used += (uint32_t)has - (uint32_t)had;
}

static void settle_shares(struct rtop_live *live)
{
  for (uint32_t i = 0; i < live->delta_count; i++) {
    const struct live_place *place = &live->places[live->deltas[i].place];
    live_shares_due(live, place->entry, place->thread, rtop_cost_wall(&live->deltas[i].cost));
  }
  live_shares_settle(live);
}

void live_settle(struct rtop_live *live)
{
  for (uint32_t i = 0; i < live->delta_count; i++) settle_one(live, &live->deltas[i]);
  if (live->ratios) settle_shares(live);
  live->delta_count = 0;
}

static bool up_to_parent(struct rtop_live *live, uint32_t parent, uint32_t at)
{
  struct live_up *above = up_of(live, parent);
  const struct live_up *up = &live->ups[at];
  if (!above) return false;
  rtop_cost_add(&above->total, &up->total);
  above->cells += up->cells;
  above->threads += up->threads;
  return true;
}

static void node_up(struct rtop_live *live, uint32_t at)
{
  struct live_up *up = &live->ups[at];
  uint32_t entry = up->entry;
  struct rtop_live_node *node = &live->nodes[entry];
  bool spends = up->own || up->cells || !cost_is_zero(&up->total);
  struct live_gain gain = { .self = up->own ? &up->self : NULL };
  node->change = 0;
  if (!node->frame) {
    /* Time without a frame is at the root, which is on every stack and so has no meaningful total. */
    gain.total = gain.self;
    gain.cells = up->own_cells;
  } else if (node->outermost && spends) {
    gain.total = &up->total;
    gain.cells = up->cells;
  }
  gain.threads = node->outermost ? up->threads : 0;
  if (gain.self || gain.total || gain.threads) live_row_add(live, node->frame, &gain);
  if (entry && (up->threads || spends)) up_to_parent(live, node->parent, at);
}

static void depth_up(struct rtop_live *live, uint32_t *first)
{
  while (*first) {
    uint32_t at = *first - 1;
    *first = live->ups[at].next;
    node_up(live, at);
  }
}

void live_nodes_up(struct rtop_live *live)
{
  struct live_depths *depths = &live->node_depths;
  live->turn++;
  for (uint32_t depth = depths->deepest + 1; depth-- > 0 && depth < depths->capacity;)
    depth_up(live, &depths->first[depth]);
  depths->deepest = 0;
  live->up_count = 0;
}
