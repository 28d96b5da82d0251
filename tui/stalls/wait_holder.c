/* SPDX-License-Identifier: MIT */
/* Finds what the owner of a lock does, from its stack at the end of a window. */
#include "wait_holder.h"

#include "locks.h"
#include <string.h>

enum { WAIT_DEPTH_MAX = 4096 };

static struct off_way wait_way(const struct wait_stacks *stacks, uint32_t node)
{
  return off_ways_get(stacks->ways, stacks->lens, stacks->symbols, node);
}

enum rtop_wait_kind wait_kind(const struct wait_stacks *stacks, uint32_t node)
{
  uint32_t frame = rtop_symbols_get_node(stacks->symbols, node)->frame;
  return node ? rtop_symbol_waits_for(rtop_symbols_get(stacks->symbols, frame)) : RTOP_WAITS_UNKNOWN;
}

uint32_t wait_place(const struct wait_stacks *stacks, uint32_t node)
{
  if (wait_kind(stacks, node) == RTOP_WAITS_UNKNOWN) return 0;
  struct off_way way = wait_way(stacks, node);
  return off_place(stacks->symbols, node, &way);
}

bool wait_is_for_lock(const struct wait_stacks *stacks, const struct rtop_look_thread *thread)
{
  return thread->state == RTOP_STATE_BLOCKED && !thread->ended && !thread->stale &&
         rtop_wants_owned(thread->lock.wants) && wait_kind_is_lock(wait_kind(stacks, thread->node));
}

bool wait_in_window(const struct rtop_look *look, uint32_t thread, struct rtop_look_thread *found)
{
  size_t from = 0, to = look->thread_count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (rtop_look_thread(look, middle).thread < thread) from = middle + 1;
    else to = middle;
  }
  if (from == look->thread_count) return false;
  *found = rtop_look_thread(look, from);
  return found->thread == thread;
}

/* Returns the method that called synchronize around this node; 0: none, or several. */
static uint32_t wait_took(const struct wait_stacks *stacks, uint32_t node)
{
  uint32_t took = 0;
  node = rtop_symbols_get_node(stacks->symbols, node)->parent;
  for (int i = 0; node && i < WAIT_DEPTH_MAX; i++) {
    const struct rtop_call_node *call = rtop_symbols_get_node(stacks->symbols, node);
    const struct rtop_symbol *symbol = rtop_symbols_get(stacks->symbols, call->frame);
    uint32_t parent = call->parent < node ? call->parent : 0;
    if (rtop_symbol_is_lock(symbol) && strstr(rtop_wait_method(symbol->label), "synchronize")) {
      if (took) return 0;
      took = wait_way(stacks, parent).own;
    }
    node = parent;
  }
  return took;
}

struct wait_holder wait_holder(const struct wait_stacks *stacks, const struct rtop_look_thread *thread)
{
  struct wait_holder holder = { 0 };
  if (thread->stale) return holder;
  holder.frame = wait_place(stacks, thread->node);
  holder.took = holder.frame ? wait_took(stacks, thread->node) : 0;
  if (holder.took == holder.frame) holder.took = 0;
  return holder;
}
