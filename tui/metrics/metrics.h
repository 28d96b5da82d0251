/* SPDX-License-Identifier: MIT */
/* The activity of processes since they were first watched, as counters that only grow, for monitoring systems.
 *
 * Everything comes from windows of the profile. A window is counted once, when late records (profile.h) can no
 * longer change it; younger windows are counted as pending, again at every update. Time with an unknown stack counts
 * for no method until its window is counted, then for "(not sampled)". A window in which a call is still open waits
 * up to METRICS_LATE_NS.
 *
 * A process has the index (source) of its feed, and is reported for METRICS_LINGER_NS after its end. Threads: one.
 */
#ifndef RTOP_TUI_METRICS_H
#define RTOP_TUI_METRICS_H

#include "metrics_top.h"
#include "tui/history/profile.h"
#include "tui/recording/feed_info.h"
#include "tui/stalls/stalls.h"
#include <stdio.h>

#define METRICS_LATE_NS INT64_C(10000000000)
#define METRICS_LINGER_NS INT64_C(60000000000)

enum metrics_count {
  METRICS_TOLD,
  METRICS_HELD,
  METRICS_WAITING,
  METRICS_BLOCKED,
  METRICS_MARKING,
  METRICS_SWEEPING,
  METRICS_GC_MINOR,
  METRICS_GC_MAJOR,
  METRICS_CPU,
  METRICS_ALLOCATIONS,
  METRICS_EXCEPTIONS,
  METRICS_COST,
  METRICS_LOST,
  METRICS_LEFT_OUT_LENGTHS, /* labelled work that ended and is in no histogram: its length found no room, */
  METRICS_LEFT_OUT_LABELS,  /* nor did its label, */
  METRICS_LEFT_OUT_OPEN,    /* or it was not timed */
  METRICS_LOSSES,
  METRICS_STALLS = METRICS_LOSSES + RTOP_LOSSES,
  METRICS_COUNTS = METRICS_STALLS + STALL_CAUSES,
};

struct metrics_process {
  uint64_t opened; /* which feed */
  char *labels;    /* labels that identify the process: pid="4711",start="1700000000.123" */
  char *about;     /* command, Ruby and user, as label text */
  bool up, gone;   /* gone: not told any more */
  struct metrics_figure counts[METRICS_COUNTS];
  uint64_t threads[RTOP_STATES], rss_bytes, heap_live_slots; /* now; 0 bytes or slots: not known */
  struct metrics_top methods, named;                         /* methods by name and path; labels by key and value */
  /* Private: */
  uint32_t window_ns;
  int64_t settled_ns, settles_ns, end_ns, last_start_ns, last_ns, stale_ns, over_ns;
};

struct metrics {
  size_t top;
  struct metrics_process *processes[RTOP_SOURCES_MAX]; /* by source; NULL: none */
  uint64_t snapshots, without_place, late_ns;
  int64_t real_ns; /* of the last one */
  uint64_t stalls_seen;
  bool saves; /* stalls are not looked for (metrics_budget.h) */
};

struct metrics *metrics_create(size_t top);
void metrics_destroy(struct metrics **metrics);

/* The process that a source belongs to now; to be set for each source before metrics_look(). */
struct metrics_source {
  uint64_t opened; /* serial number of the feed; another number means that it is another feed */
  const struct rtop_feed_info *info;
  bool live, over;
};
void metrics_source(struct metrics *metrics, uint32_t source, const struct metrics_source *about);
/* Those found since the last call. */
void metrics_stalls(struct metrics *metrics, const struct stalls *stalls);
/* Counts new windows. `profile` is NULL while nothing is watched yet. */
void metrics_look(struct metrics *metrics, struct rtop_profile *profile);

#endif
