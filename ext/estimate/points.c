/* SPDX-License-Identifier: MIT */
/* Adds points to the open window, and remembers the latest points of each stratum. */
#include "points.h"

#include "ext/base/draw.h"
#include <stddef.h>
#include <string.h>

/* Returns an entry for one more point. When all entries are taken, reservoir sampling decides: either an old point is
 * replaced, or the result is NULL and the new point is dropped. */
static struct point *room(struct points *points)
{
  if (points->count < POINTS_MAX) return &points->entries[points->count++];
  if (!points->random) points->random = points->told | 1;
  int64_t at = draw_ns(&points->random, 0, points->told);
  return at < POINTS_MAX ? &points->entries[at] : NULL;
}

void points_add(struct points *points, const struct point *point)
{
  struct point *last = points->count ? &points->entries[points->count - 1] : NULL;
  struct point one = *point;
  if (one.weight_ns < 1) one.weight_ns = 1;
  points->told++;
  if (last && last->node == one.node && last->stratum == one.stratum && last->thread == one.thread) {
    last->weight_ns += one.weight_ns;
    return;
  }
  struct point *to = room(points);
  if (to) *to = one;
}

void points_take(struct points *points, struct points *taken)
{
  memcpy(taken->entries, points->entries, points->count * sizeof *points->entries);
  taken->count = points->count;
  points->count = points->told = 0;
}

void points_remember(struct points_last *last, const struct points *taken, uint32_t window)
{
  for (uint32_t i = 0; i < taken->count; i++) {
    const struct point *point = &taken->entries[i];
    struct last_point one = { .node = point->node, .window = window, .weight_ns = point->weight_ns };
    last->of[point->stratum][last->told[point->stratum]++ % POINTS_LAST] = one;
  }
}

void points_forget(struct points_last *last, uint32_t strata)
{
  for (uint32_t stratum = 0; stratum < STRATA_COUNT; stratum++)
    if (strata >> stratum & 1) last->told[stratum] = 0;
}
