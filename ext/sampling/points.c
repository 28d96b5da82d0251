/* Counts points, and keeps the last of each place. */
#include "points.h"

#include "ext/base/draw.h"
#include <stddef.h>

static uint16_t weight_of(uint32_t instants)
{
  return (uint16_t)(instants < UINT16_MAX ? instants : UINT16_MAX);
}

static void add_last(struct points *points, uint32_t place, uint32_t node, uint32_t weight, uint32_t window)
{
  struct last_point last = { .node = node, .window = window, .weight = weight_of(weight) };
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

void points_add(struct points *points, uint32_t place, uint32_t node, uint32_t weight, uint32_t window)
{
  struct point *last = points->count ? &points->entries[points->count - 1] : NULL;
  add_last(points, place, node, weight, window);
  points->told++;
  if (last && last->node == node && last->place == place && last->weight + weight <= UINT16_MAX) {
    last->weight = (uint16_t)(last->weight + weight);
    return;
  }
  struct point *point = room(points);
  if (!point) return;
  *point = (struct point){ .node = node, .place = (uint16_t)place, .weight = weight_of(weight) };
}

void points_clear(struct points *points)
{
  points->count = points->told = 0;
}
