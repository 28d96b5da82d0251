#include "live_impl.h"

#include "reserve.h"
#include <string.h>

enum { LIVE_AHEAD = 4 };

static bool cost_is_zero(const struct rtop_cost *cost)
{
  uint64_t any = cost->cpu_ns | cost->blame_ns | cost->allocations | cost->samples;
  for (int state = 0; state < RTOP_STATES; state++)
    any |= cost->wall_ns[state];
  return any == 0;
}

static void list_node(struct rtop_live *live, uint32_t entry)
{
  struct live_pending *pending = &live->pending[entry];
  if (pending->listed)
    return;
  pending->listed = true;
  if (!live_depths_push(&live->node_depths, live->nodes[entry].depth, entry, &pending->next))
    live->failed = true;
}

void live_node_change(struct rtop_live *live, uint32_t entry, const struct rtop_cost *cost, uint64_t cells)
{
  live_cost_add(&live->nodes[entry].self, cost);
  live_cost_add(&live->pending[entry].self, cost);
  live_cost_add(&live->pending[entry].cost, cost);
  live->pending[entry].cells += cells;
  list_node(live, entry);
  uint32_t frame = live->nodes[entry].frame;
  /* Time that nobody has stands under the root, which is on every stack: that says nothing. */
  live_row_add(live, frame, cost, frame ? NULL : cost, frame ? 0 : cells);
}

static bool cell_make(struct rtop_live *live, uint32_t index)
{
  struct live_place *place = &live->places[index];
  if (!rtop_reserve(&live->cells, &live->cell_capacity, (size_t)live->cell_count + 1,
                    sizeof *live->cells) ||
      !rtop_reserve(&live->cell_places, &live->cell_place_capacity, (size_t)live->cell_count + 1,
                    sizeof *live->cell_places))
    return false;
  live->cells[live->cell_count] = (struct rtop_sum_cell){
    .node = place->node, .thread = live->threads[place->thread].row - 1};
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

/* The change of one place: to its cell, its thread, its node, and on the way up. */
static void settle_one(struct rtop_live *live, const struct live_delta *delta)
{
  struct live_place *place = &live->places[delta->place];
  bool had = place->windows > 0;
  place->delta = 0;
  place->windows += delta->windows;
  if (!delta->windows && cost_is_zero(&delta->cost))
    return;
  if (!place->cell && !cell_make(live, delta->place)) {
    live->failed = true;
    return;
  }
  struct live_thread *thread = &live->threads[place->thread];
  live_cost_add(&live->cells[place->cell - 1].cost, &delta->cost);
  live_cost_add(&thread->cost, &delta->cost);
  live_cost_add(&live->total, &delta->cost);
  bool has = place->windows > 0;
  if (!has)
    cell_drop(live, place);
  if (!thread->hidden)
    live_node_change(live, place->entry, &delta->cost, (uint64_t)has - (uint64_t)had);
  live->places_used += (uint32_t)has - (uint32_t)had;
}

static void fetch_row(const struct rtop_live *live, uint32_t frame)
{
  uint32_t row = frame < live->frame_capacity ? live->frames[frame].row : 0;
  if (!row)
    return;
  live_fetch(&live->rows[row - 1], sizeof *live->rows);
  live_fetch(&live->beside[row - 1], sizeof *live->beside);
}

static void fetch_entry(const struct rtop_live *live, uint32_t entry)
{
  live_fetch(&live->nodes[entry], sizeof *live->nodes);
  live_fetch(&live->pending[entry], sizeof *live->pending);
}

/* What the deltas after this one will change: each step needs what the one before it has brought. */
static void fetch_ahead(const struct rtop_live *live, uint32_t at)
{
  const struct live_delta *deltas = live->deltas;
  uint32_t count = live->delta_count;
  if (count - at > 4 * LIVE_AHEAD)
    live_fetch(&live->places[deltas[at + 4 * LIVE_AHEAD].place], sizeof *live->places);
  if (count - at > 3 * LIVE_AHEAD) {
    const struct live_place *place = &live->places[deltas[at + 3 * LIVE_AHEAD].place];
    fetch_entry(live, place->entry);
    if (place->cell)
      live_fetch(&live->cells[place->cell - 1], sizeof *live->cells);
  }
  if (count - at > 2 * LIVE_AHEAD) {
    uint32_t frame = live->nodes[live->places[deltas[at + 2 * LIVE_AHEAD].place].entry].frame;
    if (frame < live->frame_capacity)
      live_fetch(&live->frames[frame], sizeof *live->frames);
  }
  if (count - at > LIVE_AHEAD)
    fetch_row(live, live->nodes[live->places[deltas[at + LIVE_AHEAD].place].entry].frame);
}

/* What falls before what grows: then no thread leads for a moment only. */
static void settle_shares(struct rtop_live *live, bool falls)
{
  for (uint32_t i = 0; i < live->delta_count; i++) {
    const struct live_place *place = &live->places[live->deltas[i].place];
    uint64_t wall_ns = rtop_cost_wall(&live->deltas[i].cost);
    if (wall_ns && wall_ns >> 63 == falls)
      live_shares_add(live, place->entry, place->thread, wall_ns);
  }
}

void live_settle(struct rtop_live *live)
{
  for (uint32_t i = 0; i < live->delta_count; i++) {
    fetch_ahead(live, i);
    settle_one(live, &live->deltas[i]);
  }
  if (live->ratios) {
    settle_shares(live, true);
    settle_shares(live, false);
  }
  live->delta_count = 0;
}

static void node_up(struct rtop_live *live, uint32_t entry)
{
  struct rtop_live_node *node = &live->nodes[entry];
  struct live_pending *pending = &live->pending[entry];
  live_cost_add(&node->total, &pending->cost);
  node->cells += pending->cells;
  if (node->outermost)
    live_row_add(live, node->frame, NULL, &pending->cost, pending->cells);
  if (entry && (pending->cells || !cost_is_zero(&pending->cost))) {
    live_cost_add(&live->pending[node->parent].cost, &pending->cost);
    live->pending[node->parent].cells += pending->cells;
    list_node(live, node->parent);
  }
  if (rtop_reserve(&live->changes, &live->change_capacity, (size_t)live->change_count + 1,
                   sizeof *live->changes))
    live->changes[live->change_count++] =
      (struct rtop_live_change){entry, pending->self, pending->cost, pending->cells};
  else
    live->failed = true;
  *pending = (struct live_pending){0};
}

void live_nodes_up(struct rtop_live *live)
{
  struct live_depths *depths = &live->node_depths;
  live->turn++;
  live->change_count = 0;
  for (uint32_t depth = depths->deepest + 1; depth-- > 0 && depth < depths->capacity;)
    while (depths->first[depth]) {
      uint32_t entry = depths->first[depth] - 1;
      depths->first[depth] = live->pending[entry].next;
      if (depths->first[depth])
        fetch_entry(live, depths->first[depth] - 1);
      node_up(live, entry);
    }
  depths->deepest = 0;
}
