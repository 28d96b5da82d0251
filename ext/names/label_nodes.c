/* SPDX-License-Identifier: MIT */
/* Finds or makes the call tree node of a set of labels. */
#include "label_nodes.h"

static uint32_t make(struct label_sets *sets, struct frames *frames, struct calltree *tree, const struct label_set *set)
{
  uint32_t node = RTOP_NODE_ROOT, frame = FRAMES_OTHER;
  if (calltree_count(tree) < tree->capacity / 4 * 3) frame = frames_labels(frames, set->text, set->bytes);
  if (frame != FRAMES_OTHER) node = calltree_child(tree, RTOP_NODE_ROOT, frame, 0);
  if (node == RTOP_NODE_ROOT) atomic_fetch_add_explicit(&sets->overflowed, 1, memory_order_relaxed);
  return node;
}

uint32_t label_nodes_root(struct label_sets *sets, struct frames *frames, struct calltree *tree, VALUE thread)
{
  return label_nodes_of(sets, frames, tree, label_sets_of(sets, thread));
}

uint32_t label_nodes_of(struct label_sets *sets, struct frames *frames, struct calltree *tree, uint32_t set)
{
  struct label_set *of = &sets->sets[set];
  if (set == 0) return RTOP_NODE_ROOT;
  uint32_t node = atomic_load_explicit(&of->node, memory_order_relaxed);
  if (node) return node;
  node = make(sets, frames, tree, of);
  atomic_store_explicit(&of->node, node, memory_order_relaxed);
  return node;
}
