/* SPDX-License-Identifier: MIT */
/* Keeps the measured cost of sampling within its budget: it halves the sampling rate when the average cost of recent
 * windows exceeds the budget, and doubles the rate after a second with costs below half of the budget. The rate stays
 * between 50 Hz and the wanted rate. A single expensive window, as when a viewer connects, does not matter.
 *
 * Hooks cost something per event at any rate, so during a storm of events they switch to a cheaper mode.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_GOVERNOR_H
#define RTOP_EXT_GOVERNOR_H

#include <stdbool.h>
#include <stdint.h>

enum { GOVERNOR_FLOOR_HZ = 50, GOVERNOR_CALM_WINDOWS = 10 };

struct governor {
  double budget; /* fraction of wall time */
  /* exponentially weighted mean of the cost, a fraction of wall time; the last window has a weight of one quarter */
  double average;
  uint32_t rate_hz;
  uint32_t calm_windows;
  uint32_t storm_per_s; /* releases of the GVL per second that make a storm; 0: never */
  uint32_t lull_windows;
  bool storm;
};

void governor_init(struct governor *governor, double budget, uint32_t rate_hz, uint32_t storm_per_s);

/* Call after each window. Returns the sampling rate from now on. */
uint32_t governor_update(struct governor *governor, uint32_t wanted_hz, int64_t cost_ns, int64_t window_ns);

/* Call after each window with its number of releases of the GVL. Returns true while hooks must use their cheap mode:
 * from a storm on, until a second has passed with less than half of storm_per_s. */
bool governor_storm(struct governor *governor, uint64_t releases, int64_t window_ns);

#endif
