/* SPDX-License-Identifier: MIT */
/* Adds the changes in the tree of all calls to the window. */
#include "cut_whole.h"

enum { NODE_BYTES = 30 }; /* upper estimate for the average encoded size of a node's three numbers */

static bool add_number(struct cut *cut, uint32_t node, enum rtop_whole_what what, uint32_t key, uint64_t value)
{
  struct rtop_exact *exact = value ? rtop_window_add_exact(&cut->window) : NULL;
  if (exact) *exact = (struct rtop_exact){ .node = node, .what = what, .key = key, .value = value };
  return !value || exact;
}

static uint64_t grown(uint64_t now, uint64_t *told)
{
  uint64_t more = now > *told ? now - *told : 0;
  *told += more;
  return more;
}

/* Returns the increase of a time sum in ns. A sum can shrink or be negative, because overhead is subtracted; it is
 * reported only when it exceeds the value reported before. */
static uint64_t grown_ns(const struct whole *whole, int64_t ticks, uint64_t *told_ns)
{
  return grown(ticks > 0 ? (uint64_t)((double)ticks * whole->ns_per_tick) : 0, told_ns);
}

/* Adds a node's changes. *told: number of nodes with changes, incremented here. Returns false when memory ran out. */
static bool add_node(struct cut *cut, struct whole *whole, uint32_t at, size_t *told)
{
  struct whole_node *node = &whole->counting->tree.nodes[at];
  struct whole_told *before = &whole->counting->tree.told[at];
  uint32_t place = atomic_load_explicit(&node->place, memory_order_relaxed);
  if (place != UINT32_MAX && names_out_known(cut->names, &cut->sampler->tree, place) != place) {
    /* The node was added after the tables were published; the next window reports it. */
    if (!whole->finishing) return true;
    place = UINT32_MAX;
  }
  uint64_t calls = grown(atomic_load_explicit(&node->calls, memory_order_relaxed), &before->calls);
  uint64_t total = grown_ns(whole, atomic_load_explicit(&node->total, memory_order_relaxed), &before->total_ns);
  uint64_t self = grown_ns(whole, atomic_load_explicit(&node->self, memory_order_relaxed), &before->self_ns);
  *told += calls || total || self;
  if (place == UINT32_MAX) {
    whole->told_unnamed += calls;
    return add_number(cut, RTOP_NODE_ROOT, RTOP_WHOLE_UNNAMED, 0, calls);
  }
  return add_number(cut, place, RTOP_WHOLE_CALLS, 0, calls) && add_number(cut, place, RTOP_WHOLE_TOTAL_NS, 0, total) &&
         add_number(cut, place, RTOP_WHOLE_SELF_NS, 0, self);
}

/* Visits all nodes once, from the node at which the previous window stopped. */
static bool add_nodes(struct cut *cut, struct whole *whole, size_t room)
{
  uint32_t named = atomic_load_explicit(&whole->named, memory_order_acquire);
  size_t told = 0, most = room / NODE_BYTES;
  if (!whole->left) whole->left = named - 1;
  for (; whole->left && told < most; whole->left--, whole->next++) {
    if (whole->next >= named) whole->next = 1;
    if (!add_node(cut, whole, whole->next, &told)) return false;
  }
  return true;
}

static bool add_sums(struct cut *cut, struct whole *whole)
{
  const struct rtop_window *window = &cut->window;
  bool on = atomic_load(&whole->state) == RTOP_WHOLE_ON;
  int64_t from = atomic_load(&whole->begin_ns), to = on ? window->end_mono_ns : atomic_load(&whole->end_ns);
  uint64_t own_ns = (uint64_t)whole->told_own_ns;
  uint64_t untimed = grown(atomic_load(&whole->counting->untimed), &whole->told_untimed);
  /* The overhead is reported only at the end: it may still shrink, and a reported sum cannot. */
  uint64_t own = on ? 0 : grown_ns(whole, atomic_load(&whole->counting->own), &own_ns);
  whole->told_own_ns = (int64_t)own_ns;
  if (from < window->start_mono_ns) from = window->start_mono_ns;
  if (to > window->end_mono_ns) to = window->end_mono_ns;
  return add_number(cut, RTOP_NODE_ROOT, RTOP_WHOLE_TRACED_NS, 0, to > from ? (uint64_t)(to - from) : 0) &&
         add_number(cut, RTOP_NODE_ROOT, RTOP_WHOLE_OWN_NS, 0, own) &&
         add_number(cut, RTOP_NODE_ROOT, RTOP_WHOLE_UNTIMED, 0, untimed);
}

/* Ends the reporting when a round through all nodes is complete that began after all nodes had been named and
 * published. */
static void finish(struct whole *whole)
{
  int telling = RTOP_WHOLE_TELLING;
  if (!whole->finishing || whole->left) return;
  atomic_compare_exchange_strong(&whole->state, &telling, whole->counting->full ? RTOP_WHOLE_FULL : RTOP_WHOLE_DONE);
}

bool cut_whole_add(struct cut *cut, struct whole *whole, size_t room)
{
  int state = atomic_load(&whole->state);
  if (!state || !trylock_take(&whole->lock)) return true;
  bool counts = state == RTOP_WHOLE_ON || state == RTOP_WHOLE_TELLING, fine = true;
  if (counts) {
    if (whole->left == 0) whole->finishing = whole->named_all;
    whole->named_all =
        state == RTOP_WHOLE_TELLING && atomic_load(&whole->named) == whole_tree_count(&whole->counting->tree);
    fine = add_sums(cut, whole) && add_nodes(cut, whole, room);
    finish(whole);
    state = atomic_load(&whole->state);
  }
  if (fine) fine = add_number(cut, RTOP_NODE_ROOT, RTOP_WHOLE_STATE, atomic_load(&whole->serial), (uint64_t)state);
  trylock_release(&whole->lock);
  return fine;
}

bool cut_whole_rests(struct whole *whole)
{
  return atomic_load(&whole->state) == RTOP_WHOLE_TELLING;
}
