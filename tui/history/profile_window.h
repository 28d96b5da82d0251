/* SPDX-License-Identifier: MIT */
/* A window as the profile holds it: cells, threads, and the part that a span gets. Private to the profile.
 *
 * Threads: one. Independent of the profile; nodes and threads are ids of the profile.
 */
#ifndef RTOP_TUI_PROFILE_WINDOW_H
#define RTOP_TUI_PROFILE_WINDOW_H

#include "profile.h"
#include "profile_lists.h"

/* Limits for values from channels, so that sums over all windows in memory cannot overflow. */
#define PROFILE_CELL_MAX (UINT64_C(1) << 42)
#define PROFILE_LATE_MAX (UINT64_C(1) << 50)
/* Limit for sums of squares, which are large numbers; their sums saturate. */
#define PROFILE_EXACT_MAX (UINT64_C(1) << 56)
#define PROFILE_TIME_MAX (INT64_C(1) << 61)
/* Windows up to this length count whole in the span that contains their middle; longer ones count in proportion to the
   overlap. */
#define PROFILE_WHOLE_NS INT64_C(500000000)

struct profile_cell {
  uint32_t node, thread;
  uint32_t state;
  uint32_t samples;
  uint64_t wall_ns, cpu_ns, allocations, blame_ns;
};

/* A thread as of the end of a window. */
struct profile_presence {
  uint32_t thread;
  uint32_t node;
  uint32_t state;
  bool ended;
  bool stale; /* the node was its stack stack_age_ns before */
  uint64_t state_age_ns, stack_age_ns;
  uint64_t provisional_ns; /* 0 once a late record replaced it */
  struct rtop_lock lock;
};

/* A long late record, for the detection of stalls. */
struct profile_long {
  uint32_t thread, node, state;
  int64_t start_ns, end_ns;
};

struct profile_window {
  uint64_t id; /* number of the window in order of arrival, by which
                  sliding sums (profile_slide.h) distinguish windows */
  int64_t start_ns, end_ns;
  uint32_t source; /* index into sources */
  bool gap;
  uint64_t counters_present; /* bit per counter id */
  struct rtop_span_counters counters;
  uint64_t wall_ns[RTOP_STATES]; /* cells and provisional time */
  /* For a window of a loader: */
  uint64_t place;                   /* 0: there is no loader for it */
  bool absent;                      /* the window is not loaded: it has no threads
                                       and cells; wall_ns is from the index */
  uint32_t alive;                   /* number of threads at the end of the window, while it is not loaded */
  uint64_t loaded, used;            /* values of profile->loads when the window was last fetched and last needed */
  struct profile_presence *threads; /* by thread */
  size_t thread_count;
  struct profile_cell *cells; /* unordered, but for the first ones (profile_window_arrange) */
  size_t cell_count, cell_capacity;
  size_t unsampled_count;
  struct profile_long *longs; /* long late records that came with the window; none once it is merged */
  size_t long_count;
  struct profile_begun begun;
  struct profile_fibers *fibers; /* NULL: none */
  struct profile_exact *exact;
  struct profile_raised *raised;
  struct profile_pairs *pairs;
};

/* Memory of the window, as counted against the profile's limit. */
size_t profile_window_bytes(const struct profile_window *window);
void profile_window_free(struct profile_window *window);
static inline int64_t profile_middle(const struct profile_window *window)
{
  return window->start_ns + (window->end_ns - window->start_ns) / 2;
}

/* Sorts cells and threads of a new or merged window: threads by id; cells of unsampled time first (node `unsampled`;
 * 0: none), one per thread and state, so that late records find them quickly. */
void profile_window_arrange(struct profile_window *window, uint32_t unsampled);
/* NULL: the window does not list it. */
struct profile_presence *profile_presence_find(const struct profile_window *window, uint32_t thread);
/* Returns the unsampled time of this thread and state; NULL: there is none. */
struct profile_cell *profile_window_unsampled(const struct profile_window *window, uint32_t thread, uint32_t state);

/* The part of a window that a span gets, as times from the window's start. */
struct profile_part {
  int64_t from_ns, to_ns, length_ns;
};
/* Computes the part of a window that the span gets. False when the span gets nothing. Of a gap: the part in the
   span. */
bool profile_part_of(const struct profile_window *window, const struct rtop_span *span, struct profile_part *part);
static inline bool profile_part_is_whole(const struct profile_part *part)
{
  return part->from_ns == 0 && part->to_ns == part->length_ns;
}
uint64_t profile_part_share(const struct profile_part *part, uint64_t value);
struct profile_cell profile_part_cell(const struct profile_part *part, const struct profile_cell *cell);

/* Time covered by windows of any process: simultaneous windows count once, consecutive ones (exec) add up. Windows
 * come in order of start. */
struct profile_cover {
  int64_t end_ns;
  uint64_t length_ns;
  uint32_t windows;
};
void profile_cover_add(struct profile_cover *cover, int64_t start_ns, int64_t end_ns);
/* Clips the times to the span, so that each of several processes, whose windows end at different moments, has equally
 * many windows in it. */
void profile_cover_clip(const struct rtop_span *span, int64_t *start_ns, int64_t *end_ns);

/* Returns the time that a thread without a safepoint is provisionally charged for the window. */
static inline struct profile_cell profile_provisional(const struct profile_presence *presence)
{
  return (struct profile_cell){
    .node = presence->node,
    .thread = presence->thread,
    .state = presence->state,
    .wall_ns = presence->provisional_ns,
  };
}

static inline void profile_cell_add(struct profile_cell *to, const struct profile_cell *from)
{
  to->samples += from->samples;
  to->wall_ns += from->wall_ns;
  to->cpu_ns += from->cpu_ns;
  to->allocations += from->allocations;
  to->blame_ns += from->blame_ns;
}

/* Is a cell empty? Late records may have taken all of its time; an empty cell gives no row. */
static inline bool profile_cell_is_empty(const struct profile_cell *cell)
{
  return !(cell->wall_ns | cell->cpu_ns | cell->allocations | cell->blame_ns | cell->samples);
}

static inline void profile_cost_add_cell(struct rtop_cost *cost, const struct profile_cell *cell)
{
  cost->wall_ns[cell->state] += cell->wall_ns;
  cost->cpu_ns += cell->cpu_ns;
  cost->blame_ns += cell->blame_ns;
  cost->allocations += cell->allocations;
  cost->samples += cell->samples;
}

/* Takes `wanted` or what is left. Returns the amount taken. */
static inline uint64_t profile_take_up_to(uint64_t *from, uint64_t wanted)
{
  uint64_t taken = *from < wanted ? *from : wanted;
  *from -= taken;
  return taken;
}

#endif
