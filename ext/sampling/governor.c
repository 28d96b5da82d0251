/* SPDX-License-Identifier: MIT */
/* Chooses the sampling rate by the cost of the last windows. */
#include "governor.h"

void governor_init(struct governor *governor, double budget, uint32_t rate_hz, uint32_t storm_per_s)
{
  *governor = (struct governor){ .budget = budget, .rate_hz = rate_hz, .storm_per_s = storm_per_s };
}

static uint32_t bounded(uint32_t rate_hz, uint32_t wanted_hz)
{
  uint32_t floor_hz = wanted_hz < GOVERNOR_FLOOR_HZ ? wanted_hz : GOVERNOR_FLOOR_HZ;
  if (rate_hz > wanted_hz) return wanted_hz;
  return rate_hz < floor_hz ? floor_hz : rate_hz;
}

uint32_t governor_update(struct governor *governor, uint32_t wanted_hz, int64_t cost_ns, int64_t window_ns)
{
  double cost = window_ns > 0 ? (double)cost_ns / (double)window_ns : 0;
  governor->average += (cost - governor->average) / 4;
  if (governor->average > governor->budget) {
    governor->rate_hz /= 2;
    governor->average /= 2; /* to the cost that is expected at the new rate */
    governor->calm_windows = 0;
  } else if (governor->average < governor->budget / 2 && governor->rate_hz < wanted_hz) {
    if (++governor->calm_windows >= GOVERNOR_CALM_WINDOWS) {
      governor->rate_hz *= 2;
      governor->calm_windows = 0;
    }
  } else {
    governor->calm_windows = 0;
  }
  governor->rate_hz = bounded(governor->rate_hz, wanted_hz);
  return governor->rate_hz;
}

bool governor_storm(struct governor *governor, uint64_t releases, int64_t window_ns)
{
  double per_s = window_ns > 0 ? 1e9 * (double)releases / (double)window_ns : 0;
  double limit = governor->storm_per_s;
  governor->lull_windows = per_s < limit / 2 ? governor->lull_windows + 1 : 0;
  if (limit > 0 && per_s > limit) governor->storm = true;
  else if (governor->lull_windows >= GOVERNOR_CALM_WINDOWS) governor->storm = false;
  return governor->storm;
}
