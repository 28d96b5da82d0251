/* SPDX-License-Identifier: MIT */
/* The time of classes and packages on the stack of their busiest thread. */
#include "city_impl.h"
#include "tui/text/reserve.h"
#include <string.h>

/* A group is on a stack if any of its methods is; each stack counts once, and the thread with the largest time counts.
 * So every node stores a way up: the group of its method, or if an ancestor is in the same group, the next group up of
 * which no ancestor is. */
struct city_climb {
  uint32_t group; /* building + 1; 0: the end */
  uint32_t up;    /* node: go on there */
};

static const enum city_level ways[CITY_WAYS] = { CITY_CLASSES, CITY_PACKAGES };

static bool shows(const struct city *city, enum city_level level)
{
  for (uint32_t i = 0; i < city->block_count; i++)
    if (city_level_of(city, &city->blocks[i]) == level) return true;
  return false;
}

static uint32_t group_of(const struct city *city, uint32_t frame, enum city_level level)
{
  const struct city_frame *known = frame < city->frame_capacity ? &city->frames[frame] : NULL;
  return known == NULL ? 0 : level == CITY_CLASSES ? known->kind : known->package;
}

static struct city_climb climb_of(const struct city *city, const struct city_climb *climbs,
                                  const struct rtop_call_node *call, enum city_level level)
{
  uint32_t group = group_of(city, call->frame, level), parent = call->parent;
  const struct city_climb *above = &climbs[parent];
  while (above->group != 0 && above->group != group) above = &climbs[above->up];
  return group != 0 && above->group == 0 ? (struct city_climb){ group, parent } : climbs[parent];
}

/* Updates the ways of new nodes; those of all nodes after methods were added or ids reused. */
static bool climb(struct city *city, const struct rtop_symbols *symbols)
{
  uint32_t count = rtop_symbols_node_count(symbols);
  for (int way = 0; way < CITY_WAYS; way++)
    if (!rtop_reserve(&city->climbs[way], &city->climb_capacity[way], count, sizeof **city->climbs)) return false;
  uint32_t reuses = rtop_symbols_reuses(symbols);
  bool same = city->climbed_buildings == city->count && city->climbed_reuses == reuses;
  uint32_t from = same && city->climbed > 0 ? city->climbed : 1;
  for (uint32_t node = from; node < count; node++) {
    const struct rtop_call_node *call = rtop_symbols_get_node(symbols, node);
    for (int way = 0; way < CITY_WAYS; way++) {
      city->climbs[way][node] =
          call->parent < node ? climb_of(city, city->climbs[way], call, ways[way]) : (struct city_climb){ 0 };
    }
  }
  city->climbed = count;
  city->climbed_buildings = city->count;
  city->climbed_reuses = reuses;
  return true;
}

/* The thread at hand. */
struct walk {
  struct city *city;
  uint32_t touched; /* groups with wall_ns > 0 */
};

static void add_stack(struct walk *walk, const struct city_climb *climbs, uint32_t node, uint64_t wall_ns)
{
  struct city *city = walk->city;
  for (const struct city_climb *at = &climbs[node]; at->group != 0; at = &climbs[at->up]) {
    uint32_t group = at->group - 1;
    if (city->wall_ns[group] == 0) city->touched[walk->touched++] = group;
    city->wall_ns[group] += wall_ns;
  }
}

static void end_thread(struct walk *walk)
{
  struct city *city = walk->city;
  for (uint32_t i = 0; i < walk->touched; i++) {
    uint32_t at = city->touched[i];
    uint64_t *most_ns = &city->pulses[at].most_ns;
    *most_ns = city->wall_ns[at] > *most_ns ? city->wall_ns[at] : *most_ns;
    city->wall_ns[at] = 0;
  }
  walk->touched = 0;
}

static void forget_groups(struct city *city)
{
  for (uint32_t i = 0; i < city->count; i++)
    if (city->buildings[i].level != CITY_METHODS) city->pulses[i].most_ns = 0;
}

/* Sorts the cells by thread, by counting. */
static bool by_thread(struct city *city, const struct rtop_sum *sum)
{
  size_t threads = 0;
  for (size_t i = 0; i < sum->cell_count; i++)
    threads = sum->cells[i].thread >= threads ? sum->cells[i].thread + (size_t)1 : threads;
  if (!rtop_reserve(&city->cells, &city->cells_capacity, sum->cell_count + 1, sizeof *city->cells) ||
      !rtop_reserve(&city->from, &city->from_capacity, threads + 2, sizeof *city->from))
    return false;
  memset(city->from, 0, (threads + 2) * sizeof *city->from);
  for (size_t i = 0; i < sum->cell_count; i++) city->from[sum->cells[i].thread + 2]++;
  for (size_t i = 2; i < threads + 2; i++) city->from[i] += city->from[i - 1];
  for (size_t i = 0; i < sum->cell_count; i++) city->cells[city->from[sum->cells[i].thread + 1]++] = (uint32_t)i;
  return true;
}

static void walk_cells(struct city *city, const struct rtop_sum *sum)
{
  struct walk walk = { .city = city };
  bool wanted[CITY_WAYS];
  for (int way = 0; way < CITY_WAYS; way++) wanted[way] = shows(city, ways[way]);
  for (size_t i = 0; i < sum->cell_count; i++) {
    const struct rtop_sum_cell *cell = &sum->cells[city->cells[i]];
    uint64_t wall_ns = rtop_sum_hides(sum, cell) ? 0 : rtop_cost_wall(&cell->cost);
    for (int way = 0; wall_ns > 0 && way < CITY_WAYS; way++)
      if (wanted[way]) add_stack(&walk, city->climbs[way], cell->node, wall_ns);
    if (i + 1 == sum->cell_count || sum->cells[city->cells[i + 1]].thread != cell->thread) end_thread(&walk);
  }
}

bool city_groups(struct city *city, const struct rtop_sum *sum, const struct rtop_symbols *symbols)
{
  if (city->groups_known) forget_groups(city);
  city->groups_known = (shows(city, CITY_CLASSES) || shows(city, CITY_PACKAGES)) && sum->length_ns > 0;
  if (!city->groups_known) return true;
  if (!rtop_reserve(&city->wall_ns, &city->wall_capacity, city->count, sizeof *city->wall_ns) ||
      !rtop_reserve(&city->touched, &city->touched_capacity, city->count, sizeof *city->touched) ||
      !climb(city, symbols) || !by_thread(city, sum))
    return false;
  walk_cells(city, sum);
  return true;
}
