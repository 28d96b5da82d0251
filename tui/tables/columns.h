/* SPDX-License-Identifier: MIT */
/* The columns of the method table: what there is, what the user chose, which of them fit. Pure
 * arithmetic, no curses.
 *
 * Without a choice the width decides: location, history, GC%, ALLOC/s and WAIT% go first when the window
 * shrinks. A choice is shown in its own order, as far as it fits. The column of names is always there,
 * and so is the column sorted by, unless the table is scrolled past it.
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
  int columns;            /* with the blank before it; 0: takes what is left */
  enum rtop_figure figure;
  int from; /* the width of the table from which on it is worth its place */
  const char *help;
};
const struct column_info *columns_info(enum rtop_sort_key column);
/* Is it known of calls that were all traced? */
bool columns_of_calls(enum rtop_sort_key column);
/* A figure of a traced method (RTOP_FIGURE_EXACT) as text; "-" of others. */
void columns_exact_text(const struct rtop_method_row *row, enum rtop_sort_key column, char *out, size_t out_bytes);

/* What the user wants to see; count 0: whatever is worth its place at the present width. */
struct columns_choice {
  int count;
  enum rtop_sort_key at[RTOP_SORT_KEYS];
  bool traced; /* methods are: CALLS/s and MEAN are there, where there is room */
  bool calls;  /* all calls are: nothing but what is known of them is there */
  bool delta;  /* something is compared: DELTA is there in any case, else never */
};

/* "self,total,wait,name", "auto" or "" for no choice; "+cpu,-gc" changes the choice that is there. False:
 * *problem says why, and the choice is as it was. */
bool columns_parse(struct columns_choice *choice, const char *text, const char **problem);
/* The other way: "auto" without a choice. */
void columns_write(const struct columns_choice *choice, char *out, size_t out_bytes);
/* One line per column, for --list-columns. */
void columns_list(FILE *out);

/* Puts a column in at its usual place, or takes it away; METHOD stays. */
void columns_toggle(struct columns_choice *choice, enum rtop_sort_key column);
/* Moves it to the left (-1) or right (1) of its neighbour in the choice. */
void columns_move(struct columns_choice *choice, enum rtop_sort_key column, int step);
bool columns_has(const struct columns_choice *choice, enum rtop_sort_key column);

/* What is on the screen, left to right. */
struct columns_shown {
  int count;
  struct {
    enum rtop_sort_key column;
    int x, columns;
  } at[RTOP_SORT_KEYS];
};

/* Chooses the columns of a table of this width. `scroll` skips that many figures from the left (see
 * columns_scroll_max); with scroll 0 the column sorted by is always among them. */
void columns_fit(struct columns_shown *shown, const struct columns_choice *choice, int width, enum rtop_sort_key sort,
                 int scroll);
int columns_scroll_max(const struct columns_choice *choice, int width, enum rtop_sort_key sort);

#endif
