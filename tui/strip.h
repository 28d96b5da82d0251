/* What changes slowly, from the windows of the last minutes: the timeline in the header, collections per
 * minute, and the small history of every method.
 *
 * Cells stand at fixed multiples of their length, so that a cell once complete does not change its
 * height while it moves to the left. No screen. Threads: one.
 */
#ifndef RTOP_TUI_STRIP_H
#define RTOP_TUI_STRIP_H

#include "methods.h"

enum {
  STRIP_CELLS_MAX = 512,
  HISTORY_CELLS = 10,                  /* nine complete ones and now */
};
#define STRIP_UNKNOWN (-1.0)            /* before or after what is held */
#define STRIP_GAP (-2.0)                /* lost */
#define STRIP_CELL_NS INT64_C(1000000000)
#define HISTORY_CELL_NS INT64_C(6000000000)

struct strip {
  /* Share of the time that the GVL was held, of all processes; STRIP_UNKNOWN or STRIP_GAP. */
  double busy[STRIP_CELLS_MAX];
  int cells;
  int64_t end_ns;
  double minor_per_minute, major_per_minute;
  bool has_gap;                        /* within the cells */
  struct strip_cell *known;            /* private: complete cells */
};

/* The last `cells` cells up to end_ns, newest last; collections are those of the minute before now_ns.
 * Complete cells are kept from call to call, for one profile. False when memory ran out. */
bool strip_build(struct strip *strip, const struct rtop_profile *profile, int64_t end_ns, int cells,
                 int64_t now_ns);
/* Number of the cell that an instant lies in; the last one of a strip is that of end_ns - 1. */
int64_t strip_cell_of(int64_t time_ns);
void strip_destroy(struct strip *strip);

struct history {
  struct history_cell {
    int64_t index;                     /* start / HISTORY_CELL_NS; the cell stands at index % size */
    bool filled;
    float *share;                      /* by frame: self time of the cell's length */
    size_t frames;
  } cell[HISTORY_CELLS - 1];
  struct rtop_sum sum;                 /* private */
  uint32_t lens;                       /* whose frames the cells tell of */
  int64_t turn, turned_ns;             /* private */
};

/* Brings one cell up to date: a missing one, else once a second the one whose turn it is (late records
 * change the past). So no refresh is slow, not even the first. True: call again, cells miss. */
bool history_update(struct history *history, struct rtop_profile *profile, int64_t end_ns,
                    enum rtop_mode mode);
/* Shares of a frame, oldest first, HISTORY_CELLS - 1 of them; -1: not known. */
void history_get(const struct history *history, int64_t end_ns, uint32_t frame, double *shares);
void history_destroy(struct history *history);

#endif
