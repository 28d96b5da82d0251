/* SPDX-License-Identifier: MIT */
/* The call tree as cells: one row per depth, a cell as wide as its share of the root.
 *
 * A cell keeps its part of its parent while only chance moves it. A chain of calls of which each only makes the next
 * shares one cell, as it does one row of the tree. Geometry only, no screen. Cells narrower than two
 * columns are merged into one that says how many nodes it represents. Threads: one. The icicle owns its memory.
 */
#ifndef RTOP_TUI_ICICLE_H
#define RTOP_TUI_ICICLE_H

#include "tree.h"
#include "tui/text/hysteresis.h"

enum { RTOP_ICICLE_COLUMNS_MIN = 2, RTOP_ICICLE_DEPTH_MAX = 4096, RTOP_ICICLE_ROWS_MAX = 3 };

struct rtop_icicle_cell {
  uint32_t node;   /* node of the tree; 0 for the root of all and for merged cells */
  uint32_t parent; /* index of the parent's cell; 0 for the first cell */
  uint32_t depth;  /* below the root of the icicle */
  uint32_t merged; /* > 0: that many nodes, too narrow each */
  uint32_t chain;  /* > 0: that many nodes, of which each only calls the next; `node` is the last, `first` the first */
  uint32_t first;
  int x, columns;
};

struct rtop_icicle {
  struct rtop_icicle_cell *cells; /* by depth, then from the left */
  size_t count, capacity;
  size_t *first; /* index of the first cell of each depth; first[depths] is count */
  size_t depths, depth_capacity;
  size_t merged; /* nodes in merged cells */
  struct rtop_icicle_child {
    uint32_t node;
    double ns;  /* that it is drawn with */
  } * children; /* private */
  size_t children_capacity;
};

struct rtop_icicle_look {
  uint32_t root; /* node that takes all columns */
  int columns;
  enum rtop_sort_key sort;
  bool reverse;
  enum rtop_mode mode;
  double least_percent; /* percentage of the span; smaller nodes are treated as too narrow */
  uint32_t chains;      /* minimum length of chains; 0: every node has its own cell */
  uint32_t kept;        /* node at which a chain ends, so that it has a cell */
  /* keeps parts of parents constant while they fluctuate (hysteresis.h); NULL: shows them as they are */
  struct rtop_hysteresis *hysteresis;
  double samples; /* of one thread in the span */
};

/* Builds the cells. False when memory ran out. There are no cells when the root is not in the sum or has no time. */
bool rtop_icicle_build(struct rtop_icicle *icicle, const struct rtop_tree *tree, const struct rtop_symbols *symbols,
                       const struct rtop_icicle_look *look);
void rtop_icicle_destroy(struct rtop_icicle *icicle);

/* Returns the height of cells (rows) at which all depths fit into this many rows; 1 if they do not fit. */
int rtop_icicle_cell_rows(const struct rtop_icicle *icicle, int rows);

/* Index of a node's cell, perhaps that of its chain; SIZE_MAX: it has none. */
size_t rtop_icicle_find(const struct rtop_icicle *icicle, const struct rtop_tree *tree, uint32_t node);
/* The cell at a depth and column, else the nearest at that depth. SIZE_MAX: nothing is so deep. */
size_t rtop_icicle_at(const struct rtop_icicle *icicle, uint32_t depth, int x);

#endif
