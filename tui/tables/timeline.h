/* SPDX-License-Identifier: MIT */
/* The history as cells of any length, for the graphs of the time view.
 *
 * Cells are at fixed multiples of their length, so a complete cell does not change while it moves. A window shorter
 * than a cell counts whole in the cell of its middle; a longer one gives all cells that it covers the same values.
 * Figures are sums over processes, except for the share of time that the GVL is held, which is their average.
 *
 * No screen. Threads: one.
 */
#ifndef RTOP_TUI_TIMELINE_H
#define RTOP_TUI_TIMELINE_H

#include "tui/history/profile.h"

enum { TIMELINE_CELLS_MAX = 500, TIMELINE_SOURCES_MAX = 64 };
#define TIMELINE_ALL_SOURCES UINT32_MAX

enum timeline_graph {
  TIMELINE_RUN,     /* 0 to 1: share of time that the GVL was held, including garbage collection */
  TIMELINE_WAIT,    /* average number of threads waiting for the GVL */
  TIMELINE_BLOCKED, /* threads that were off it */
  TIMELINE_GC,      /* 0 to 1, of RUN */
  TIMELINE_CPU,     /* cores */
  TIMELINE_ALLOC,   /* objects per second */
  TIMELINE_RSS,     /* bytes; 0: not known */
  TIMELINE_GRAPHS,
};

struct timeline_cell {
  bool known, gap; /* neither: before or after what is held */
  bool sweeps;     /* more sweeping than marking */
  double value[TIMELINE_GRAPHS];
};

struct timeline {
  int64_t first; /* number of the first cell, which starts at first * cell_ns */
  int64_t cell_ns;
  int count;
  struct timeline_cell cell[TIMELINE_CELLS_MAX];
  double most[TIMELINE_GRAPHS]; /* the largest value of all cells */
  void *scratch;                /* private */
};

/* Builds the `count` cells up to end_ns, for one source or all. False when memory ran out. */
bool timeline_build(struct timeline *timeline, const struct rtop_profile *profile, int64_t end_ns, int count,
                    int64_t cell_ns, uint32_t source);
/* Index of the cell that contains an instant; may be outside [0, count). */
int64_t timeline_cell_at(const struct timeline *timeline, int64_t time_ns);
void timeline_destroy(struct timeline *timeline);

/* Returns the next finer (-1) or coarser (1) cell length: 100 ms, 200 ms, … days. In the coarsest, `count`
 * cells cover length_ns. */
int64_t timeline_zoom(int64_t cell_ns, int step, int64_t length_ns, int count);

#endif
