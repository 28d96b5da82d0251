/* SPDX-License-Identifier: MIT */
/* Where a slow block with labels spent most of its time, and which thread it waited for: from the stacks of its thread
 * that were seen between the begin and the end of the block, if any.
 *
 * The times by cause are exact and part of the block. The results here are estimates: a window says what a thread did
 * in about 100 ms. In windows entirely within the block all time of the thread counts; in windows at its ends, the time
 * with its labels.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_SLOW_LOOK_H
#define RTOP_TUI_SLOW_LOOK_H

#include "tui/history/profile.h"
#include "tui/history/profile_lists.h"
#include "wait_holder.h"

/* Another thread that had what the block waited for. */
struct slow_holder {
  uint32_t frame; /* the application's own method; 0: not known */
  uint32_t node;  /* where it was most */
  uint64_t serial;
  const char *thread;         /* name of the thread, "" without one; valid as long as the profile */
  uint64_t there_ns, seen_ns; /* there_ns: waiting behind this thread in this method;
                                 seen_ns: all waiting of this kind that was seen */
};

struct slow_look {
  enum rtop_work_cause cause;   /* the largest */
  uint32_t node;                /* where the block was most of that time; 0: the block was not seen */
  uint32_t frame, own;          /* frame: method of the node; own: the application's
                                 method that called it; 0: the same, or unknown */
  uint64_t there_ns, seen_ns;   /* as above */
  struct slow_holder gvl, lock; /* seen_ns 0: the block did not wait for it, or no holder was seen */
};

/* Fills *look. `ways` belongs to the caller: zeroed before the first call, reused by further calls, destroyed by the
   caller. False: memory ran out. */
bool slow_look(struct slow_look *look, struct rtop_profile *profile, struct off_ways *ways, uint32_t source,
               const struct rtop_slow_call *block);
enum rtop_work_cause slow_largest(const struct rtop_slow_call *block);
/* Writes the labels that began the block: "endpoint=GET /orders, user=7". */
void slow_label_words(char *out, size_t bytes, const struct rtop_slow_call *block, const struct rtop_symbols *symbols);

#endif
