/* What instants met in the running time of a pool, by place (strata.h), since the last window's end; and the last few of each place,
 * for windows in which hardly any came.
 *
 * A stretch tells its points when it ends, for its kind is not known before. An instant counts once; several that passed in C code
 * are one point of that weight.
 *
 * Threads: any, under the sampler's lock. No allocation.
 */
#ifndef RTOP_EXT_POINTS_H
#define RTOP_EXT_POINTS_H

#include "strata.h"
#include <stdint.h>

enum { POINTS_MAX = 256, POINTS_LAST = 4 };

struct point {
  uint32_t node;
  uint16_t place, weight; /* instants */
};

struct last_point {
  uint32_t node, window;
  uint16_t weight;
};

struct points {
  struct point entries[POINTS_MAX];
  uint32_t count;
  uint32_t told;   /* more than that when there was no room: then each of them is kept with the same chance */
  uint32_t random; /* xorshift32 state; 0: not seeded yet */
  uint32_t lasts[STRATA_PLACES]; /* of `last`, that were ever told */
  struct last_point last[STRATA_PLACES][POINTS_LAST];
};

/* `window`: a number that grows by one with each window. */
void points_add(struct points *points, uint32_t place, uint32_t node, uint32_t weight, uint32_t window);

/* The window's points were taken. */
void points_clear(struct points *points);

#endif
