/* Makes and finds the call node of a set of labels. */
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
  struct label_set *set = &sets->sets[label_sets_of(sets, thread)];
  if (set == sets->sets) return RTOP_NODE_ROOT;
  if (!set->node) set->node = make(sets, frames, tree, set);
  return set->node;
}
