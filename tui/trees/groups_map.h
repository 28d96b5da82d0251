/* SPDX-License-Identifier: MIT */
/* Orientation in many rows of groups: the callers that stay in the top lines, and a map of all rows.
 *
 * Pure. Threads: one. Nothing allocates.
 */
#ifndef RTOP_TUI_GROUPS_MAP_H
#define RTOP_TUI_GROUPS_MAP_H

#include "groups.h"

/* The figure that the length of bars shows. A new figure of calls is added here and in rtop_groups_value(). */
enum rtop_groups_measure { RTOP_GROUPS_BY_TIME, RTOP_GROUPS_BY_SAMPLES, RTOP_GROUPS_BY_CALLS };

static inline uint64_t rtop_groups_value(const struct rtop_groups_cost *cost, enum rtop_groups_measure measure)
{
  if (measure == RTOP_GROUPS_BY_CALLS) return cost->calls;
  return measure == RTOP_GROUPS_BY_SAMPLES ? cost->total_samples : cost->total_ns;
}
/* The largest one of a row. */
uint64_t rtop_groups_most(const struct rtop_groups *groups, enum rtop_groups_measure measure);

enum { RTOP_GROUPS_ABOVE_MAX = 8 };
/* Finds the rows to repeat in the top lines when rows from `top` on are visible: callers of the first visible row,
 * outermost first, so that every row below them is shown with its callers. At most `most`; if there are more, the
 * outermost and the nearest ones. Returns their number. */
size_t rtop_groups_above(const struct rtop_groups *groups, size_t top, size_t most,
                         size_t places[RTOP_GROUPS_ABOVE_MAX]);

/* One of `rows` rows of a map: the range of rows that it represents, their largest value and their least depth. */
struct rtop_groups_band {
  size_t first, end;
  uint64_t most;
  uint32_t depth;
};
struct rtop_groups_band rtop_groups_band(const struct rtop_groups *groups, enum rtop_groups_measure measure, size_t row,
                                         size_t rows);

#endif
