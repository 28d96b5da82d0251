/* SPDX-License-Identifier: MIT */
/* How each of several processes is, judged by itself: figures of a span, its own verdict, and how much it is in trouble, to
 * have the sick one of many on top. No screen.
 *
 * Trouble is a number: 0 of one that rests, below 1 of one that works, above 1 of one that keeps its own threads waiting:
 *   its verdict: collecting, a deadlock, locks, waiting for the GVL, without a core; less for running and for I/O
 *   1/2 for work that is slower than that of most others: twice as slow at the 99th percentile, or more
 *   1/2 for a stall of the last minute, 1 for one that goes on
 * It stays as it was while it changes by less than a quarter, so that rows do not swap all the time.
 *
 * Threads: one. Memory belongs to the doctor and is used again; a zeroed struct is empty.
 */
#ifndef RTOP_TUI_DOCTOR_H
#define RTOP_TUI_DOCTOR_H

#include "tui/stalls/stalls.h"
#include "tui/verdict/verdict.h"

struct doctor_process {
  bool known;         /* the span tells of it: */
  double cores;       /* that it had */
  double held, gc;    /* the GVL, and collections: shares of the span; Ractors: sums */
  double waiting;     /* threads that waited for the GVL, on the average */
  uint64_t rss_bytes; /* 0: not known */
  unsigned stalls;    /* of the last minute */
  bool stalls_on;     /* one of them goes on */
  uint64_t ended;     /* pieces of work with labels: of the key that took most time */
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
  struct rtop_span span;       /* of the figures; work counts of as much before it as makes a minute */
  const struct stalls *stalls; /* NULL: not looked for */
  uint32_t sources;            /* 0 to sources - 1 are wanted */
};

/* False: memory ran out; what is known is older then. */
bool doctor_update(struct doctor *doctor, const struct doctor_look *look);
/* NULL: nothing is known of that source. */
const struct doctor_process *doctor_of(const struct doctor *doctor, uint32_t source);
/* For a keeper (rtop_profile_add_keeper). */
void doctor_keep(const struct doctor *doctor, struct rtop_symbols *symbols);
void doctor_destroy(struct doctor *doctor);

#endif
