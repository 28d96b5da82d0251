/* SPDX-License-Identifier: MIT */
/* Reads the old part of a ring's history: from the coarsest tier to the finest, each up to the beginning of the next
 * finer tier. Boundaries of merged windows are also boundaries of finer ones, so nothing is read twice and nothing
 * is left out.
 */
#include "feed_impl.h"

enum {
  HISTORY_WINDOWS_MAX = 1 << 16, /* more than any tier has slots */
  HISTORY_TRIES = 16,
  HISTORY_MARGIN = 32, /* number of windows that may be overwritten while the coarser tiers are read */
};

/* Start of the part of a tier that will still be readable when the coarser tiers have been read; for a tier that
 * overwrites, a little after its oldest window. INT64_MAX: the tier is empty. */
static int64_t history_begin(const struct feed_ring *feed, enum rtop_tier tier)
{
  for (int tries = 0; tries < HISTORY_TRIES; tries++) {
    uint64_t newest, oldest = segment_port_oldest(feed->port, tier, &newest);
    int64_t start_ns, end_ns;
    if (oldest == 0) break;
    if (oldest > 1) oldest += (newest - oldest) / 8 < HISTORY_MARGIN ? (newest - oldest) / 8 : HISTORY_MARGIN;
    if (segment_port_time(feed->port, tier, oldest, &start_ns, &end_ns) == RTOP_OK) return start_ns;
  }
  return INT64_MAX;
}

/* Reads the windows of a tier that begin at the end of the last window read or later, and before `limit_ns`. */
static size_t history_tier(struct feed_ring *feed, struct rtop_profile *profile, enum rtop_tier tier, int64_t limit_ns)
{
  size_t moved = 0;
  uint64_t sequence = segment_port_find(feed->port, tier, feed->told_ns);
  for (int i = 0; sequence > 0 && i < HISTORY_WINDOWS_MAX; i++, sequence++) {
    int64_t start_ns = 0, end_ns;
    enum rtop_result result = segment_port_time(feed->port, tier, sequence, &start_ns, &end_ns);
    if ((result != RTOP_OK && result != RTOP_LOST) || start_ns >= limit_ns) break;
    if (result == RTOP_OK && start_ns >= feed->told_ns &&
        segment_port_window(feed->port, tier, sequence, &feed->window) == RTOP_OK)
      moved += feed_hand_in(feed, profile);
  }
  return moved;
}

size_t feed_history_read(struct feed_ring *feed, struct rtop_profile *profile)
{
  size_t moved = 0;
  int64_t fine_ns = history_begin(feed, RTOP_TIER_FINE);
  if (fine_ns == INT64_MAX) return 0;
  int64_t second_ns = history_begin(feed, RTOP_TIER_1S);
  moved += history_tier(feed, profile, RTOP_TIER_10S, second_ns < fine_ns ? second_ns : fine_ns);
  moved += history_tier(feed, profile, RTOP_TIER_1S, fine_ns);
  feed->next_sequence = segment_port_find(feed->port, RTOP_TIER_FINE, feed->told_ns);
  return moved;
}
