/* SPDX-License-Identifier: MIT */
/* Shared by the halves of the labels view: behaviour (view_labels.c) and appearance (view_labels_draw.c). */
#ifndef RTOP_TUI_VIEW_LABELS_H
#define RTOP_TUI_VIEW_LABELS_H

#include "tui/methods/live.h"
#include "tui/tables/label_order.h"
#include "tui/ui/ui.h"

struct labels_view {
  struct rtop_live *live; /* live sum by label sets; made when the view is shown for the first time */
  struct rtop_sum sum;
  struct label_table table;
  struct label_order order;
  char key[RTOP_LABEL_KEY_MAX + 1]; /* whose values are shown */
  bool chosen;                      /* by the user */
  bool by_each;                     /* labelled work mostly waits, so rows are sorted by time per begin, */
  bool by_self;                     /* unless the user wants what is busy */
  enum rtop_sort_key sort_before;
  struct pager pager;
  bool anchored;
  uint64_t anchor; /* id of the row under the cursor */
  bool open;       /* the slow blocks of that row are shown below the table, */
  bool closed;     /* unless the user wants none */
  struct off_ways ways;
};

/* Number of rows below the table for slow blocks of the row under the cursor; 0: they are not shown. */
int labels_slow_rows(const struct ui *ui);
/* Draws them there. */
void labels_draw_slow(struct ui *ui, struct rect below);

extern const struct view_ops view_labels;
void labels_draw(struct ui *ui);

struct labels_column {
  enum rtop_sort_key sort;
  const char *title, *title_time;
  int columns, from; /* columns: width including the blank before the column;
                        from: table width from which the column is shown, */
  int from_timed;    /* and from_timed: the same where durations of blocks are known */
};
enum { LABELS_COLUMNS = 8 };
/* Are durations of blocks known? Then quantiles and causes are shown instead of less exact figures. */
bool labels_are_timed(const struct ui *ui);
const struct labels_column *labels_column(int index);
/* Is the column shown? Busy time and CPU time depend on the mode; all time always has a column. */
bool labels_column_is_shown(const struct ui *ui, int index);
/* Returns the column by which rows are sorted; RTOP_SORT_NAME: none of the columns. */
enum rtop_sort_key labels_view_sort(const struct ui *ui);
const struct label_row *labels_view_row(const struct ui *ui, size_t place);
struct ui_rows labels_view_rows(const struct ui *ui);

#endif
