/* SPDX-License-Identifier: MIT */
/* What is known exactly of traced methods: calls, times, callers, and how calls are spread over their times. No screen.
 *
 * A row is a method, of all processes that have it, or one that somebody asked for and that was not found.
 *
 * Threads: one. Memory belongs to the table and is used again; a zeroed struct is empty.
 */
#ifndef RTOP_TUI_EXACT_TABLE_H
#define RTOP_TUI_EXACT_TABLE_H

#include "shm/base/format.h"
#include "shm/base/latency.h"
#include "tui/history/profile.h"
#include "tui/methods/methods.h"

enum { EXACT_ROWS_MAX = 64, EXACT_CALLERS_MAX = 128 };
enum { EXACT_STATE_TEXT = 80 };
enum exact_clock { EXACT_TOTAL, EXACT_SELF, EXACT_CLOCKS };

struct exact_caller {
  uint32_t frame; /* 0: those that found no room of their own, or are none */
  uint64_t calls;
};

struct exact_times {
  uint64_t sum_ns, max_ns;
  uint64_t count; /* of what is in the buckets */
  uint64_t buckets[RTOP_LATENCY_BUCKETS];
};

struct exact_row {
  uint32_t frame;              /* 0: it was not found */
  const char *name;            /* as it was asked for; NULL: by somebody else. The caller's */
  enum rtop_trace_state state; /* at the end of the span; 0: not traced any more */
  uint64_t traced_ns;          /* of the longest traced process */
  uint64_t calls, returned, raised, untimed;
  uint64_t wait_ns, off_ns;
  uint64_t slow_calls; /* that took longer than somebody asked for (slow_list.h), listed or not */
  uint64_t too_many;   /* calls per second, for which tracing was ended; 0: it was not */
  struct exact_times times[EXACT_CLOCKS];
  struct exact_caller callers[EXACT_CALLERS_MAX]; /* by calls */
  size_t caller_count;
  uint64_t sources_ns[RTOP_SOURCES_MAX + 1]; /* private */
};

struct exact_table {
  struct exact_row *rows[EXACT_ROWS_MAX]; /* what was asked for first, in its order */
  size_t count, made;
};

/* names: what we asked for. False: memory ran out. */
bool exact_table_build(struct exact_table *table, const struct rtop_profile *profile, struct rtop_span span,
                       const char *const *names, size_t name_count);
void exact_table_destroy(struct exact_table *table);

/* The row of a method; its name tells where a lens has made it another frame. NULL: there is none. */
const struct exact_row *exact_table_of(const struct exact_table *table, const struct rtop_symbols *symbols,
                                       uint32_t frame);
/* Gives rows of methods their exact figures; those that are not traced have none. */
void exact_table_tell(const struct exact_table *table, const struct rtop_symbols *symbols,
                      struct rtop_methods *methods);

/* Calls per second of the time in which it was traced. */
double exact_row_rate(const struct exact_row *row);
uint64_t exact_row_mean_ns(const struct exact_row *row, enum exact_clock clock);
/* So long or shorter was this share of the calls, 0 to 1; within 0.8 %. */
uint64_t exact_row_share_ns(const struct exact_row *row, enum exact_clock clock, double share);
/* A word, and a sentence for people, of EXACT_STATE_TEXT bytes at most; "" for one that is traced. */
const char *exact_state_name(const struct exact_row *row);
void exact_state_text(const struct exact_row *row, char *out);
/* As it is called: by its label, or as it was asked for. */
const char *exact_row_name(const struct exact_row *row, const struct rtop_symbols *symbols);

#endif
