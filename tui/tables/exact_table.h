/* SPDX-License-Identifier: MIT */
/* Exact figures of traced methods: calls, times, callers, and the distribution of call times. No screen.
 *
 * A row is a method over all processes that have it, or a request whose method was not found.
 *
 * Threads: one. The table owns its memory and reuses it; a struct of zeros is empty.
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
  uint32_t frame; /* frame of the caller; 0: other callers, for which there was no room, or no caller */
  uint64_t calls;
};

struct exact_times {
  uint64_t sum_ns, max_ns;
  uint64_t count; /* of what is in the buckets */
  uint64_t buckets[RTOP_LATENCY_BUCKETS];
};

struct exact_row {
  uint32_t frame;              /* 0: it was not found */
  const char *name;            /* name as requested, owned by the caller; NULL: another viewer requested it */
  enum rtop_trace_state state; /* state of tracing at the end of the span; 0: no longer traced */
  uint64_t traced_ns;          /* of the longest traced process */
  uint64_t calls, returned, raised, untimed;
  uint64_t wait_ns, off_ns;
  uint64_t slow_calls; /* number of calls above the lowest threshold of any viewer (slow_list.h), listed or not */
  uint64_t too_many;   /* rate (calls per second) because of which tracing was ended; 0: it was not */
  struct exact_times times[EXACT_CLOCKS];
  struct exact_caller callers[EXACT_CALLERS_MAX]; /* by calls */
  size_t caller_count;
  uint64_t sources_ns[RTOP_SOURCES_MAX + 1]; /* private */
};

struct exact_table {
  struct exact_row *rows[EXACT_ROWS_MAX]; /* requested methods first, in their order */
  size_t count, made;
};

/* Builds the table. `names`: the methods that this viewer requested. False: memory ran out. */
bool exact_table_build(struct exact_table *table, const struct rtop_profile *profile, struct rtop_span span,
                       const char *const *names, size_t name_count);
void exact_table_destroy(struct exact_table *table);

/* Returns the row of a method, matched by name where a lens shows the method as another frame. NULL: there is none. */
const struct exact_row *exact_table_of(const struct exact_table *table, const struct rtop_symbols *symbols,
                                       uint32_t frame);
/* Copies exact figures to the rows of methods; methods that are not traced have none. */
void exact_table_tell(const struct exact_table *table, const struct rtop_symbols *symbols,
                      struct rtop_methods *methods);

/* Number of calls per second during which the method was traced. */
double exact_row_rate(const struct exact_row *row);
uint64_t exact_row_mean_ns(const struct exact_row *row, enum exact_clock clock);
/* Returns the time (ns) that this share of the calls (0 to 1) did not exceed, within 0.8 %. */
uint64_t exact_row_share_ns(const struct exact_row *row, enum exact_clock clock, double share);
/* exact_state_name(): a word for the state; exact_state_text(): a sentence for people of at most EXACT_STATE_TEXT
   bytes; "" for a method that is being traced. */
const char *exact_state_name(const struct exact_row *row);
void exact_state_text(const struct exact_row *row, char *out);
/* Returns the method's label, or its name as requested. */
const char *exact_row_name(const struct exact_row *row, const struct rtop_symbols *symbols);

#endif
