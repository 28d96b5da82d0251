/* SPDX-License-Identifier: MIT */
/* Divides running time by what instants met in it: a ratio estimator in each stratum.
 *
 * Of a pool, when a window ends. In each place (strata.h) so much time waits, in lanes of many threads, and so many instants
 * were counted there (points.h). All lanes laid end to end are cut into as many parts as there are points, each as long as the point
 * has weight, and a part is its point's: so each stack has its share to the nanosecond, and no thread's lane is cut
 * more often than it need be. Which of the threads of a pool had which part is not known, as it is not of any sample.
 *
 *   points of less than four     those before count too, so that it is four, from up to ten seconds back: a ratio of so few is
 *   periods                      biased (what is met seldom had 15 % too little where a window has one or two)
 *   none at all                  the time waits, for two seconds at the most; then all that the pool met in this window
 *                                divides it (collapsed strata), as soon as that is anything
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

struct division {
  struct point entries[DIVIDE_POINTS_MAX];
  uint32_t begin[STRATA_PLACES], end[STRATA_PLACES]; /* of those of a place; the same: nothing divides it */
  double scale[STRATA_PLACES];                       /* of time to weight */
  uint32_t at[STRATA_PLACES];                        /* whose part comes next, */
  double used_ns[STRATA_PLACES];                     /* and how much of that was had */
};

/* waiting_ns: in each place, of all threads. `window`: the number of the one that ends. *random: xorshift32 state. */
void divide_window(struct division *division, const struct points *points, const int64_t waiting_ns[STRATA_PLACES],
                   uint32_t window, int64_t period_ns, uint32_t *random);

/* Everything that the pool met in this window divides the time of this place, too. */
void divide_collapse(struct division *division, uint32_t place, const struct points *points, int64_t waiting_ns);

static inline bool divide_knows(const struct division *division, uint32_t place)
{
  return division->begin[place] < division->end[place];
}

/* Of wall_ns that wait in a thread's lane of this place: how much is the next point's, and what that met. Returns more than 0 and
 * at most wall_ns; 0: nothing divides it. */
int64_t divide_next(struct division *division, uint32_t place, int64_t wall_ns, uint32_t *node);

#endif
