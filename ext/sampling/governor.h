/* SPDX-License-Identifier: MIT */
/* Keeps the measured cost of sampling under its budget: halves the rate when the cost, averaged over the
 * last windows, goes over it, doubles it again after a second under half of the budget, never below 50 Hz nor
 * above what is wanted. One dear window (a new viewer, many new names) does not matter.
 *
 * The hooks themselves cost per event, whatever the rate. They step back when there are very many.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_GOVERNOR_H
#define RTOP_EXT_GOVERNOR_H

#include <stdbool.h>
#include <stdint.h>

enum { GOVERNOR_FLOOR_HZ = 50, GOVERNOR_CALM_WINDOWS = 10 };

struct governor {
  double budget;  /* fraction of wall time */
  double average; /* cost, exponentially weighted: the last window counts a quarter */
  uint32_t rate_hz;
  uint32_t calm_windows;
  uint32_t storm_per_s; /* releases of the GVL; 0: there are no storms */
  uint32_t lull_windows;
  bool storm;
};

void governor_init(struct governor *governor, double budget, uint32_t rate_hz, uint32_t storm_per_s);

/* After each window. Returns the rate from now on. */
uint32_t governor_update(struct governor *governor, uint32_t wanted_hz, int64_t cost_ns, int64_t window_ns);

/* After each window, with the releases of the GVL in it. True: the hooks are to step back, until there were under
 * half of storm_per_s for a second. */
bool governor_storm(struct governor *governor, uint64_t releases, int64_t window_ns);

#endif
