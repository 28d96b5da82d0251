/* SPDX-License-Identifier: MIT */
/* What every thread did in each window around a moment: the lanes of the threads view.
 *
 * A cell is a window of the thread's process (100 ms; a longer, merged one takes several cells). Windows of different
 * processes need not be aligned, so each process's windows are shifted by less than a window to fit columns, and each
 * appears exactly once. Contents are cached until they change. No screen. Threads: one.
 */
#ifndef RTOP_TUI_THREAD_LANES_H
#define RTOP_TUI_THREAD_LANES_H

#include "tui/history/profile.h"

enum { THREAD_LANES_MAX = 256 }; /* columns */
#define THREAD_LANES_NS INT64_C(100000000)

enum thread_lane {
  LANE_ABSENT,  /* the thread did not exist, or the profile holds no data for this time */
  LANE_LOST,    /* a gap */
  LANE_HOLDS,   /* had the GVL longer than any other thread of its process, and at least a tenth of the window */
  LANE_RAN,     /* the following values say what most of the window was; LANE_RAN:
                   the thread had the GVL, but another thread had it longer */
  LANE_WAITS,   /* for the GVL */
  LANE_BLOCKED, /* off the GVL */
  LANE_MARKS,   /* the thread collected garbage; also if it had the GVL longest and mostly collected */
  LANE_SWEEPS,
};

struct thread_lanes {
  struct lane_window {
    int64_t start_ns, end_ns;
    uint32_t source;
    bool gap;
    uint64_t change;     /* rtop_profile_change() when the window was read; 0: not read */
    uint32_t threads;    /* ids below */
    unsigned char *mark; /* enum thread_lane, by thread */
  } * windows;           /* private: by start */
  size_t count, capacity;
  int64_t start_ns; /* of the first column */
  int columns;
  struct lane_source *sources; /* private: shift of each process's windows */
  size_t source_count, source_capacity;
  struct lane_window *next; /* private: the windows of the next update */
  size_t next_count, next_capacity;
  uint64_t (*wall_ns)[RTOP_STATES]; /* private: by thread */
  uint32_t wall_capacity;
};

/* Updates the lanes: `before` windows up to the moment and `after` windows after it (at most
 * THREAD_LANES_MAX); the window that ends at the moment is the last of the `before` ones. True: some windows
 * were not read yet, so call again. */
bool thread_lanes_update(struct thread_lanes *lanes, const struct rtop_profile *profile, int64_t moment_ns, int before,
                         int after);
/* Returns what the thread did in a column; column 0 is the oldest. `thread` is an id of the profile, `source`
   the thread's process. */
enum thread_lane thread_lanes_at(const struct thread_lanes *lanes, uint32_t source, uint32_t thread, int column);
/* Writes the axis, a row of `before` + `after` columns: "-2s" at the column where that second begins, "now" or `at`
 * (one column) in the last column before the moment, "+1s" after it. Labels that would touch are left out. */
void thread_lanes_axis(char *out, size_t bytes, int before, int after, const char *at);
void thread_lanes_destroy(struct thread_lanes *lanes);

#endif
