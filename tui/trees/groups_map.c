/* SPDX-License-Identifier: MIT */
/* Callers on top, and the map. */
#include "groups_map.h"

uint64_t rtop_groups_most(const struct rtop_groups *groups, enum rtop_groups_measure measure)
{
  return rtop_groups_band(groups, measure, 0, 1).most;
}

static uint32_t depth_at(const struct rtop_groups *groups, size_t place)
{
  return groups->rows[place].depth;
}

size_t rtop_groups_above(const struct rtop_groups *groups, size_t top, size_t most,
                         size_t places[RTOP_GROUPS_ABOVE_MAX])
{
  size_t count = 0, of = top;
  most = most < RTOP_GROUPS_ABOVE_MAX ? most : RTOP_GROUPS_ABOVE_MAX;
  /* Each top line covers a row, and the next visible row may have fewer callers. */
  while (count < most && top + count < groups->count && depth_at(groups, top + count) > count) count++;
  if (count == 0) return 0;
  of = top + count < groups->count && depth_at(groups, top + count) >= count ? top + count : top + count - 1;
  size_t depth = depth_at(groups, of), cut = depth > count && count == most ? depth - count : 0;
  for (size_t place = of; place-- > 0 && depth > 0;) {
    if (depth_at(groups, place) >= depth) continue;
    depth = depth_at(groups, place);
    if (depth == 0) places[0] = place;
    else if (depth > cut && depth - cut < count) places[depth - cut] = place;
  }
  return count;
}

struct rtop_groups_band rtop_groups_band(const struct rtop_groups *groups, enum rtop_groups_measure measure, size_t row,
                                         size_t rows)
{
  struct rtop_groups_band band = { .first = groups->count * row / rows, .end = groups->count * (row + 1) / rows };
  band.depth = band.first < band.end ? depth_at(groups, band.first) : 0;
  for (size_t place = band.first; place < band.end; place++) {
    const struct rtop_group_row *at = &groups->rows[place];
    struct rtop_groups_cost cost = { 0 };
    if (at->key != 0) cost = rtop_groups_cost(groups, at);
    uint64_t value = rtop_groups_value(&cost, measure);
    band.most = value > band.most ? value : band.most;
    band.depth = at->depth < band.depth ? at->depth : band.depth;
  }
  return band;
}
