/* SPDX-License-Identifier: MIT */
/* The calling context tree of a sum, merged by method: nodes that differ only in the line being executed
 * are one.
 *
 * The shape grows with the symbols and keeps its ids: what a user opened stays open, whatever the next
 * sum holds. Costs are those of the last sum; only its nodes are touched by a build.
 *
 * A filter takes stacks, not rows: those that pass through a method that matches, or with invert those
 * that pass through none. Threads: one. Memory belongs to the tree.
 */
#ifndef RTOP_TUI_TREE_H
#define RTOP_TUI_TREE_H

#include "tui/methods/methods.h"

struct rtop_tree_node {
  uint32_t parent; /* < id; the root, 0, is its own */
  uint32_t frame;
  uint32_t depth; /* of the root: 0 */
  uint32_t epoch; /* private */
  /* Of the last sum, when rtop_tree_has() it: */
  uint32_t first_child, next_sibling; /* 0: none */
  uint32_t below;                     /* nodes under it */
  uint32_t threads;                   /* have it on their stack at the end of the span */
  uint32_t leaves[RTOP_STATES];       /* have it as their leaf, by state */
  bool runs;                          /* one of them holds the GVL */
  struct rtop_cost self, total;
};

struct rtop_tree {
  struct rtop_tree_node *nodes;
  size_t count, capacity;
  uint32_t *touched; /* ids that the last sum holds, parents first */
  size_t touched_count, touched_capacity;
  uint64_t length_ns; /* of the sum: what 100 % of one thread is */
  uint32_t epoch;
  uint32_t shapes; /* grows when ids begin anew */
  bool folded;     /* recursion: a method is never below itself */
  void *scratch;   /* private */
};

/* Takes the costs of a sum. `fold`: a call of a method that is on the stack already counts for that
 * occurrence; changing it makes new ids. False: memory ran out. */
bool rtop_tree_build(struct rtop_tree *tree, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                     const struct rtop_methods_options *options, bool fold);
/* Other symbols come: no id stays. */
void rtop_tree_forget(struct rtop_tree *tree);
void rtop_tree_destroy(struct rtop_tree *tree);

bool rtop_tree_has(const struct rtop_tree *tree, uint32_t node);
/* The node of a method with the largest total; 0: it is not in the sum. */
uint32_t rtop_tree_find(const struct rtop_tree *tree, uint32_t frame, enum rtop_mode mode);
/* The node that a call node of the symbols is part of; 0: no sum that was built had it. */
uint32_t rtop_tree_of(const struct rtop_tree *tree, uint32_t node);

/* By mode: wall of all states, or CPU. */
uint64_t rtop_tree_clock(const struct rtop_cost *cost, enum rtop_mode mode);
/* What rows are ordered by: of total, but for self itself. In a tree the subtree counts. Names have no key:
 * 0. */
uint64_t rtop_tree_key(const struct rtop_cost *self, const struct rtop_cost *total, enum rtop_sort_key sort,
                       enum rtop_mode mode);

#endif
