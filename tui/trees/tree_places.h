/* The order of siblings in a tree, and where rows stood the last time, so that siblings do not change places for
 * nothing.
 *
 * The largest come first, equal ones by name. None stands above one that is shown as larger by more than a tenth of it
 * and by more than half a point and half of it; within that they keep their places, as in the table of methods (order.h). Threads: one. Memory belongs to the places and grows with the rows.
 */
#ifndef RTOP_TUI_TREE_PLACES_H
#define RTOP_TUI_TREE_PLACES_H

#include "tree.h"
#include "tui/text/calm.h"

struct rtop_tree_places {
  struct rtop_pairs index; /* private, as the rest: halves of a key to a place + 1; all zero: nothing is known */
  struct tree_place *places;
  size_t count, capacity;
  struct rtop_calm_row *calm; /* of the siblings at hand */
  uint64_t *heap;
  uint32_t *sorted;
  char *moved;
  size_t calm_capacity, heap_capacity, sorted_capacity, moved_capacity;
  enum rtop_sort_key sort; /* the order that they were in */
  bool reverse;
  double length, least; /* of the span, in nanoseconds, and a thousandth of it; 0: what is counted has none */
  double samples;
  uint32_t step;
};

/* What a row to come begins with. */
struct rtop_tree_sibling {
  uint64_t key;    /* the same in every build */
  uint64_t value;  /* the largest first, or last when reversed */
  uint64_t behind; /* among equal values the smallest first */
  uint32_t frame;  /* whose name decides then */
  uint64_t shown;  /* set by rtop_tree_places_order(): what the value is shown as (calm.h) */
};

/* Before rows are ordered: another order forgets all places. `samples`: of one thread in the span; 0: figures are shown as
 * they are. */
void rtop_tree_places_begin(struct rtop_tree_places *places, enum rtop_sort_key sort, bool reverse, uint64_t length_ns,
                            double samples);
/* Puts siblings in order, `count` elements of `bytes` each that begin with a struct rtop_tree_sibling: as
 * they are taken from a stack, the first one last. Without memory calmness is lost, nothing else. */
void rtop_tree_places_order(struct rtop_tree_places *places, const struct rtop_symbols *symbols, void *siblings,
                            size_t count, size_t bytes);
/* After it: rows from the top. `key_of` gives the key of a row. */
void rtop_tree_places_take(struct rtop_tree_places *places, const void *rows, size_t count,
                           uint64_t (*key_of)(const void *rows, size_t at));
void rtop_tree_places_destroy(struct rtop_tree_places *places);

#endif
