/* SPDX-License-Identifier: MIT */
/* The small history of every method: its self time over the last minute, in cells of six seconds.
 *
 * Cells are at fixed multiples of their length, so a complete cell keeps its height while it moves to the left. No
 * screen. Threads: one.
 */
#ifndef RTOP_TUI_HISTORY_H
#define RTOP_TUI_HISTORY_H

#include "tui/methods/methods.h"

enum { HISTORY_CELLS = 10 }; /* nine complete ones and now */
#define HISTORY_CELL_NS INT64_C(6000000000)

struct history {
  struct history_cell {
    int64_t index; /* start of the cell / HISTORY_CELL_NS; the cell is stored at index % size */
    bool filled;
    float *share; /* self time of each frame as a share of the cell's length, by frame */
    size_t frames;
  } cell[HISTORY_CELLS - 1];
  struct rtop_sum sum;     /* private */
  uint64_t key;            /* what the cells tell of */
  int64_t turn, turned_ns; /* private */
};

/* What is counted. */
struct history_look {
  enum rtop_mode mode;
  uint64_t key;                                              /* changes with everything that `narrow` leaves out */
  void (*narrow)(const void *context, struct rtop_sum *sum); /* hides threads of a sum; NULL: none */
  const void *context;
};

/* Updates one cell: a missing one, or once a second the next one in turn, since late records change the past. So every
 * update is quick, even the first. True: cells are missing, so call again. */
bool history_update(struct history *history, struct rtop_profile *profile, int64_t end_ns,
                    const struct history_look *look);
/* Returns the shares of a frame, oldest first, HISTORY_CELLS - 1 of them; -1: unknown. */
void history_get(const struct history *history, int64_t end_ns, uint32_t frame, double *shares);
/* Returns the largest of these shares and `now`; rows are sorted by it. */
double history_peak(const struct history *history, int64_t end_ns, uint32_t frame, double now);
/* Gives every row its peak (row->history). */
void history_peaks(const struct history *history, int64_t end_ns, struct rtop_methods *methods);
void history_destroy(struct history *history);

#endif
