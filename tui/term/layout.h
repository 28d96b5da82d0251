/* SPDX-License-Identifier: MIT */
/* The layout: rectangles for any size of the terminal. Pure arithmetic, no curses.
 *
 * As the window shrinks, first columns of the table are dropped (columns.h), then the rows footer, timeline, tabs, GC,
 * GVL. Title, verdict and table remain down to 20x5; below that only one line. From 130 columns on there is a pane for
 * details on the right.
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

/* Parts that are requested, if there is room for them. */
struct layout_wish {
  bool header; /* bars and timeline */
  bool detail; /* the view has a pane of details */
  bool no_footer;
  bool text; /* the pane shows text of a file, so it is wider */
};
void layout_compute(struct layout *layout, int rows, int columns, const struct layout_wish *wish);

/* Takes rows from the top of the table for `count` graphs, an axis and a line of text; for fewer graphs if the table
 * would become too small, for none if there is no room for a graph. A single graph is one row high. */
void layout_graphs(struct layout *layout, int count);
/* Number of rows of a graph: 2 on tall screens. */
int layout_graph_rows(const struct layout *layout);

#endif
