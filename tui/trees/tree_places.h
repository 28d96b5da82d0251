/* SPDX-License-Identifier: MIT */
/* The order of siblings in a tree: largest first, equal ones by name. Values count as they read on the screen, so no
 * row is above one that reads larger (as in the method table, order.h). Pure.
 */
#ifndef RTOP_TUI_TREE_PLACES_H
#define RTOP_TUI_TREE_PLACES_H

#include "tree.h"

struct rtop_tree_places {
  enum rtop_sort_key sort;
  bool reverse;
  uint64_t shares_of_ns; /* times are shown as shares of this, in tenths of a percent; 0: as they are */
};

/* What a row to come begins with. */
struct rtop_tree_sibling {
  uint64_t key;    /* the same in every build */
  uint64_t value;  /* the largest first, or last when reversed */
  uint64_t behind; /* among equal values the smallest first */
  uint32_t frame;  /* whose name decides then */
};

/* Sorts siblings, `count` elements of `bytes` that begin with a struct rtop_tree_sibling, for removal from a stack:
 * the first one last. */
void rtop_tree_places_order(const struct rtop_tree_places *places, const struct rtop_symbols *symbols, void *siblings,
                            size_t count, size_t bytes);

#endif
