/* SPDX-License-Identifier: MIT */
/* Finds where changes of a live sum belong: places (thread, node), and nodes over all threads. */
#include "live_impl.h"

#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

static void depths_clear(struct live_depths *depths)
{
  for (uint32_t depth = 0; depth <= depths->deepest && depth < depths->capacity; depth++) depths->first[depth] = 0;
  depths->deepest = 0;
}

void live_places_restart(struct rtop_live *live)
{
  depths_clear(&live->node_depths);
  rtop_pairs_clear(&live->place_of);
  for (uint32_t i = 0; i < live->node_count; i++) live->entry_of[live->nodes[i].node] = 0;
  live->turn++;
  live->place_count = 1;
  live->node_count = live->cell_count = live->delta_count = live->up_count = live->places_used = 0;
}

static bool is_outermost(const struct rtop_live *live, uint32_t entry, uint32_t frame)
{
  const struct live_climb *climb = &live->climbs[entry];
  while (climb->frame && climb->frame != frame) climb = &live->climbs[climb->up];
  return climb->frame != frame;
}

/* Adds a node over all threads whose parent exists. False: memory ran out. */
static bool entry_make(struct rtop_live *live, uint32_t node, uint32_t parent)
{
  const struct rtop_call_node *call = rtop_symbols_get_node(live->symbols, node);
  if (!rtop_reserve(&live->nodes, &live->node_capacity, (size_t)live->node_count + 1, sizeof *live->nodes) ||
      !rtop_reserve(&live->climbs, &live->climb_capacity, (size_t)live->node_count + 1, sizeof *live->climbs))
    return false;
  uint32_t entry = live->node_count++;
  live->nodes[entry] = (struct rtop_live_node){
    .node = node,
    .parent = parent,
    .frame = call->frame,
    .depth = (node ? live->nodes[parent].depth + 1 : 0) & INT32_MAX,
    .outermost = node && is_outermost(live, parent, call->frame),
  };
  if (live->nodes[entry].outermost && call->frame) live->climbs[entry] = (struct live_climb){ call->frame, parent };
  else live->climbs[entry] = node ? live->climbs[parent] : (struct live_climb){ 0 };
  live->entry_of[node] = entry + 1;
  return true;
}

uint32_t live_entry(struct rtop_live *live, uint32_t node)
{
  size_t depth = 0;
  if (!rtop_reserve(&live->entry_of, &live->entry_capacity, rtop_symbols_node_count(live->symbols),
                    sizeof *live->entry_of))
    return LIVE_NONE;
  for (uint32_t at = node; !live->entry_of[at]; at = rtop_symbols_get_node(live->symbols, at)->parent) {
    if (!rtop_reserve(&live->path, &live->path_capacity, depth + 1, sizeof *live->path)) return LIVE_NONE;
    live->path[depth++] = at;
    if (at == 0) break;
  }
  while (depth > 0) {
    uint32_t at = live->path[--depth], parent = rtop_symbols_get_node(live->symbols, at)->parent;
    if (!entry_make(live, at, at ? live->entry_of[parent] - 1 : 0)) return LIVE_NONE;
  }
  return live->entry_of[node] - 1;
}

uint32_t live_place(struct rtop_live *live, uint32_t thread, uint32_t node)
{
  uint32_t *known = rtop_pairs_at(&live->place_of, thread, node);
  if (!known || *known) return known ? *known : 0;
  uint32_t entry = live_entry(live, node);
  if (entry == LIVE_NONE ||
      !rtop_reserve(&live->places, &live->place_capacity, (size_t)live->place_count + 1, sizeof *live->places))
    return 0;
  live->places[live->place_count] = (struct live_place){ .thread = thread, .node = node, .entry = entry };
  *known = live->place_count++;
  return *known;
}

bool live_depths_push(struct live_depths *depths, uint32_t depth, uint32_t index, uint32_t *next)
{
  if (!rtop_reserve(&depths->first, &depths->capacity, (size_t)depth + 1, sizeof *depths->first)) return false;
  *next = depths->first[depth];
  depths->first[depth] = index + 1;
  depths->deepest = depth > depths->deepest ? depth : depths->deepest;
  return true;
}

const struct rtop_live_node *rtop_live_nodes(const struct rtop_live *live, uint32_t *count)
{
  *count = live->node_count;
  return live->nodes;
}

/* A parent comes before its children. */
static void add_up(struct rtop_live *live)
{
  memset(live->spent, 0, live->node_count * sizeof *live->spent);
  for (uint32_t i = 0; i < live->cell_count; i++) {
    const struct live_place *place = &live->places[live->cell_places[i]];
    struct rtop_live_spent *spent = &live->spent[place->entry];
    if (live->threads[place->thread].hidden) continue;
    rtop_cost_add(&spent->self, &live->cells[i].cost);
    spent->cells++;
  }
  for (uint32_t i = live->node_count; i-- > 0;) {
    struct rtop_live_spent *spent = &live->spent[i], *above = &live->spent[live->nodes[i].parent];
    rtop_cost_add(&spent->total, &spent->self);
    if (i == 0 || !spent->cells) continue;
    rtop_cost_add(&above->total, &spent->total);
    above->cells += spent->cells;
  }
}

const struct rtop_live_spent *rtop_live_spent(const struct rtop_live *asked)
{
  struct rtop_live *live = (struct rtop_live *)asked; /* The cast is harmless: for the caller
                                                         the live sum is unchanged. */
  if (!rtop_reserve(&live->spent, &live->spent_capacity, (size_t)live->node_count + 1, sizeof *live->spent))
    return NULL;
  if (!live->spent_known) add_up(live);
  live->spent_known = true;
  return live->spent;
}
