/* Keeps the measured cost of sampling under its budget: halves the rate when the cost, averaged over the
 * last windows, goes over it, doubles it again after a second under half of the budget, never below 50 Hz nor
 * above what is wanted. One dear window (a new viewer, many new names) does not matter.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_GOVERNOR_H
#define RTOP_EXT_GOVERNOR_H

#include <stdint.h>

enum { GOVERNOR_FLOOR_HZ = 50, GOVERNOR_CALM_WINDOWS = 10 };

struct governor {
  double budget;                       /* fraction of wall time */
  double average;                      /* cost, exponentially weighted: the last window counts a quarter */
  uint32_t rate_hz;
  uint32_t calm_windows;
};

void governor_init(struct governor *governor, double budget, uint32_t rate_hz);

/* After each window. Returns the rate from now on. */
uint32_t governor_update(struct governor *governor, uint32_t wanted_hz, int64_t cost_ns, int64_t window_ns);

#endif
