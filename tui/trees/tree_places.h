/* The order of siblings in a tree, and where rows stood the last time, so that neighbours do not change
 * places for nothing.
 *
 * The largest come first, equal ones by name. Two rows that differ by less than a tenth of a point keep the
 * order that they had; as in the table of methods (order.h). Threads: one. Memory belongs to the places and
 * grows with the rows.
 */
#ifndef RTOP_TUI_TREE_PLACES_H
#define RTOP_TUI_TREE_PLACES_H

#include "tree.h"

struct rtop_tree_places {
  struct tree_place *places; /* private; all zero: nothing is known */
  size_t count, capacity;
  enum rtop_sort_key sort; /* the order that they were in */
  bool reverse;
  uint64_t tolerance;
};

/* What a row to come begins with. */
struct rtop_tree_sibling {
  uint64_t key;    /* the same in every build */
  uint64_t value;  /* the largest first, or last when reversed */
  uint64_t behind; /* among equal values the smallest first */
  uint32_t frame;  /* whose name decides then */
};

/* Before rows are ordered: another order forgets all places. */
void rtop_tree_places_begin(struct rtop_tree_places *places, enum rtop_sort_key sort, bool reverse, uint64_t length_ns);
/* For neighbours as they were sorted, by key of the row and what they are sorted by: are they to change
 * places? */
bool rtop_tree_places_swap(const struct rtop_tree_places *places, uint64_t above, uint64_t above_value, uint64_t below,
                           uint64_t below_value);
/* Puts siblings in order, `count` elements of `bytes` each that begin with a struct rtop_tree_sibling: as
 * they are taken from a stack, the first one last. */
void rtop_tree_places_order(const struct rtop_tree_places *places, const struct rtop_symbols *symbols, void *siblings,
                            size_t count, size_t bytes);
/* After it: rows from the top. `key_of` gives the key of a row. When memory runs out nothing is known. */
void rtop_tree_places_take(struct rtop_tree_places *places, const void *rows, size_t count,
                           uint64_t (*key_of)(const void *rows, size_t at));
void rtop_tree_places_destroy(struct rtop_tree_places *places);

#endif
