/* SPDX-License-Identifier: MIT */
/* Nodes of a tree that had cost in an earlier sum and are not in the present one: they get empty rows, so that a
 * comparison also shows calls that no longer occur.
 *
 * Threads: one. The struct owns its memory and reuses it; a struct of zeros is empty.
 */
#ifndef RTOP_TUI_TREE_GONE_H
#define RTOP_TUI_TREE_GONE_H

#include "tree.h"

struct rtop_tree_gone {
  size_t count;                         /* number of nodes compared, which have ids below this; 0: no comparison */
  uint32_t *first_child, *next_sibling; /* lists of nodes that are gone, by node; 0: none */
  uint32_t *below;                      /* number of gone nodes below each node, by node */
  size_t first_capacity, next_capacity, below_capacity;
  const struct rtop_cost *before; /* by node, as it was given */
  uint64_t before_ns;             /* length of the earlier span (ns), set by the
                                     caller of rtop_tree_gone_build(); 0: unknown */
  enum rtop_mode mode;
  struct rtop_tree_leaf {
    uint32_t frame;
    uint64_t lost_ns;
  } * leaves; /* methods that had self time in the earlier sum and have none now */
  size_t leaf_count, leaf_capacity;
};

/* Compares the present sum with earlier costs. `before`: earlier costs of the tree's nodes, `count` of them, borrowed;
 * nodes below least_ns are left out. Forgets the leaves. False: memory ran out, and there is no comparison. */
bool rtop_tree_gone_build(struct rtop_tree_gone *gone, const struct rtop_tree *tree, const struct rtop_cost *before,
                          size_t count, enum rtop_mode mode, uint64_t least_ns);
bool rtop_tree_gone_leaf(struct rtop_tree_gone *gone, uint32_t frame, uint64_t lost_ns);
void rtop_tree_gone_destroy(struct rtop_tree_gone *gone);

#endif
