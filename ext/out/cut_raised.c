/* SPDX-License-Identifier: MIT */
/* Adds exceptions to the window by class and source location. */
#include "cut_raised.h"

static bool is_known(struct cut *cut, uint32_t node)
{
  return node != RTOP_NODE_ROOT && names_out_known(cut->names, &cut->sampler->tree, node) == node;
}

static int64_t at_most(int64_t ns, int64_t most_ns)
{
  return ns < most_ns ? ns : most_ns;
}

/* Adds a row. Exceptions raised after the window's end but before this call count in this window, as they do in the
 * exceptions counter. */
static bool add_row(struct cut *cut, const struct raised_taken *taken)
{
  struct rtop_raised *row = rtop_window_add_raised(&cut->window);
  int64_t end_ns = cut->window.end_mono_ns;
  if (!row) return false;
  *row = (struct rtop_raised){ .first_mono_ns = at_most(taken->first_ns, end_ns),
                               .last_mono_ns = at_most(taken->last_ns, end_ns),
                               .serial = taken->serial,
                               .name = taken->name,
                               .node = taken->node,
                               .count = taken->count };
  return true;
}

bool cut_raised_add(struct cut *cut, bool last)
{
  struct raised *raised = &cut->sampler->raised;
  uint64_t untold = 0;
  for (uint32_t i = 0; i < RAISED_MAX; i++) {
    uint32_t name, node;
    if (!raised_look(raised, i, &name, &node)) continue;
    bool lost = node == RAISED_NO_NAME, known = !lost && is_known(cut, name) && is_known(cut, node);
    if (!lost && !known && !last) continue;
    struct raised_taken taken = raised_take(raised, i);
    if (!known) untold += taken.count;
    else if (!add_row(cut, &taken)) return false;
  }
  untold += atomic_exchange_explicit(&raised->untold, 0, memory_order_relaxed);
  rtop_window_set_counter(&cut->window, RTOP_COUNTER_RAISES_UNTOLD, untold);
  return true;
}
