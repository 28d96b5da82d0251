/* SPDX-License-Identifier: MIT */
/* Which nodes of a tree were opened or closed, by keys that last longer than any build of the tree.
 *
 * Threads: one. Memory grows with the nodes that were decided about. When it runs out, a choice is not
 * taken: the node stays as it was.
 */
#ifndef RTOP_TUI_TREE_CHOICES_H
#define RTOP_TUI_TREE_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RTOP_TREE_UNDECIDED, RTOP_TREE_OPEN, RTOP_TREE_CLOSED };

struct rtop_tree_choices { /* private; all zero: nothing was decided */
  struct tree_choice *table;
  uint8_t *near; /* by key, of small ones: ids of nodes are asked for in every update */
  size_t near_capacity;
};

int rtop_tree_choice(const struct rtop_tree_choices *choices, uint64_t key);
void rtop_tree_choose(struct rtop_tree_choices *choices, uint64_t key, bool open);
void rtop_tree_choices_clear(struct rtop_tree_choices *choices);

#endif
