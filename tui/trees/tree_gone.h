/* SPDX-License-Identifier: MIT */
/* Nodes of a tree that had cost before and are not in the present sum: they get empty rows, so that a comparison also
 * shows what is gone.
 *
 * Threads: one. The struct owns its memory and reuses it; a zeroed struct is empty.
 */
#ifndef RTOP_TUI_TREE_GONE_H
#define RTOP_TUI_TREE_GONE_H

#include "tree.h"

struct rtop_tree_gone {
  size_t count;                         /* nodes covered: ids below this; 0: no comparison */
  uint32_t *first_child, *next_sibling; /* by node: lists of nodes that are gone; 0: none */
  uint32_t *below;                      /* by node: number of such nodes below it */
  size_t first_capacity, next_capacity, below_capacity;
  const struct rtop_cost *before; /* by node, as it was given */
  uint64_t before_ns;             /* length of the span before, set by the caller that builds; 0: unknown */
  enum rtop_mode mode;
  struct rtop_tree_leaf {
    uint32_t frame;
    uint64_t lost_ns;
  } * leaves; /* methods that had self time before and have none now */
  size_t leaf_count, leaf_capacity;
};

/* Compares. `before`: earlier costs of the tree's nodes, `count` of them, borrowed; nodes below least_ns are left
 * out. Forgets the leaves. False: memory ran out, and nothing is compared. */
bool rtop_tree_gone_build(struct rtop_tree_gone *gone, const struct rtop_tree *tree, const struct rtop_cost *before,
                          size_t count, enum rtop_mode mode, uint64_t least_ns);
bool rtop_tree_gone_leaf(struct rtop_tree_gone *gone, uint32_t frame, uint64_t lost_ns);
void rtop_tree_gone_destroy(struct rtop_tree_gone *gone);

#endif
