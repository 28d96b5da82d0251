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

/* In the order in which they stand on the screen when nothing was chosen. Figures come first. */
enum column {
  COLUMN_SELF,
  COLUMN_DELTA,
  COLUMN_TOTAL,
  COLUMN_WAIT,
  COLUMN_IO,
  COLUMN_GC,
  COLUMN_CPU,
  COLUMN_BLAME,
  COLUMN_THREADS,
  COLUMN_RATIO,
  COLUMN_RUN,
  COLUMN_SAMPLES,
  COLUMN_ALLOC,
  COLUMN_TOTAL_RUN,
  COLUMN_TOTAL_WAIT,
  COLUMN_TOTAL_IO,
  COLUMN_TOTAL_GC,
  COLUMN_TOTAL_CPU,
  COLUMN_TOTAL_BLAME,
  COLUMN_TOTAL_ALLOC,
  COLUMN_HIST,
  COLUMN_METHOD,
  COLUMN_LOCATION,
  COLUMN_COUNT,
};

enum column_kind {
  COLUMN_KIND_TIME, /* nanoseconds: a share of the span, or a time */
  COLUMN_KIND_RATE, /* a count: per second */
  COLUMN_KIND_COUNT,
  COLUMN_KIND_RATIO, /* nanoseconds: always a share of the span */
  COLUMN_KIND_OTHER, /* no figure */
};

struct column_info {
  const char *name;       /* on the command line, and of the sort key when there is one */
  const char *title;      /* per cent */
  const char *title_time; /* when figures are times or samples */
  int columns;            /* with the blank before it; 0: takes what is left */
  int sort;               /* enum rtop_sort_key; -1: cannot be sorted by */
  enum column_kind kind;
  const char *help;
};
const struct column_info *columns_info(enum column column);
/* The column of a sort key. */
enum column columns_of_sort(enum rtop_sort_key sort);

/* What the user wants to see; count 0: whatever is worth its place at the present width. */
struct columns_choice {
  int count;
  enum column at[COLUMN_COUNT];
  bool delta; /* something is compared: DELTA is there in any case, else never */
};

/* "self,total,wait,name", "auto" or "" for no choice; "+cpu,-gc" changes the choice that is there. False:
 * *problem says why, and the choice is as it was. */
bool columns_parse(struct columns_choice *choice, const char *text, const char **problem);
/* The other way: "auto" without a choice. */
void columns_write(const struct columns_choice *choice, char *out, size_t out_bytes);
/* One line per column, for --list-columns. */
void columns_list(FILE *out);

/* Puts a column in at its usual place, or takes it away; METHOD stays. */
void columns_toggle(struct columns_choice *choice, enum column column);
/* Moves it to the left (-1) or right (1) of its neighbour in the choice. */
void columns_move(struct columns_choice *choice, enum column column, int step);
bool columns_has(const struct columns_choice *choice, enum column column);

/* What is on the screen, left to right. */
struct columns_shown {
  int count;
  struct {
    enum column column;
    int x, columns;
  } at[COLUMN_COUNT];
};

/* Chooses the columns of a table of this width. `scroll` skips that many figures from the left (see
 * columns_scroll_max); with scroll 0 the column sorted by is always among them. */
void columns_fit(struct columns_shown *shown, const struct columns_choice *choice, int width, enum rtop_sort_key sort,
                 int scroll);
int columns_scroll_max(const struct columns_choice *choice, int width, enum rtop_sort_key sort);

#endif
