/* SPDX-License-Identifier: MIT */
/* Divides running time in proportion to the sampled points: a ratio estimator in each stratum.
 *
 * At a window's end a pool has in each stratum (strata.h) some time, in the lanes of many threads, and some points
 * (points.h). The time is split exactly in proportion to the points' weights. Each part is taken, as far as possible,
 * from the lane of the thread in which its point was sampled, and otherwise from lanes with time to spare.
 *
 * A ratio of few points is biased, so with less than four periods of weight, points of earlier windows (up to ten
 * seconds back) are borrowed up to four periods. Time in a stratum without any point waits for up to two seconds and is
 * then divided by all points of the pool (collapsed strata). Time without a core never waits and borrows no points:
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

/* The time that belongs to one point. */
struct part {
  uint32_t node, stratum, thread;
  double own_ns, rest_ns; /* to take from that thread's lane; from any lane */
};

struct division {
  struct part parts[DIVIDE_POINTS_MAX];
  /* range of the parts of each stratum; empty: no point divides its time */
  uint32_t begin[STRATA_COUNT], end[STRATA_COUNT];
  uint32_t at[STRATA_COUNT]; /* part whose rest_ns is taken next */
};

/* The time to divide in a pool, and the points that divide it. */
struct divide_pool {
  const struct points *points;      /* points of the window that ends, */
  const struct points_last *last;   /* and of earlier windows */
  int64_t waiting_ns[STRATA_COUNT]; /* time to divide in each stratum, of all threads */
  uint32_t window;                  /* its number */
  int64_t period_ns;
};

/* *random: xorshift32 state. */
void divide_window(struct division *division, const struct divide_pool *pool, uint32_t *random);

/* Divides the time of this stratum by all points that were sampled on a core in this window; without any, all of it
 * goes to last_node, the node sampled last, or 0 when that is unknown, too. */
void divide_collapse(struct division *division, const struct divide_pool *pool, uint32_t stratum, uint32_t last_node);

/* Type of a function that returns the undivided time in this thread's lane of this stratum. */
typedef int64_t divide_lane_ns(void *context, uint32_t thread, uint32_t stratum);

/* Reserves for each part the time that its own thread can supply. Call after divide_window() and divide_collapse(). */
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
