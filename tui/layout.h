/* Where everything stands: rectangles for any size of the terminal, and which columns fit. Pure
 * arithmetic, no curses.
 *
 * What goes first when the window shrinks: location column, history, GC%, ALLOC/s, WAIT%; then the rows
 * timeline, threads, GC, GVL, tabs, footer. Title and table stay down to 20x5; below that one line is
 * left. From 130 columns on there is a pane with details on the right.
 */
#ifndef RTOP_TUI_LAYOUT_H
#define RTOP_TUI_LAYOUT_H

#include "methods.h"
#include <stdbool.h>

enum { LAYOUT_ROWS_MIN = 5, LAYOUT_COLUMNS_MIN = 20, LAYOUT_WIDE = 130 };

struct rect {
  int y, x, rows, columns;             /* rows == 0: not shown */
};

enum layout_part {
  PART_TITLE, PART_GVL, PART_GC, PART_CPU, PART_THREADS, PART_TIMELINE, PART_TABS, PART_TABLE, PART_DETAIL,
  PART_FOOTER,
  PART_COUNT,
};

struct layout {
  int rows, columns;
  bool tiny;                           /* smaller than 20x5: only the title line is drawn */
  bool wide;                           /* header in two columns, detail pane */
  struct rect part[PART_COUNT];
};

/* `header`: the user wants bars; `detail`: the view has a pane of details. */
void layout_compute(struct layout *layout, int rows, int columns, bool header, bool detail);

/* Columns of the method table, in the order in which they stand on the screen. */
enum column {
  COLUMN_SELF, COLUMN_TOTAL, COLUMN_WAIT, COLUMN_IO, COLUMN_GC, COLUMN_CPU, COLUMN_BLAME, COLUMN_THREADS,
  COLUMN_RATIO, COLUMN_ALLOC, COLUMN_HIST, COLUMN_METHOD, COLUMN_LOCATION,
  COLUMN_COUNT,
};

struct column_info {
  const char *title;                   /* per cent */
  const char *title_time;              /* when figures are times or samples */
  int columns;                         /* with the blank before it; 0: takes what is left */
  int sort;                            /* enum rtop_sort_key; -1: cannot be sorted by */
};
const struct column_info *layout_column(enum column column);
/* The column of a sort key. */
enum column layout_column_of(enum rtop_sort_key sort);

struct layout_columns {
  int count;
  struct { enum column column; int x, columns; } at[COLUMN_COUNT];
};

/* Chooses the columns of a table. `scroll` skips that many figures from the left (see
 * layout_scroll_max); with scroll 0 the column sorted by is always among them. */
void layout_columns_choose(struct layout_columns *columns, int width, enum rtop_sort_key sort, int scroll);
int layout_scroll_max(int width);

#endif
