/* SPDX-License-Identifier: MIT */
/* Divides running time by the points that sampling instants met: a ratio estimator in each stratum.
 *
 * At a window's end a pool has in each stratum (strata.h) some time, in the lanes of many threads, and some points
 * (points.h). The time is split exactly in proportion to the points' weights. Each part is taken, as far as possible,
 * from the lane of the thread that its point met, and else from lanes with time to spare.
 *
 * A ratio of few points is biased, so with less than four periods of weight, points of earlier windows (up to ten
 * seconds back) are borrowed up to four periods. Time in a stratum without any point waits for up to two seconds and is
 * then divided by all points of the pool (collapsed strata). Time without a core borrows nothing and never waits:
 * without a point of its own it counts as running time.
 *
 * Threads: the publisher. Pure: no clock, no lock, no allocation.
 */
#ifndef RTOP_EXT_DIVIDE_H
#define RTOP_EXT_DIVIDE_H

#include "ext/estimate/points.h"
#include "ext/estimate/strata.h"
#include <stdbool.h>
#include <stdint.h>

enum { DIVIDE_POINTS_MAX = 2 * POINTS_MAX, DIVIDE_PERIODS_LEAST = 4 };

/* Time that is a point's. */
struct part {
  uint32_t node, stratum, thread;
  double own_ns, rest_ns; /* of that thread; of any */
};

struct division {
  struct part parts[DIVIDE_POINTS_MAX];
  /* range of the parts of each stratum; empty: nothing divides its time */
  uint32_t begin[STRATA_COUNT], end[STRATA_COUNT];
  uint32_t at[STRATA_COUNT]; /* whose rest comes next */
};

/* The time to divide in a pool, and the points that divide it. */
struct divide_pool {
  const struct points *points;       /* of the window that ends, */
  const struct points_last *last;    /* and of those before */
  int64_t waiting_ns[STRATA_COUNT];  /* in each stratum, of all threads */
  uint32_t window;                   /* its number */
  int64_t period_ns;
};

/* *random: xorshift32 state. */
void divide_window(struct division *division, const struct divide_pool *pool, uint32_t *random);

/* Divides the time of this stratum by all points that met the pool on a core in this window; without any, by
 * last_node, the node met last. last_node is 0 when that is unknown, too. */
void divide_collapse(struct division *division, const struct divide_pool *pool, uint32_t stratum, uint32_t last_node);

/* The time that waits in the lane of this thread in this stratum. */
typedef int64_t divide_lane_ns(void *context, uint32_t thread, uint32_t stratum);

/* Reserves for each part the time that its own thread can supply. Call after all of the above. */
void divide_own(struct division *division, divide_lane_ns *lane_ns, void *context);

static inline bool divide_knows(const struct division *division, uint32_t stratum)
{
  return division->begin[stratum] < division->end[stratum];
}

/* Takes the next portion of wall_ns, the time in a thread's lane of this stratum: returns how much of it belongs to
 * one point, more than 0 and at most wall_ns, and sets *node to that point's node. Returns 0 when no point divides
 * this time. */
int64_t divide_next(struct division *division, uint32_t stratum, uint32_t thread, int64_t wall_ns, uint32_t *node);

#endif
