/* SPDX-License-Identifier: MIT */
/* Splits the time of each stratum in proportion to the weights of its points. */
#include "divide.h"

#include "ext/base/draw.h"

/* value of `thread` for a borrowed point, whose thread is unknown */
#define NO_THREAD UINT32_MAX

static void add_part(struct division *division, uint32_t *count, const struct point *point, uint32_t stratum)
{
  if (*count == DIVIDE_POINTS_MAX) return;
  division->parts[(*count)++] = (struct part){
    .node = point->node, .stratum = stratum, .thread = point->thread, .rest_ns = (double)point->weight_ns
  };
}

static uint32_t add_window(struct division *division, uint32_t count, const struct points *points, uint32_t stratum)
{
  for (uint32_t i = 0; i < points->count; i++)
    if (points->entries[i].stratum == stratum) add_part(division, &count, &points->entries[i], stratum);
  return count;
}

/* Borrows earlier points of the stratum, latest first, until missing_ns of weight is reached. */
static uint32_t add_last(struct division *division, uint32_t count, const struct divide_pool *pool, uint32_t stratum,
                         double missing_ns)
{
  uint32_t told = pool->last->told[stratum];
  for (uint32_t i = 1; i <= POINTS_LAST && i <= told && missing_ns > 0; i++) {
    const struct last_point *last = &pool->last->of[stratum][(told - i) % POINTS_LAST];
    if (pool->window - last->window > STRATA_LATELY_WINDOWS) break;
    int64_t weight_ns = (double)last->weight_ns < missing_ns ? last->weight_ns : (int64_t)missing_ns;
    add_part(division, &count, &(struct point){ .node = last->node, .thread = NO_THREAD, .weight_ns = weight_ns },
             stratum);
    missing_ns -= (double)last->weight_ns;
  }
  return count;
}

static double weight_ns(const struct division *division, uint32_t begin, uint32_t end)
{
  double sum = 0;
  for (uint32_t i = begin; i < end; i++) sum += division->parts[i].rest_ns;
  return sum;
}

/* Converts the weights of the parts of a stratum to time. */
static void set_parts(struct division *division, uint32_t stratum, uint32_t begin, uint32_t end, int64_t waiting_ns)
{
  double weight = weight_ns(division, begin, end);
  double scale = weight > 0 && waiting_ns > 0 ? (double)waiting_ns / weight : 0;
  for (uint32_t i = begin; i < end; i++) division->parts[i].rest_ns *= scale;
  division->begin[stratum] = division->at[stratum] = begin;
  division->end[stratum] = end;
}

void divide_window(struct division *division, const struct divide_pool *pool, uint32_t *random)
{
  uint32_t count = 0;
  for (uint32_t stratum = 0; stratum < STRATA_COUNT; stratum++) {
    uint32_t begin = count;
    count = add_window(division, count, pool->points, stratum);
    double missing_ns = (double)(DIVIDE_PERIODS_LEAST * pool->period_ns) - weight_ns(division, begin, count);
    if (stratum < STRATA_KINDS) count = add_last(division, count, pool, stratum, missing_ns);
    set_parts(division, stratum, begin, count, pool->waiting_ns[stratum]);
    /* Starts at a random point: threads are always handled in the same order, and points are in time order, so a fixed
     * start would pair threads and points systematically. */
    if (count > begin) division->at[stratum] = begin + (uint32_t)draw_ns(random, 0, count - begin);
  }
}

void divide_collapse(struct division *division, const struct divide_pool *pool, uint32_t stratum, uint32_t last_node)
{
  uint32_t begin = 0;
  for (uint32_t other = 0; other < STRATA_COUNT; other++)
    if (division->end[other] > begin) begin = division->end[other];
  uint32_t count = begin;
  for (uint32_t i = 0; i < pool->points->count; i++)
    if (pool->points->entries[i].stratum < STRATA_KINDS) add_part(division, &count, &pool->points->entries[i], stratum);
  struct point last = { .node = last_node, .thread = NO_THREAD, .weight_ns = 1 };
  if (count == begin && last_node) add_part(division, &count, &last, stratum);
  set_parts(division, stratum, begin, count, pool->waiting_ns[stratum]);
}

/* Time in ns that earlier parts of this stratum have reserved in the lane of this thread. */
static double set_apart(const struct division *division, uint32_t stratum, uint32_t before, uint32_t thread)
{
  double sum = 0;
  for (uint32_t i = division->begin[stratum]; i < before; i++)
    if (division->parts[i].thread == thread) sum += division->parts[i].own_ns;
  return sum;
}

void divide_own(struct division *division, divide_lane_ns *lane_ns, void *context)
{
  for (uint32_t stratum = 0; stratum < STRATA_COUNT; stratum++) {
    for (uint32_t i = division->begin[stratum]; i < division->end[stratum]; i++) {
      struct part *part = &division->parts[i];
      if (part->thread == NO_THREAD) continue;
      double left = (double)lane_ns(context, part->thread, stratum) - set_apart(division, stratum, i, part->thread);
      part->own_ns = left < part->rest_ns ? left > 0 ? left : 0 : part->rest_ns;
      part->rest_ns -= part->own_ns;
    }
  }
}

static int64_t take(double *from_ns, int64_t wall_ns)
{
  int64_t taken = *from_ns < (double)wall_ns ? (int64_t)*from_ns : wall_ns;
  *from_ns -= (double)taken;
  return taken;
}

/* A lane may hold more time than was divided, because time was added since then; the whole excess goes to the next
 * point. */
int64_t divide_next(struct division *division, uint32_t stratum, uint32_t thread, int64_t wall_ns, uint32_t *node)
{
  uint32_t begin = division->begin[stratum], end = division->end[stratum];
  if (begin == end || wall_ns <= 0) return 0;
  for (uint32_t i = begin; i < end; i++) {
    struct part *part = &division->parts[i];
    *node = part->node;
    if (part->thread == thread && part->own_ns >= 1) return take(&part->own_ns, wall_ns);
  }
  for (uint32_t tries = begin; tries < end; tries++) {
    struct part *part = &division->parts[division->at[stratum]];
    *node = part->node;
    if (part->rest_ns >= 1) return take(&part->rest_ns, wall_ns);
    if (++division->at[stratum] == end) division->at[stratum] = begin;
  }
  *node = division->parts[division->at[stratum]].node;
  if (++division->at[stratum] == end) division->at[stratum] = begin;
  return wall_ns;
}
