/* SPDX-License-Identifier: MIT */
/* The order of siblings in a tree: largest first, equal ones by name. Values are compared as they are displayed, so no
 * row is above one with a larger displayed value (as in the method table, order.h). Pure.
 */
#ifndef RTOP_TUI_TREE_PLACES_H
#define RTOP_TUI_TREE_PLACES_H

#include "tree.h"

struct rtop_tree_places {
  enum rtop_sort_key sort;
  bool reverse;
  uint64_t shares_of_ns; /* times are displayed as shares of this (ns), in tenths
                            of a percent; 0: times are displayed as times */
};

/* What a row to come begins with. */
struct rtop_tree_sibling {
  uint64_t key;    /* the same in every build */
  uint64_t value;  /* the largest first, or last when reversed */
  uint64_t behind; /* among equal values the smallest first */
  uint32_t frame;  /* whose name decides then */
};

/* Sorts siblings, `count` elements of `bytes` bytes that begin with a struct rtop_tree_sibling, in the order of a stack
 * from which they are popped: the first sibling comes last. */
void rtop_tree_places_order(const struct rtop_tree_places *places, const struct rtop_symbols *symbols, void *siblings,
                            size_t count, size_t bytes);

#endif
