/* SPDX-License-Identifier: MIT */
/* The columns of the method table: which exist, which the user chose, which fit. Pure arithmetic, no curses.
 *
 * Without a choice the width decides: location, history, GC%, ALLOC/s and WAIT% are dropped first as the window
 * shrinks. A chosen set of columns is shown in the order of the choice, as far as the width suffices. The column of
 * names is always shown, and so is the sort column unless the table is scrolled past it.
 */
#ifndef RTOP_TUI_COLUMNS_H
#define RTOP_TUI_COLUMNS_H

#include "tui/methods/methods.h"
#include <stdbool.h>
#include <stdio.h>

struct column_info {
  const char *name;       /* on the command line */
  const char *title;      /* per cent */
  const char *title_time; /* when figures are times or samples */
  int columns;            /* width including the blank before the column; 0: it takes the remaining width */
  enum rtop_figure figure;
  int from; /* table width from which the column is shown without a choice */
  const char *help;
};
const struct column_info *columns_info(enum rtop_sort_key column);
/* Is the column known for counted calls? */
bool columns_of_calls(enum rtop_sort_key column);
/* Writes an exact figure of a traced method (RTOP_FIGURE_EXACT); "-" for other methods. */
void columns_exact_text(const struct rtop_method_row *row, enum rtop_sort_key column, char *out, size_t out_bytes);

/* The user's choice of columns; count 0: the columns that suit the present width. */
struct columns_choice {
  int count;
  enum rtop_sort_key at[RTOP_SORT_KEYS];
  bool traced; /* methods are being traced: adds CALLS/s and MEAN where there is room */
  bool calls;  /* all calls were counted: only columns that calls have are shown */
  bool delta;  /* a comparison: DELTA is always shown, otherwise never */
};

/* Parses "self,total,wait,name", "auto" or "" for no choice; "+cpu,-gc" changes the present choice. False: the text is
 * invalid, the choice is unchanged, and *problem says why. */
bool columns_parse(struct columns_choice *choice, const char *text, const char **problem);
/* The other way: "auto" without a choice. */
void columns_write(const struct columns_choice *choice, char *out, size_t out_bytes);
/* One line per column, for --list-columns. */
void columns_list(FILE *out);

/* Adds a column at its usual position, or removes it; METHOD always stays. */
void columns_toggle(struct columns_choice *choice, enum rtop_sort_key column);
/* Moves a column past its left (-1) or right (1) neighbour in the choice. */
void columns_move(struct columns_choice *choice, enum rtop_sort_key column, int step);
bool columns_has(const struct columns_choice *choice, enum rtop_sort_key column);

/* The columns on the screen, from left to right. */
struct columns_shown {
  int count;
  struct {
    enum rtop_sort_key column;
    int x, columns;
  } at[RTOP_SORT_KEYS];
};

/* Chooses the columns for a table of this width. `scroll`: number of figures that are skipped from the left (see
 * columns_scroll_max()); with scroll 0 the sort column is always included. */
void columns_fit(struct columns_shown *shown, const struct columns_choice *choice, int width, enum rtop_sort_key sort,
                 int scroll);
int columns_scroll_max(const struct columns_choice *choice, int width, enum rtop_sort_key sort);

#endif
