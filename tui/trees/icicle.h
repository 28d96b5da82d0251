/* SPDX-License-Identifier: MIT */
/* The tree of calls as cells: one row per depth, a cell as wide as its share of the root.
 *
 * A cell keeps its part of the one above it while only chance moves it. Geometry only, no screen. Cells that would be narrower than two columns are put together into one that
 * tells how many nodes it stands for. Threads: one. Memory belongs to the icicle.
 */
#ifndef RTOP_TUI_ICICLE_H
#define RTOP_TUI_ICICLE_H

#include "tree.h"
#include "tui/text/calm.h"

enum { RTOP_ICICLE_COLUMNS_MIN = 2, RTOP_ICICLE_DEPTH_MAX = 4096, RTOP_ICICLE_ROWS_MAX = 3 };

struct rtop_icicle_cell {
  uint32_t node;   /* of the tree; 0 for the root of all and for merged cells */
  uint32_t parent; /* index of the cell above it; of the first: 0 */
  uint32_t depth;  /* below the root of the icicle */
  uint32_t merged; /* > 0: that many nodes, too narrow each */
  int x, columns;
};

struct rtop_icicle {
  struct rtop_icicle_cell *cells; /* by depth, then from the left */
  size_t count, capacity;
  size_t *first; /* by depth: index of its first cell; [depths] is count */
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
  double least_percent;   /* of the span; nodes below are as if too narrow */
  struct rtop_calm *calm; /* keeps parts of parents while they swing (calm.h); NULL: they are as they are */
  double samples;         /* of one thread in the span */
};

/* False when memory ran out. No cells when the root is not in the sum or has no time. */
bool rtop_icicle_build(struct rtop_icicle *icicle, const struct rtop_tree *tree, const struct rtop_symbols *symbols,
                       const struct rtop_icicle_look *look);
void rtop_icicle_destroy(struct rtop_icicle *icicle);

/* How high cells can be so that all depths are seen in so many rows; 1 when that is not so. */
int rtop_icicle_cell_rows(const struct rtop_icicle *icicle, int rows);

/* Index of a node's cell; SIZE_MAX: it has none of its own. */
size_t rtop_icicle_find(const struct rtop_icicle *icicle, uint32_t node);
/* The cell of a depth that stands at a column, else the nearest one. SIZE_MAX: nothing is so deep. */
size_t rtop_icicle_at(const struct rtop_icicle *icicle, uint32_t depth, int x);

#endif
