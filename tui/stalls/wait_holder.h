/* SPDX-License-Identifier: MIT */
/* Who has what a thread waits for, and what that one does: of sums of waiting, and of stalls.
 *
 * Threads: no shared state but the ways.
 */
#ifndef RTOP_TUI_WAIT_HOLDER_H
#define RTOP_TUI_WAIT_HOLDER_H

#include "off_gvl.h"
#include "tui/history/profile_each.h"

/* Stacks as they are known here. */
struct wait_stacks {
  struct off_ways *ways; /* begun */
  const struct rtop_lens *lens;
  const struct rtop_symbols *symbols;
};

/* What is waited for in this node, and the application's own method there; 0: not known. */
enum rtop_wait_kind wait_kind(const struct wait_stacks *stacks, uint32_t node);
uint32_t wait_place(const struct wait_stacks *stacks, uint32_t node);

static inline bool wait_kind_is_lock(enum rtop_wait_kind kind)
{
  return kind == RTOP_WAITS_MUTEX || kind == RTOP_WAITS_MONITOR;
}

/* Does the thread wait for a lock, as the window tells at its end, in a place that is known? */
bool wait_is_for_lock(const struct wait_stacks *stacks, const struct rtop_look_thread *thread);

/* The same thread in the window, whose threads stand by id; false: it is not listed there. */
bool wait_in_window(const struct rtop_look *look, uint32_t thread, struct rtop_look_thread *found);

/* What one that has a lock does. */
struct wait_holder {
  uint32_t frame; /* the application's own method; 0: not known */
  uint32_t took;  /* the one that took a lock around it; 0: the same one, or not known, as of Mutex#lock */
};
struct wait_holder wait_holder(const struct wait_stacks *stacks, const struct rtop_look_thread *thread);

/* May the one of several that has most be named alone? It has more than half of all, and twice as much as the next one, or
 * nearly so, if it was named before: of two alike a little more than half is chance, and another one's next second. */
static inline bool wait_names_alone(double most, double next, double all, bool before)
{
  return most * 2 > all && most >= next * (before ? 1.4 : 2);
}

#endif
