#include "live_impl.h"

#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

static size_t place_slot(const struct rtop_live *live, uint32_t thread, uint32_t node)
{
  uint64_t hash = ((uint64_t)thread << 32 | node) * UINT64_C(0x9E3779B97F4A7C15);
  size_t mask = live->slot_count - 1, at = (size_t)(hash >> 32) & mask;
  while (live->slots[at]) {
    const struct live_place *place = &live->places[live->slots[at]];
    if (place->node == node && place->thread == thread) break;
    at = (at + 1) & mask;
  }
  return at;
}

static bool places_grow(struct rtop_live *live)
{
  if (((size_t)live->place_count + 2) * 2 > live->slot_count) {
    size_t count = live->slot_count ? live->slot_count * 2 : 1024;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots) return false;
    free(live->slots);
    live->slots = slots;
    live->slot_count = count;
    for (uint32_t i = 1; i < live->place_count; i++)
      slots[place_slot(live, live->places[i].thread, live->places[i].node)] = i;
  }
  return rtop_reserve(&live->places, &live->place_capacity, (size_t)live->place_count + 2, sizeof *live->places);
}

static void depths_clear(struct live_depths *depths)
{
  for (uint32_t depth = 0; depth <= depths->deepest && depth < depths->capacity; depth++) depths->first[depth] = 0;
  depths->deepest = 0;
}

void live_places_restart(struct rtop_live *live)
{
  depths_clear(&live->node_depths);
  if (live->slots) memset(live->slots, 0, live->slot_count * sizeof *live->slots);
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

/* The node over all threads, when what it is called from is there. False: memory ran out. */
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
  if (!live->slot_count && !places_grow(live)) return 0;
  uint32_t known = live->slots[place_slot(live, thread, node)];
  if (known) return known;
  uint32_t entry = live_entry(live, node);
  if (entry == LIVE_NONE || !places_grow(live)) return 0;
  uint32_t place = live->place_count++;
  live->places[place] = (struct live_place){ .thread = thread, .node = node, .entry = entry };
  live->slots[place_slot(live, thread, node)] = place;
  return place;
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
  struct rtop_live *live = (struct rtop_live *)asked; /* to a caller it stays as it is */
  if (!rtop_reserve(&live->spent, &live->spent_capacity, (size_t)live->node_count + 1, sizeof *live->spent))
    return NULL;
  if (!live->spent_known) add_up(live);
  live->spent_known = true;
  return live->spent;
}
