/* SPDX-License-Identifier: MIT */
/* The calling context tree of a sum, merged by method: nodes that differ only in the executed line become one.
 *
 * The shape grows with the symbols and keeps its ids, so nodes that a user opened stay open. Costs are those of the
 * last sum; a build only touches that sum's nodes.
 *
 * A filter selects stacks with a matching method, or with invert those without one. Threads: one. The tree
 * owns its memory.
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
  uint32_t threads;                   /* number of threads that have the node on their stack at the end of the span */
  uint32_t leaves[RTOP_STATES];       /* have it as their leaf, by state */
  bool runs;                          /* one of them holds the GVL */
  struct rtop_cost self, total;
};

struct rtop_tree {
  struct rtop_tree_node *nodes;
  size_t count, capacity;
  uint32_t *touched; /* ids in the last sum, parents first */
  size_t touched_count, touched_capacity;
  uint64_t length_ns; /* length of the sum's span, which is 100 % of one thread */
  uint32_t epoch;
  uint32_t shapes; /* grows when ids begin anew */
  bool folded;     /* recursion: a method is never below itself */
  void *scratch;   /* private */
};

/* Takes the costs of a sum. `fold`: a recursive call counts for the first occurrence of its method; changing `fold`
 * makes new ids. False: memory ran out. */
bool rtop_tree_build(struct rtop_tree *tree, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                     const struct rtop_methods_options *options, bool fold);
/* Other symbols come: no id stays. */
void rtop_tree_forget(struct rtop_tree *tree);
void rtop_tree_destroy(struct rtop_tree *tree);

bool rtop_tree_has(const struct rtop_tree *tree, uint32_t node);
/* Returns the node of a method with the largest total; 0: the method is not in the sum. */
uint32_t rtop_tree_find(const struct rtop_tree *tree, uint32_t frame, enum rtop_mode mode);
/* Returns the tree's node that contains a node of the symbols; 0: no sum so far had this node. */
uint32_t rtop_tree_of(const struct rtop_tree *tree, uint32_t node);

/* Returns the time by mode: wall time of all states, or CPU time. */
uint64_t rtop_tree_clock(const struct rtop_cost *cost, enum rtop_mode mode);
/* The call that is all a node does: its only child of at least least_ns, where its own time reads as 0.0; else 0. Such
 * calls make chains. */
uint32_t rtop_tree_only_call(const struct rtop_tree *tree, uint32_t node, enum rtop_mode mode, uint64_t least_ns);
/* The value that rows are sorted by: from total, except for self itself, since the subtree counts in a tree. Names
 * have no value: 0. */
uint64_t rtop_tree_key(const struct rtop_cost *self, const struct rtop_cost *total, enum rtop_sort_key sort,
                       enum rtop_mode mode);

#endif
