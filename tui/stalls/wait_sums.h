/* SPDX-License-Identifier: MIT */
/* What threads waited for off the GVL in a span: kind, method and time; and for locks, what their
 * owners did meanwhile.
 *
 * The time of a row (a kind, and the application's method that waited, off_gvl.h) is the exact blocked time of a
 * sum. The method that caused the waiting is estimated: at the end of every window the process reports which thread
 * waits for which lock and who owns it, and the owner's stack at that instant is known. These instants are
 * independent of the program, so each stands for waiting of the window's length, and they divide the row's time. For
 * n instants the standard error of a share p is about sqrt(p (1 - p) / n); threads that wait for the same lock at
 * one instant count as one.
 *
 * A running owner is assumed to be in the stack of its last sample, with the locks of that time; an owner that waits or
 * is off the GVL, in the stack in which it released the GVL. Late records (profile.h) correct both.
 *
 * Threads: one. The sums own their memory and reuse it; a struct of zeros is empty.
 */
#ifndef RTOP_TUI_WAIT_SUMS_H
#define RTOP_TUI_WAIT_SUMS_H

#include "locks.h"
#include "wait_holder.h"

/* What owners of a lock did. */
struct wait_behind {
  uint32_t frame;   /* the application's method that the owner was in; 0: unknown owner, or unknown method */
  uint32_t took;    /* method that took a lock around `frame`; 0: the same method, or unknown, as for Mutex#lock */
  uint64_t wait_ns; /* that was waited behind it */
  bool known;       /* one thread may be named alone (wait_holder.h): */
  struct rtop_thread_row thread;
};

struct wait_row {
  enum rtop_wait_kind kind;
  uint32_t place; /* frame; 0: not known */
  uint64_t wait_ns;
  unsigned threads;    /* that waited there */
  uint64_t longest_ns; /* age of the oldest wait in this row at the end of the span (ns); 0: none */
  unsigned seen;       /* number of instants at which threads of this row waited for a reported lock */
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

/* Adds up the span of a sum, for threads that are not hidden. Examines each window, or a part of very many. False:
 * memory ran out. */
bool wait_sums_build(struct wait_sums *sums, const struct rtop_sum *sum, struct rtop_profile *profile);
/* For a keeper (rtop_profile_add_keeper()): marks the frames of the rows as used. */
void wait_sums_keep(const struct wait_sums *sums, struct rtop_symbols *symbols);
void wait_sums_destroy(struct wait_sums *sums);

#endif
