/* SPDX-License-Identifier: MIT */
/* The points of a pool: the call tree nodes that were sampled in its running time in the open window, by stratum (see
 * strata.h). The last few points of each stratum are kept as well, for windows with hardly any points.
 *
 * The kind of a stretch is known only at its end, so its points are added then. A point's weight is the time that it
 * stands for: one period, or the time since the previous instant in the same stretch, which makes up for missed
 * instants in between.
 *
 * Threads: any thread that has the sampler's lock, except where noted; points that were taken belong to the publisher
 * alone. Nothing allocates.
 */
#ifndef RTOP_EXT_POINTS_H
#define RTOP_EXT_POINTS_H

#include "strata.h"
#include <stdint.h>

enum { POINTS_MAX = 256, POINTS_LAST = 8 };

struct point {
  uint32_t node, stratum;
  uint32_t thread; /* index in the thread registry of the thread that was sampled */
  int64_t weight_ns;
};

struct points {
  struct point entries[POINTS_MAX];
  uint32_t count;
  /* number of points added; if it is larger than `count`, a random choice of them was kept, each with equal
   * probability */
  uint32_t told;
  uint32_t random; /* xorshift32 state; 0: not seeded yet */
};

void points_add(struct points *points, const struct point *point);

/* Moves the open window's points to `taken`, which must be zeroed or a previous result of this call. */
void points_take(struct points *points, struct points *taken);

/* The last few points of each stratum from earlier windows. Used by the publisher only. */
struct points_last {
  /* number of points ever added to each stratum; the stratum's latest point is at index (told - 1) % POINTS_LAST */
  uint32_t told[STRATA_COUNT];
  struct last_point {
    uint32_t node, window;
    int64_t weight_ns;
  } of[STRATA_COUNT][POINTS_LAST];
};

/* Adds the taken points to `last`. `window` is a number that grows by one with each window. */
void points_remember(struct points_last *last, const struct points *taken, uint32_t window);

/* Forgets the points of each stratum whose bit is set, because another kind of stretch takes that stratum over. */
void points_forget(struct points_last *last, uint32_t strata);

#endif
