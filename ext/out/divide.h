/* SPDX-License-Identifier: MIT */
/* Divides running time by what instants met in it: a ratio estimator in each stratum.
 *
 * Of a pool, when a window ends. In each place (strata.h) so much time waits, in lanes of many threads, and so many instants
 * were counted there (points.h). All of it is cut into as many parts as there are points, each as long as the point has
 * weight, and a part is its point's: so each stack has its share to the nanosecond. As much of a part as may be is time of the thread
 * that the point met, so that a thread is shown with what it ran; the rest is that of whoever has more.
 *
 *   points of less than four     those before count too, so that it is four, from up to ten seconds back: a ratio of so few is
 *   periods                      biased (what is met seldom had 15 % too little where a window has one or two)
 *   none at all                  the time waits, for two seconds at the most; then all that the pool met in this window
 *                                divides it (collapsed strata), or was met last
 *
 * Time without a core is lent nothing, and does not wait: where no instant met such time in this window it is taken for that of
 * what ran.
 *
 * Pure: no clock, no lock, no allocation. The publisher.
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
  uint32_t node, place, thread;
  double own_ns, rest_ns; /* of that thread; of any */
};

struct division {
  struct part parts[DIVIDE_POINTS_MAX];
  uint32_t begin[STRATA_PLACES], end[STRATA_PLACES]; /* of those of a place; the same: nothing divides it */
  uint32_t at[STRATA_PLACES];                        /* whose rest comes next */
};

/* What there is to divide in a pool, and by what. */
struct divide_pool {
  const struct points *points;       /* of the window that ends, */
  const struct points_last *last;    /* and of those before */
  int64_t waiting_ns[STRATA_PLACES]; /* in each place, of all threads */
  uint32_t window;                   /* its number */
  int64_t period_ns;
};

/* *random: xorshift32 state. */
void divide_window(struct division *division, const struct divide_pool *pool, uint32_t *random);

/* Everything that the pool met on a core in this window divides the time of this place, too; where that is nothing, it is what was
 * met last; 0: that is not known either. */
void divide_collapse(struct division *division, const struct divide_pool *pool, uint32_t place, uint32_t last_node);

/* How much waits in the lane of that thread in that place. */
typedef int64_t divide_lane_ns(void *context, uint32_t thread, uint32_t place);

/* Sets apart of each part what its own thread can have. After all of the above. */
void divide_own(struct division *division, divide_lane_ns *lane_ns, void *context);

static inline bool divide_knows(const struct division *division, uint32_t place)
{
  return division->begin[place] < division->end[place];
}

/* Of wall_ns that wait in a thread's lane of this place: how much is one point's, and what that met. Returns more than 0 and
 * at most wall_ns; 0: nothing divides it. */
int64_t divide_next(struct division *division, uint32_t place, uint32_t thread, int64_t wall_ns, uint32_t *node);

#endif
