/* SPDX-License-Identifier: MIT */
/* Where a slow block with labels spent the most of its time, and behind whom it waited: from the stacks that were seen of its
 * thread between its begin and its end, as far as there are any.
 *
 * Its causes are exact and come with it. These are estimates: windows tell what a thread did in about 100 ms. Of windows that
 * the block has whole all of the thread counts, of those at its ends what has its labels.
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
  const char *thread;      /* its name, "" without one; valid as long as the profile */
  uint64_t there_ns, seen_ns; /* it was so, of all that was seen */
};

struct slow_look {
  enum rtop_work_cause cause; /* the largest */
  uint32_t node;              /* where the block was most of that time; 0: nothing was seen of it */
  uint32_t frame, own;        /* its method, and the application's own that called it; 0: the same, or not known */
  uint64_t there_ns, seen_ns; /* as above */
  struct slow_holder gvl, lock; /* seen_ns 0: it waited for none, or nobody was seen */
};

/* `ways`: the caller's, zeroed before the first time, used again, and destroyed by it. False: memory ran out. */
bool slow_look(struct slow_look *look, struct rtop_profile *profile, struct off_ways *ways, uint32_t source,
               const struct rtop_slow_call *block);
enum rtop_work_cause slow_largest(const struct rtop_slow_call *block);

#endif
