/* SPDX-License-Identifier: MIT */
/* Where everything stands: rectangles for any size of the terminal. Pure arithmetic, no curses.
 *
 * What goes first when the window shrinks: columns of the table (columns.h), then the rows footer, timeline, tabs, GC,
 * GVL. Title, verdict and table stay down to 20x5; below that one line is left. From 130 columns on there is a pane with details on the right.
 */
#ifndef RTOP_TUI_LAYOUT_H
#define RTOP_TUI_LAYOUT_H

#include <stdbool.h>

enum { LAYOUT_ROWS_MIN = 5, LAYOUT_COLUMNS_MIN = 20, LAYOUT_WIDE = 130, LAYOUT_TALL = 40 };

struct rect {
  int y, x, rows, columns; /* rows == 0: not shown */
};

enum layout_part {
  PART_TITLE,
  PART_VERDICT,
  PART_GVL,
  PART_GC,
  PART_TIMELINE,
  PART_TABS,
  PART_GRAPHS,
  PART_TABLE,
  PART_DETAIL,
  PART_FOOTER,
  PART_COUNT,
};

struct layout {
  int rows, columns;
  bool tiny; /* smaller than 20x5: only the title line is drawn */
  bool wide; /* header in two columns, detail pane */
  struct rect part[PART_COUNT];
};

/* What is wanted where there is room for it. */
struct layout_wish {
  bool header; /* bars and timeline */
  bool detail; /* the view has a pane of details */
  bool no_footer;
  bool text; /* of a file, in that pane: it is wider */
};
void layout_compute(struct layout *layout, int rows, int columns, const struct layout_wish *wish);

/* Takes rows off the top of the table for `count` graphs, an axis and a line of words; fewer graphs where
 * the table would get too small, none where there is no room for one. One of them is never taller than a
 * row. */
void layout_graphs(struct layout *layout, int count);
/* Rows of a graph: 2 on tall screens. */
int layout_graph_rows(const struct layout *layout);

#endif
