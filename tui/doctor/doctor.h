/* SPDX-License-Identifier: MIT */
/* The condition of each of several processes, judged by itself: figures of a span, a verdict of its own, and a number
 * for its trouble, by which the sickest is sorted to the top. No screen.
 *
 * Trouble is 0 for an idle process, below 1 for one that works, above 1 for one that keeps its own threads waiting:
 *   by verdict: collecting, a deadlock, locks, waiting for the GVL, without a core; less for running and for I/O
 *   1/2 for work that is slower than that of most others: twice as slow at the 99th percentile, or more
 *   1/2 for a stall in the last minute, 1 for a stall that has not ended
 * It stays the same while it changes by less than a quarter, so that rows do not swap all the time.
 *
 * Threads: one. The doctor owns its memory and reuses it; a struct of zeros is empty.
 */
#ifndef RTOP_TUI_DOCTOR_H
#define RTOP_TUI_DOCTOR_H

#include "tui/stalls/stalls.h"
#include "tui/verdict/verdict.h"

struct doctor_process {
  bool known;         /* the span tells of it: */
  double cores;       /* that it had */
  double held, gc;    /* shares of the span with the GVL held, and in collections; with Ractors, sums over GVLs */
  double waiting;     /* average number of threads that waited for the GVL */
  uint64_t rss_bytes; /* 0: not known */
  unsigned stalls;    /* of the last minute */
  bool stalls_on;     /* one of them goes on */
  uint64_t ended;     /* number of ended pieces of work with labels, of the key that took most time */
  bool p99_known;
  uint64_t p99_ns;
  struct verdict verdict;
  double trouble;
};

struct doctor {
  struct doctor_process *of; /* by source */
  size_t count, capacity;
  struct verdict_maker maker; /* private, as all that follow */
  struct rtop_sum sum;
  struct doctor_work *work;
};

/* What there is to judge. */
struct doctor_look {
  struct rtop_profile *profile;
  struct rtop_span span;       /* span of the figures; work counts also in time before it, up to a minute in total */
  const struct stalls *stalls; /* NULL: not looked for */
  uint32_t sources;            /* 0 to sources - 1 are wanted */
};

/* Updates all processes. False: memory ran out; the results are then older ones. */
bool doctor_update(struct doctor *doctor, const struct doctor_look *look);
/* NULL: nothing is known of that source. */
const struct doctor_process *doctor_of(const struct doctor *doctor, uint32_t source);
/* For a keeper (rtop_profile_add_keeper). */
void doctor_keep(const struct doctor *doctor, struct rtop_symbols *symbols);
void doctor_destroy(struct doctor *doctor);

#endif
