/* SPDX-License-Identifier: MIT */
/* What every thread did in each window around a moment: the lanes of the threads view.
 *
 * A cell is a window of the thread's process (100 ms; of a longer one, merged from many, several cells). The
 * boundaries of windows of several processes need not agree: each process's windows are moved by less than one so that
 * they fall into columns, and no window is told twice or left out. What a window says is kept until it changes.
 * No screen. Threads: one.
 */
#ifndef RTOP_TUI_THREAD_LANES_H
#define RTOP_TUI_THREAD_LANES_H

#include "tui/history/profile.h"

enum { THREAD_LANES_MAX = 256 }; /* columns */
#define THREAD_LANES_NS INT64_C(100000000)

enum thread_lane {
  LANE_ABSENT,  /* the thread was not there, or this is before or after what is held */
  LANE_LOST,    /* a gap */
  LANE_HOLDS,   /* had the GVL longer than any other thread of its process, for a tenth of the window at least */
  LANE_RAN,     /* most of its own window, as all below; it had the GVL, somebody else had it longer */
  LANE_WAITS,   /* for the GVL */
  LANE_BLOCKED, /* off the GVL */
  LANE_MARKS,   /* for the garbage collector; also if it is the holder, and collected for most of the time it held */
  LANE_SWEEPS,
};

struct thread_lanes {
  struct lane_window {
    int64_t start_ns, end_ns;
    uint32_t source;
    bool gap;
    uint64_t change;     /* rtop_profile_change() when it was looked at; 0: it was not */
    uint32_t threads;    /* ids below */
    unsigned char *mark; /* enum thread_lane, by thread */
  } * windows;           /* private: by start */
  size_t count, capacity;
  int64_t start_ns; /* of the first column */
  int columns;
  struct lane_source *sources; /* private: how far each process's windows are moved */
  size_t source_count, source_capacity;
  struct lane_window *next; /* private: the windows of the next update */
  size_t next_count, next_capacity;
  uint64_t (*wall_ns)[RTOP_STATES]; /* private: by thread */
  uint32_t wall_capacity;
};

/* The columns are the windows before the moment and those after it (THREAD_LANES_MAX at most); the window that ends at
 * the moment is in the last of the former. True: some windows were not looked at yet, call again. */
bool thread_lanes_update(struct thread_lanes *lanes, const struct rtop_profile *profile, int64_t moment_ns, int before,
                         int after);
/* Column 0 is the oldest. `thread` is an id of the profile, `source` its process. */
enum thread_lane thread_lanes_at(const struct thread_lanes *lanes, uint32_t source, uint32_t thread, int column);
/* "-2s" at the column where that second before the moment begins, "now" or a mark where the moment is, "+1s" after it:
 * a row of `before` + `after` columns. Labels that would touch each other are left out. `at` is of one column; it
 * stands in the last column before the moment. */
void thread_lanes_axis(char *out, size_t bytes, int before, int after, const char *at);
void thread_lanes_destroy(struct thread_lanes *lanes);

#endif
