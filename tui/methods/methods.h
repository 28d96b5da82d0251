/* SPDX-License-Identifier: MIT */
/* The method table: one row per frame of a sum, with self and total, sorted and filtered.
 *
 * A total counts a frame once per stack, however often it recurs. The ratio is the share of the span during which the
 * frame was on the stack of one thread; the thread with the largest share counts. The order is stable: rows with equal
 * keys are ordered by name, path and line.
 */
#ifndef RTOP_TUI_METHODS_H
#define RTOP_TUI_METHODS_H

#include "tui/history/profile.h"
#include <regex.h>

/* Which time counts: all time, CPU time, or time with the GVL (running or collecting), which no two threads spend
 * simultaneously. */
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

/* Returns the part of the time of this mode that was spent in a state. CPU time counts as running. */
static inline uint64_t rtop_mode_state(const struct rtop_cost *cost, enum rtop_mode mode, enum rtop_state state)
{
  if (mode == RTOP_MODE_CPU) return state == RTOP_STATE_RUNNING ? cost->cpu_ns : 0;
  return rtop_mode_counts(mode, state) ? cost->wall_ns[state] : 0;
}

/* The columns of the table, each of which is a sort key (columns.def), in the order of the screen. */
enum rtop_sort_key {
#define COLUMN(id, ...) RTOP_SORT_##id,
#include "columns.def"
  RTOP_SORT_KEYS,
};
/* What their values are. */
enum rtop_figure {
  RTOP_FIGURE_TIME,  /* nanoseconds, shown as a share of the span or as a time */
  RTOP_FIGURE_RATE,  /* a count: per second */
  RTOP_FIGURE_COUNT, /* of the span */
  RTOP_FIGURE_NOW,   /* a count of this moment */
  RTOP_FIGURE_RATIO, /* nanoseconds, always shown as a share of the span, at most 100 % */
  RTOP_FIGURE_EXACT, /* of a traced method; "-" of others */
  RTOP_FIGURE_NONE,  /* no figure, or one that cannot be compared */
};
enum rtop_figure rtop_sort_key_figure(enum rtop_sort_key key);
const char *rtop_sort_key_name(enum rtop_sort_key key); /* "self", … as on the command line */
/* Returns the sort key for views with one figure per state and no places: total-waiting becomes waiting,
 * location becomes name. */
enum rtop_sort_key rtop_sort_key_plain(enum rtop_sort_key key);
/* Returns the sort key for views that show calls with everything below them: self becomes total. */
enum rtop_sort_key rtop_sort_key_of_calls(enum rtop_sort_key key);
bool rtop_sort_key_parse(const char *name, enum rtop_sort_key *key);

struct rtop_method_row {
  uint32_t frame;
  uint32_t threads;       /* number of threads that have the method on their stack at the end of the span */
  struct rtop_cost total; /* anywhere on the stack */
  uint64_t total_ns;      /* total by mode: wall time of all states, or CPU time */
  uint64_t self_ns;
  struct rtop_cost self; /* as leaf */
  uint64_t most_ns;      /* largest wall time that the method was on the stack of a single thread (ns) */
  double delta;          /* rtop_method_delta of a comparison; else 0 */
  bool gone;             /* in a comparison: only the earlier side has the method */
  bool traced;           /* the next three fields are set and exact (exact_table_tell(), rtop_methods_tell_calls()) */
  uint64_t calls;
  double calls_per_s, mean_ns;
  double history; /* result of history_peak() if rows are sorted by it; else 0 */
};

/* Returns the value of a sort key, in nanoseconds or counts. For states, CPU, blame and allocations: the method's own
 * part, or with RTOP_SORT_TOTAL_… that of the method and everything below it. 0 for names and locations. */
double rtop_method_value(const struct rtop_method_row *row, enum rtop_sort_key key);
/* 0 to 1. */
double rtop_method_ratio(uint64_t most_ns, uint64_t length_ns);

/* Change of a figure: as a share of the span, per second (allocations, samples), or in its own unit (threads). `before`
 * is NULL if the method did not exist then. */
double rtop_method_delta(const struct rtop_method_row *now, uint64_t length_ns, const struct rtop_method_row *before,
                         uint64_t before_length_ns, enum rtop_sort_key key);

struct rtop_methods_options {
  enum rtop_mode mode;
  enum rtop_sort_key sort;
  bool reverse;
  const char *filter; /* extended regular expression for "label path"; NULL: none */
  bool filter_invert;
  const char *thread_filter; /* extended regular expression for thread names; NULL: none */
  /* minimum total in per cent: rows below it are dropped; in busy mode only if their time off the GVL is below it,
     too */
  double min_percent;
};

struct rtop_methods {
  struct rtop_method_row *rows;
  size_t count, capacity;
  uint64_t length_ns;    /* length of the sum's span, which is 100 % of one thread */
  bool borrowed;         /* the rows belong to a live sum (live.h), and `ranks` gives their order */
  const uint32_t *ranks; /* rank of each frame, by frame; NULL: the rows are sorted */
};

/* Builds the rows. False: memory ran out or an expression is invalid (check expressions first with
 * rtop_methods_check_regex()). */
bool rtop_methods_build(struct rtop_methods *methods, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                        const struct rtop_methods_options *options);
/* Sorts rows again after their figures (delta, history) were changed. Not for borrowed rows. */
void rtop_methods_sort(struct rtop_methods *methods, const struct rtop_symbols *symbols,
                       const struct rtop_methods_options *options);
/* For a sum of counted calls (whole_sum.h): marks all rows as exact. */
void rtop_methods_tell_calls(struct rtop_methods *methods);
void rtop_methods_destroy(struct rtop_methods *methods);
/* Checks an extended regular expression. NULL when it is valid, else a message for people in a static buffer. */
const char *rtop_methods_check_regex(const char *expression);
/* Hides threads whose names do not match; NULL: hides none. False: memory ran out or the expression is invalid. */
bool rtop_methods_leave_out(const char *expression, struct rtop_sum *sum);

#endif
