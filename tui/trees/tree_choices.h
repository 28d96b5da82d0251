/* SPDX-License-Identifier: MIT */
/* The nodes of a tree that the user opened or closed, by keys that stay valid when the tree is rebuilt.
 *
 * Threads: one. Memory grows with the number of choices; when it runs out, a choice is not stored and the node stays
 * as it was.
 */
#ifndef RTOP_TUI_TREE_CHOICES_H
#define RTOP_TUI_TREE_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RTOP_TREE_UNDECIDED, RTOP_TREE_OPEN, RTOP_TREE_CLOSED };

struct rtop_tree_choices { /* private; all zero: nothing was decided */
  struct tree_choice *table;
  uint8_t *near; /* choices of small keys, by key, since ids of nodes are searched at every update */
  size_t near_capacity;
};

int rtop_tree_choice(const struct rtop_tree_choices *choices, uint64_t key);
void rtop_tree_choose(struct rtop_tree_choices *choices, uint64_t key, bool open);
void rtop_tree_choices_clear(struct rtop_tree_choices *choices);

#endif
