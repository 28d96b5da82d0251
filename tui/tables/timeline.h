/* SPDX-License-Identifier: MIT */
/* The history as cells of any length: what the graphs of the time view draw.
 *
 * Cells stand at fixed multiples of their length, so that a complete cell does not change while it moves.
 * A window shorter than a cell counts whole where its middle lies; a longer one tells the same of every
 * cell that it covers. Of several processes the figures are those of all together, but for the share of
 * time that the GVL is held, which is their average.
 *
 * No screen. Threads: one.
 */
#ifndef RTOP_TUI_TIMELINE_H
#define RTOP_TUI_TIMELINE_H

#include "tui/history/profile.h"

enum { TIMELINE_CELLS_MAX = 500, TIMELINE_SOURCES_MAX = 64 };
#define TIMELINE_ALL_SOURCES UINT32_MAX

enum timeline_graph {
  TIMELINE_RUN,     /* 0 to 1: the GVL was held, garbage collection included */
  TIMELINE_WAIT,    /* threads that waited for it, on the average */
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
  int64_t first; /* number of the first cell: it starts at first * cell_ns */
  int64_t cell_ns;
  int count;
  struct timeline_cell cell[TIMELINE_CELLS_MAX];
  double most[TIMELINE_GRAPHS]; /* the largest value of all cells */
  void *scratch;                /* private */
};

/* The `count` cells up to end_ns, of one source or of all. False when memory ran out. */
bool timeline_build(struct timeline *timeline, const struct rtop_profile *profile, int64_t end_ns, int count,
                    int64_t cell_ns, uint32_t source);
/* Index of the cell that holds an instant: may lie outside of [0, count). */
int64_t timeline_cell_at(const struct timeline *timeline, int64_t time_ns);
void timeline_destroy(struct timeline *timeline);

/* Lengths of cells to choose from: 100 ms, 200 ms, … days. One step finer (-1) or coarser (1) than cell_ns;
 * the coarsest is the one at which `count` cells hold the whole length. */
int64_t timeline_zoom(int64_t cell_ns, int step, int64_t length_ns, int count);

#endif
