/* SPDX-License-Identifier: MIT */
/* Visits the profile window by window, for code that needs more than sums (timelines, stalls). The lens is not applied:
 * nodes are those of the process.
 *
 * Threads: one. The data of a look are valid during the visit.
 */
#ifndef RTOP_TUI_PROFILE_EACH_H
#define RTOP_TUI_PROFILE_EACH_H

#include "profile.h"
#include "profile_lists.h"

struct profile_window;

struct rtop_look {
  int64_t start_ns, end_ns;
  uint32_t source;         /* as the feed calls it */
  bool gap;                /* the window is a gap: its time is unknown, and all fields below `gap` are 0 */
  const uint64_t *wall_ns; /* per state, over all threads */
  const struct rtop_span_counters *counters;
  size_t thread_count, cell_count, begun_count;
  size_t raised_count, exact_count, slow_count;
  /* late records of at least 100 ms that came with the window; their number is limited */
  size_t long_count;
  const struct profile_window *window; /* private */
};

/* A thread as of the end of the window. */
struct rtop_look_thread {
  uint32_t thread; /* id of the profile */
  uint32_t node;   /* leaf of its stack */
  enum rtop_state state;
  bool ended;
  bool stale; /* `node` is from stack_age_ns before the end of the window */
  uint64_t state_age_ns, stack_age_ns;
  uint64_t provisional_ns; /* time in the window since the last safepoint, not yet replaced by a late record (ns) */
  struct rtop_lock lock;
};

struct rtop_look_cell {
  uint32_t node, thread;
  enum rtop_state state;
  uint64_t wall_ns, cpu_ns, blame_ns;
  uint64_t samples; /* of this thread, there */
};

/* A late record that came with the window: the thread was in this node from start to end, running or blocked. */
struct rtop_look_long {
  uint32_t thread, node;
  enum rtop_state state;
  int64_t start_ns, end_ns;
};

/* Visits all windows and gaps that overlap the span, by start. */
void rtop_profile_each(const struct rtop_profile *profile, struct rtop_span span,
                       void (*visit)(void *context, const struct rtop_look *look), void *context);

/* Like rtop_profile_each(), without threads and cells (counts are 0), so that windows of a loader are not fetched. */
void rtop_profile_each_summary(const struct rtop_profile *profile, struct rtop_span span,
                               void (*visit)(void *context, const struct rtop_look *look), void *context);

struct rtop_look_thread rtop_look_thread(const struct rtop_look *look, size_t index);
struct rtop_look_long rtop_look_long(const struct rtop_look *look, size_t index);
struct rtop_look_cell rtop_look_cell(const struct rtop_look *look, size_t index);
/* Returns a label that began, even if the lens leaves it out (profile_lists.h). */
struct rtop_begun_count rtop_look_begun(const struct rtop_look *look, size_t index);
struct rtop_raised_count rtop_look_raised(const struct rtop_look *look, size_t index);
/* Returns an exact figure; they are sorted by node, what and key. */
struct rtop_exact_number rtop_look_exact(const struct rtop_look *look, size_t index);
/* Returns a slow call or block that the window reports. */
struct rtop_slow_call rtop_look_slow(const struct rtop_look *look, size_t index);
/* Returns the part of a window's figure that a sum over the span would contain. */
uint64_t rtop_look_share(const struct rtop_look *look, struct rtop_span span, uint64_t value);

/* Name ("" if none) and serial of a thread in a look. */
const char *rtop_profile_thread_name(const struct rtop_profile *profile, uint32_t thread);
uint64_t rtop_profile_thread_serial(const struct rtop_profile *profile, uint32_t thread);

#endif
