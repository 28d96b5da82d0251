/* SPDX-License-Identifier: MIT */
/* Nodes of a tree that cost something before and are not in its sum now: they get rows with nothing in them, so
 * that what is compared shows what went away, too.
 *
 * Threads: one. Memory belongs to the struct and is used again; a zeroed one is empty.
 */
#ifndef RTOP_TUI_TREE_GONE_H
#define RTOP_TUI_TREE_GONE_H

#include "tree.h"

struct rtop_tree_gone {
  size_t count;                         /* nodes that are told of: ids below; 0: nothing is compared */
  uint32_t *first_child, *next_sibling; /* by node: lists of those that are gone; 0: none */
  uint32_t *below;                      /* by node: how many of those are under it */
  size_t first_capacity, next_capacity, below_capacity;
  const struct rtop_cost *before; /* by node, as it was given */
  uint64_t before_ns;             /* how much time that was of, set by who builds; 0: not known */
  enum rtop_mode mode;
  struct rtop_tree_leaf {
    uint32_t frame;
    uint64_t lost_ns;
  } * leaves; /* methods that had time of their own before and have none now */
  size_t leaf_count, leaf_capacity;
};

/* `before`: what the tree's nodes cost then, `count` of them, borrowed; those of less than least_ns are left out.
 * Forgets the leaves. False: memory ran out, and nothing is compared. */
bool rtop_tree_gone_build(struct rtop_tree_gone *gone, const struct rtop_tree *tree, const struct rtop_cost *before,
                          size_t count, enum rtop_mode mode, uint64_t least_ns);
bool rtop_tree_gone_leaf(struct rtop_tree_gone *gone, uint32_t frame, uint64_t lost_ns);
void rtop_tree_gone_destroy(struct rtop_tree_gone *gone);

#endif
