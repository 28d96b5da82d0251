/* SPDX-License-Identifier: MIT */
/* Slowly changing data of the last minutes: the timeline in the header, and collections per minute.
 *
 * Cells are at fixed multiples of their length, so a complete cell keeps its height while it moves to the left. No
 * screen. Threads: one.
 */
#ifndef RTOP_TUI_STRIP_H
#define RTOP_TUI_STRIP_H

#include "tui/methods/methods.h"

enum { STRIP_CELLS_MAX = 512 };
#define STRIP_UNKNOWN (-1.0) /* before or after what is held */
#define STRIP_GAP (-2.0)     /* lost */
#define STRIP_ALL_SOURCES UINT32_MAX
#define STRIP_CELL_NS INT64_C(1000000000)

struct strip {
  /* share of time that the GVL was held, for one process or all; STRIP_UNKNOWN or STRIP_GAP */
  double busy[STRIP_CELLS_MAX];
  int cells;
  int64_t end_ns;
  uint32_t source; /* whose; STRIP_ALL_SOURCES */
  double minor_per_minute, major_per_minute;
  bool has_gap;             /* within the cells */
  struct strip_cell *known; /* private: complete cells */
};

/* Builds the last `cells` cells up to end_ns, newest last, and counts collections in the minute before now_ns.
 * Complete cells are cached between calls, for one profile. False when memory ran out. */
bool strip_build(struct strip *strip, const struct rtop_profile *profile, int64_t end_ns, int cells, int64_t now_ns,
                 uint32_t source);
/* Number of the cell that contains an instant; the last cell of a strip contains end_ns - 1. */
int64_t strip_cell_of(int64_t time_ns);
void strip_destroy(struct strip *strip);

#endif
