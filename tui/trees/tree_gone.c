/* SPDX-License-Identifier: MIT */
/* Nodes that only the sum before had. */
#include "tree_gone.h"

#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

static bool gone_reserve(struct rtop_tree_gone *gone, size_t count)
{
  if (!rtop_reserve(&gone->first_child, &gone->first_capacity, count, sizeof *gone->first_child) ||
      !rtop_reserve(&gone->next_sibling, &gone->next_capacity, count, sizeof *gone->next_sibling) ||
      !rtop_reserve(&gone->below, &gone->below_capacity, count, sizeof *gone->below))
    return false;
  memset(gone->first_child, 0, count * sizeof *gone->first_child);
  memset(gone->below, 0, count * sizeof *gone->below);
  return true;
}

/* A parent has a smaller id than its children: when nodes are visited from the last id down, the sum of a subtree is
   complete when its node is visited. */
bool rtop_tree_gone_build(struct rtop_tree_gone *gone, const struct rtop_tree *tree, const struct rtop_cost *before,
                          size_t count, enum rtop_mode mode, uint64_t least_ns)
{
  count = count < tree->count ? count : tree->count;
  gone->count = gone->leaf_count = 0;
  gone->before = before;
  gone->mode = mode;
  if (!gone_reserve(gone, count + 1)) return false;
  for (size_t id = count; id-- > 1;) {
    uint64_t was_ns = rtop_tree_clock(&before[id], mode);
    uint32_t parent = tree->nodes[id].parent;
    bool here = !rtop_tree_has(tree, (uint32_t)id) && was_ns > 0 && was_ns >= least_ns;
    if (here) {
      gone->next_sibling[id] = gone->first_child[parent];
      gone->first_child[parent] = (uint32_t)id;
    }
    gone->below[parent] += gone->below[id] + here;
  }
  gone->count = count;
  return true;
}

bool rtop_tree_gone_leaf(struct rtop_tree_gone *gone, uint32_t frame, uint64_t lost_ns)
{
  if (!rtop_reserve(&gone->leaves, &gone->leaf_capacity, gone->leaf_count + 1, sizeof *gone->leaves)) return false;
  gone->leaves[gone->leaf_count++] = (struct rtop_tree_leaf){ frame, lost_ns };
  return true;
}

void rtop_tree_gone_destroy(struct rtop_tree_gone *gone)
{
  free(gone->first_child);
  free(gone->next_sibling);
  free(gone->below);
  free(gone->leaves);
  *gone = (struct rtop_tree_gone){ 0 };
}
