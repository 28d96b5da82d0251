/* SPDX-License-Identifier: MIT */
/* Finds the owner of the lock that a thread waits for, and what the owner does; used for sums of waiting
 * and for stalls.
 *
 * Threads: no shared state except the cached ways.
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

/* wait_kind(): the kind of wait in this node; wait_place(): the application's method of the wait; 0: unknown. */
enum rtop_wait_kind wait_kind(const struct wait_stacks *stacks, uint32_t node);
uint32_t wait_place(const struct wait_stacks *stacks, uint32_t node);

static inline bool wait_kind_is_lock(enum rtop_wait_kind kind)
{
  return kind == RTOP_WAITS_MUTEX || kind == RTOP_WAITS_MONITOR;
}

/* Does the thread wait for a lock at the window's end, in a known place? */
bool wait_is_for_lock(const struct wait_stacks *stacks, const struct rtop_look_thread *thread);

/* Finds the thread in a window, whose threads are sorted by id; false: the window does not list it. */
bool wait_in_window(const struct rtop_look *look, uint32_t thread, struct rtop_look_thread *found);

/* What one that has a lock does. */
struct wait_holder {
  uint32_t frame; /* the application's own method; 0: not known */
  uint32_t took;  /* method that took a lock around `frame`; 0: the same method, or unknown, as for Mutex#lock */
};
struct wait_holder wait_holder(const struct wait_stacks *stacks, const struct rtop_look_thread *thread);

/* May the largest of several be named alone? It must have more than half of all, and twice as much as the next one (1.4
 * times if it was named before), since of two nearly equal ones either may be larger by chance. */
static inline bool wait_names_alone(double most, double next, double all, bool before)
{
  return most * 2 > all && most >= next * (before ? 1.4 : 2);
}

#endif
