/* SPDX-License-Identifier: MIT */
/* The method table: one row per frame of a sum, with self and total, sorted and filtered.
 *
 * total counts a frame once per stack, however often it recurs. The ratio is the share of the span during
 * which it was on the stack of a thread, the largest thread counts. Rows come in a stable order: equal
 * keys are ordered by name, path, line, so that nothing swaps places without a reason.
 */
#ifndef RTOP_TUI_METHODS_H
#define RTOP_TUI_METHODS_H

#include "tui/history/profile.h"
#include <regex.h>

/* What time counts: all of it, CPU time, or that with the GVL (running, collecting), which is nobody else's meanwhile. */
enum rtop_mode { RTOP_MODE_WALL, RTOP_MODE_CPU, RTOP_MODE_BUSY, RTOP_MODES };
const char *rtop_mode_name(enum rtop_mode mode);              /* "wall", "cpu", "busy" */
bool rtop_mode_parse(const char *name, enum rtop_mode *mode); /* false: it is none of them */

/* Does wall time in this state count? */
static inline bool rtop_mode_counts(enum rtop_mode mode, enum rtop_state state)
{
  return mode != RTOP_MODE_BUSY || (state != RTOP_STATE_BLOCKED && state != RTOP_STATE_WAITING);
}

static inline uint64_t rtop_mode_clock(const struct rtop_cost *cost, enum rtop_mode mode)
{
  if (mode == RTOP_MODE_CPU) return cost->cpu_ns;
  return mode == RTOP_MODE_BUSY ? rtop_cost_held(cost) : rtop_cost_wall(cost);
}

/* Its part in a state. CPU time is of no state: it runs. */
static inline uint64_t rtop_mode_state(const struct rtop_cost *cost, enum rtop_mode mode, enum rtop_state state)
{
  if (mode == RTOP_MODE_CPU) return state == RTOP_STATE_RUNNING ? cost->cpu_ns : 0;
  return rtop_mode_counts(mode, state) ? cost->wall_ns[state] : 0;
}

/* The columns of the table, each of which can be sorted by (columns.def), in the order of the screen. */
enum rtop_sort_key {
#define COLUMN(id, ...) RTOP_SORT_##id,
#include "columns.def"
  RTOP_SORT_KEYS,
};
/* What their values are. */
enum rtop_figure {
  RTOP_FIGURE_TIME,  /* nanoseconds: a share of the span, or a time */
  RTOP_FIGURE_RATE,  /* a count: per second */
  RTOP_FIGURE_COUNT, /* of the span */
  RTOP_FIGURE_NOW,   /* a count of this moment */
  RTOP_FIGURE_RATIO, /* nanoseconds: always a share of the span, never more than it */
  RTOP_FIGURE_EXACT, /* of a traced method; "-" of others */
  RTOP_FIGURE_NONE,  /* no figure, or none that can be compared */
};
enum rtop_figure rtop_sort_key_figure(enum rtop_sort_key key);
const char *rtop_sort_key_name(enum rtop_sort_key key); /* "self", … as on the command line */
/* The same for views that know one figure per state and no places: total-waiting is waiting, location is
 * name. */
enum rtop_sort_key rtop_sort_key_plain(enum rtop_sort_key key);
/* And for those that show calls with all below them: self is total. */
enum rtop_sort_key rtop_sort_key_of_calls(enum rtop_sort_key key);
bool rtop_sort_key_parse(const char *name, enum rtop_sort_key *key);

struct rtop_method_row {
  uint32_t frame;
  uint32_t threads;       /* have it on their stack at the end of the span */
  struct rtop_cost total; /* anywhere on the stack */
  uint64_t total_ns;      /* by mode: wall of all states, or CPU */
  uint64_t self_ns;
  struct rtop_cost self; /* as leaf */
  uint64_t most_ns;      /* wall time on the stack of one thread, the largest of all threads */
  double delta;          /* rtop_method_delta of a comparison; else 0 */
  bool gone;             /* of a comparison: it was there only before */
  bool traced;           /* so it has the next three, exactly (exact_table_tell(), rtop_methods_tell_calls()) */
  uint64_t calls;
  double calls_per_s, mean_ns;
  double history; /* history_peak, when something is sorted by it; else 0 */
};

/* What a row is sorted by, in nanoseconds or counts: of the states, CPU, blame and allocations the
 * method's own part, or all of it (RTOP_SORT_TOTAL_…). 0 for names and locations. */
double rtop_method_value(const struct rtop_method_row *row, enum rtop_sort_key key);
/* 0 to 1. */
double rtop_method_ratio(uint64_t most_ns, uint64_t length_ns);

/* How a figure changed: as a share of the span, per second (allocations, samples), or plainly (threads).
 * NULL: the method was not there. */
double rtop_method_delta(const struct rtop_method_row *now, uint64_t length_ns, const struct rtop_method_row *before,
                         uint64_t before_length_ns, enum rtop_sort_key key);

struct rtop_methods_options {
  enum rtop_mode mode;
  enum rtop_sort_key sort;
  bool reverse;
  const char *filter; /* extended regular expression on "label path"; NULL: none */
  bool filter_invert;
  const char *thread_filter; /* extended regular expression on thread names; NULL: none */
  double min_percent; /* rows whose total is below are dropped; if busy, when their time without the GVL is, too */
};

struct rtop_methods {
  struct rtop_method_row *rows;
  size_t count, capacity;
  uint64_t length_ns;    /* of the sum: what 100 % of one thread is */
  bool borrowed;         /* the rows belong to a live sum (live.h), */
  const uint32_t *ranks; /* which says in which order, by frame; NULL: they stand in order */
};

/* Rebuilds the rows. False: memory ran out or a bad expression (check expressions first with
 * rtop_methods_check_regex). */
bool rtop_methods_build(struct rtop_methods *methods, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                        const struct rtop_methods_options *options);
/* Sorts rows again that were given other figures (delta, history). Not borrowed ones. */
void rtop_methods_sort(struct rtop_methods *methods, const struct rtop_symbols *symbols,
                       const struct rtop_methods_options *options);
/* Of a sum of calls (whole_sum.h): all rows have exact figures. */
void rtop_methods_tell_calls(struct rtop_methods *methods);
void rtop_methods_destroy(struct rtop_methods *methods);
/* NULL when fine, else a message for people in a static buffer. */
const char *rtop_methods_check_regex(const char *expression);
/* Hides threads whose name does not match; NULL: none. False: memory ran out or the expression is bad. */
bool rtop_methods_leave_out(const char *expression, struct rtop_sum *sum);

#endif
