/* SPDX-License-Identifier: MIT */
/* What threads waited for off the GVL, added up over a span: which kind of thing, in which method, how long; and of locks,
 * what those that had them did meanwhile.
 *
 * How long is the blocked time of a sum: nothing is estimated. A row is a kind and the application's own method that it
 * was waited in (off_gvl.h). Behind whom is an estimate. The process tells at the end of every window which thread waits
 * for a lock, and which one has it; where that one is then is known, too. These are instants that the clock chose, so
 * each stands for as much waiting as its window is long, whatever was waited for and wherever: the time of a row is
 * divided by that. Of n instants a share p is off by about sqrt(p (1 - p) / n); several threads that wait at the same one
 * tell the same.
 *
 * A thread that runs is where its last sample was, with the locks that it had then; one that waits for the GVL, or is off
 * it, where it let go. What late records correct (profile.h) is corrected here, too.
 *
 * Threads: one. Memory belongs to the sums and is used again; a zeroed struct is empty.
 */
#ifndef RTOP_TUI_WAIT_SUMS_H
#define RTOP_TUI_WAIT_SUMS_H

#include "locks.h"
#include "wait_holder.h"

/* Of those that had the lock: what they did. */
struct wait_behind {
  uint32_t frame;   /* the application's own method; 0: who had it, or what that did, is not known */
  uint32_t took;    /* the one that took a lock around it; 0: the same one, or not known, as of Mutex#lock */
  uint64_t wait_ns; /* that was waited behind it */
  bool known;       /* one thread may be named alone (wait_holder.h): */
  struct rtop_thread_row thread;
};

struct wait_row {
  enum rtop_wait_kind kind;
  uint32_t place; /* frame; 0: not known */
  uint64_t wait_ns;
  unsigned threads;    /* that waited there */
  uint64_t longest_ns; /* of those that wait there at the end of the span, since when; 0: none */
  unsigned seen;       /* instants at which somebody waited there: of locks that the process tells of */
  size_t behind;       /* the first of these of the sums, */
  size_t behind_count; /* most first */
  uint64_t last_look;  /* private */
};

struct wait_sums {
  struct wait_row *rows; /* Mutexes and Monitors first; most first */
  size_t count, capacity;
  struct wait_behind *behind;
  size_t behind_count, behind_capacity;
  uint64_t kind_ns[RTOP_WAIT_KINDS];
  uint64_t blocked_ns, all_ns; /* of threads: blocked, and in any state */
  /* private */
  struct off_ways ways;
  struct rtop_sum whole;
  struct wait_entry *entries;
  size_t entry_count, entry_capacity;
  struct wait_mark *marks;
  size_t mark_count, mark_capacity;
  bool failed;
};

static inline const struct wait_behind *wait_row_behind(const struct wait_sums *sums, const struct wait_row *row)
{
  return sums->behind + row->behind;
}

/* Of the span of a sum, and of the threads that it shows (hidden). Looks at each window of it, or where these and their
 * threads are very many at a part of them. False: memory ran out. */
bool wait_sums_build(struct wait_sums *sums, const struct rtop_sum *sum, struct rtop_profile *profile);
/* For a keeper (rtop_profile_add_keeper): what the rows name. */
void wait_sums_keep(const struct wait_sums *sums, struct rtop_symbols *symbols);
void wait_sums_destroy(struct wait_sums *sums);

#endif
