/* SPDX-License-Identifier: MIT */
/* What instants met in the running time of a pool, by place (strata.h), since the last window's end; and the last few of each place,
 * for windows in which hardly any came.
 *
 * A stretch tells its points when it ends, for its kind is not known before. A point has the weight of the time that it stands for: a
 * period, or since the instant before it in the same stretch, so that one that was missed there is made up for.
 *
 * Threads: any, under the sampler's lock, except where noted; the publisher for what it has taken. No allocation.
 */
#ifndef RTOP_EXT_POINTS_H
#define RTOP_EXT_POINTS_H

#include "strata.h"
#include <stdint.h>

enum { POINTS_MAX = 256, POINTS_LAST = 8 };

struct point {
  uint32_t node, place;
  uint32_t thread; /* that it met, by its place in the registry */
  int64_t weight_ns;
};

struct points {
  struct point entries[POINTS_MAX];
  uint32_t count;
  uint32_t told;   /* more than that when there was no room: then each of them is kept with the same chance */
  uint32_t random; /* xorshift32 state; 0: not seeded yet */
};

void points_add(struct points *points, const struct point *point);

/* Moves the window's points to `taken`, which was all 0 or taken to before. */
void points_take(struct points *points, struct points *taken);

/* The last few of each place, of windows before. Publisher. */
struct points_last {
  uint32_t told[STRATA_PLACES]; /* that were ever added; the last of them at (told - 1) % POINTS_LAST */
  struct last_point {
    uint32_t node, window;
    int64_t weight_ns;
  } of[STRATA_PLACES][POINTS_LAST];
};

/* `window`: a number that grows by one with each window. */
void points_remember(struct points_last *last, const struct points *taken, uint32_t window);

/* The places whose bits are set go to other kinds: what was met there is of no use to those. */
void points_forget(struct points_last *last, uint32_t places);

#endif
