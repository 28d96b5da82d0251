/* SPDX-License-Identifier: MIT */
/* Cuts the time of each place into the parts of its points. */
#include "divide.h"

#include "ext/base/draw.h"

static uint32_t add_window(struct division *division, uint32_t count, const struct points *points, uint32_t place)
{
  for (uint32_t i = 0; i < points->count && count < DIVIDE_POINTS_MAX; i++)
    if (points->entries[i].place == place) division->entries[count++] = points->entries[i];
  return count;
}

static int64_t weight_from(const struct division *division, uint32_t begin, uint32_t end)
{
  int64_t weight_ns = 0;
  for (uint32_t i = begin; i < end; i++) weight_ns += division->entries[i].weight_ns;
  return weight_ns;
}

/* Of those before, the latest first, as much as is missing. */
static uint32_t add_last(struct division *division, uint32_t count, const struct points *points, uint32_t place,
                         uint32_t window, int64_t missing_ns)
{
  for (uint32_t i = 1; i <= POINTS_LAST && i <= points->lasts[place] && missing_ns > 0; i++) {
    const struct last_point *last = &points->last[place][(points->lasts[place] - i) % POINTS_LAST];
    if (window - last->window > STRATA_LATELY_WINDOWS || count == DIVIDE_POINTS_MAX) break;
    if (last->window == window) continue; /* it is one of this window */
    int64_t weight_ns = last->weight_ns < missing_ns ? last->weight_ns : missing_ns;
    division->entries[count++] = (struct point){ .node = last->node, .place = place, .weight_ns = weight_ns };
    missing_ns -= weight_ns;
  }
  return count;
}

static void set_scale(struct division *division, uint32_t place, int64_t waiting_ns)
{
  double weight = (double)weight_from(division, division->begin[place], division->end[place]);
  division->scale[place] = weight > 0 && waiting_ns > 0 ? (double)waiting_ns / weight : 0;
  division->at[place] = division->begin[place];
  division->used_ns[place] = 0;
}

void divide_window(struct division *division, const struct points *points, const int64_t waiting_ns[STRATA_PLACES],
                   uint32_t window, int64_t period_ns, uint32_t *random)
{
  uint32_t count = 0;
  for (uint32_t place = 0; place < STRATA_PLACES; place++) {
    uint32_t begin = count;
    count = add_window(division, count, points, place);
    int64_t missing_ns = DIVIDE_PERIODS_LEAST * period_ns - weight_from(division, begin, count);
    count = add_last(division, count, points, place, window, missing_ns);
    division->begin[place] = begin;
    division->end[place] = count;
    set_scale(division, place, waiting_ns[place]);
    /* Threads are always cut in the same order, and points stand in that of time. */
    if (count > begin) division->at[place] = begin + (uint32_t)draw_ns(random, 0, count - begin);
  }
}

void divide_collapse(struct division *division, uint32_t place, const struct points *points, int64_t waiting_ns)
{
  uint32_t count = 0;
  for (uint32_t other = 0; other < STRATA_PLACES; other++)
    if (division->end[other] > count) count = division->end[other];
  division->begin[place] = count;
  for (uint32_t i = 0; i < points->count && count < DIVIDE_POINTS_MAX; i++)
    if (points->entries[i].place < STRATA_COUNT) division->entries[count++] = points->entries[i];
  division->end[place] = count;
  set_scale(division, place, waiting_ns);
}

static void go_on(struct division *division, uint32_t place)
{
  division->used_ns[place] = 0;
  if (++division->at[place] >= division->end[place]) division->at[place] = division->begin[place];
}

/* A lane may have more than hooks told of, by what came meanwhile: then the points are gone through once more. */
int64_t divide_next(struct division *division, uint32_t place, int64_t wall_ns, uint32_t *node)
{
  if (!divide_knows(division, place) || wall_ns <= 0) return 0;
  const struct point *point = &division->entries[division->at[place]];
  double part = (double)point->weight_ns * division->scale[place];
  int64_t left = (int64_t)(part - division->used_ns[place]);
  *node = point->node;
  if (left < 1) { /* less than a nanosecond is left of it, or nothing is known of how much there is */
    go_on(division, place);
    left = part < 1 ? wall_ns : 1;
    return left < wall_ns ? left : wall_ns;
  }
  if (left > wall_ns) {
    division->used_ns[place] += (double)wall_ns;
    return wall_ns;
  }
  go_on(division, place);
  return left;
}
