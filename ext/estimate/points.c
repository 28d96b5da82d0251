/* SPDX-License-Identifier: MIT */
/* Counts points, and keeps the last of each place. */
#include "points.h"

#include "ext/base/draw.h"
#include <stddef.h>

static void add_last(struct points *points, uint32_t place, uint32_t node, int64_t weight_ns, uint32_t window)
{
  struct last_point last = { .node = node, .window = window, .weight_ns = weight_ns };
  points->last[place][points->lasts[place]++ % POINTS_LAST] = last;
}

/* The entry for one more; NULL: chance leaves it out. */
static struct point *room(struct points *points)
{
  if (points->count < POINTS_MAX) return &points->entries[points->count++];
  if (!points->random) points->random = points->told | 1;
  int64_t at = draw_ns(&points->random, 0, points->told);
  return at < POINTS_MAX ? &points->entries[at] : NULL;
}

void points_add(struct points *points, uint32_t place, uint32_t node, int64_t weight_ns, uint32_t window)
{
  struct point *last = points->count ? &points->entries[points->count - 1] : NULL;
  if (weight_ns < 1) weight_ns = 1;
  add_last(points, place, node, weight_ns, window);
  points->told++;
  if (last && last->node == node && last->place == place) {
    last->weight_ns += weight_ns;
    return;
  }
  struct point *point = room(points);
  if (point) *point = (struct point){ .node = node, .place = place, .weight_ns = weight_ns };
}

void points_clear(struct points *points)
{
  points->count = points->told = 0;
}
