/* SPDX-License-Identifier: MIT */
/* What a view is to the viewer: its row in the list of views, called in the order written here. Threads: one. */
#ifndef RTOP_TUI_UI_VIEW_H
#define RTOP_TUI_UI_VIEW_H

#include "tui/term/keys.h"
#include <stdbool.h>
#include <stddef.h>

struct ui;
struct ui_row;
struct ui_rows;

struct view_ops {
  enum view_id id;
  bool detail;                         /* has a pane on the right of wide screens */
  bool text;                           /* of a file, in that pane */
  bool graphs;                         /* of the history, above the table */
  bool threads;                        /* draws no methods: these are not kept up to date while it is shown */
  bool calls;                          /* draws calls: rows of methods are not kept up to date meanwhile */
  bool exact;                          /* shows all calls in the place of samples when they are known (ui_calls.h) */
  bool tree;                           /* draws from ui->tree: kept up to date while it is shown */
  size_t bytes;                        /* of what the view keeps in ui->data: zeros, then start() */
  void (*start)(struct ui *ui);        /* once, before anything else; may be NULL like all below */
  bool (*ratios)(const struct ui *ui); /* shows ratios of methods: they take time to make */
  void (*update)(struct ui *ui);       /* sum or rows changed */
  void (*open)(struct ui *ui);         /* comes to the screen: the cursor goes to ui->selected */
  void (*note)(const struct ui *ui, char *out, size_t bytes); /* at the right of the row of tabs, where there is room */
  void (*state)(const struct ui *ui, char *out, size_t bytes); /* the same, but must be told: "" for nothing */
  void (*prepare)(struct ui *ui);                      /* before it is drawn: what follows from the size of its parts */
  bool (*handle)(struct ui *ui, enum request request); /* false: nothing to do for this request */
  void (*click)(struct ui *ui, int row, int x);        /* within the table; row 0 is its heading */
  /* What stands under the cursor, and what only this view does with it (ui_row_menu.h). NULL: the method selected. */
  void (*row)(struct ui *ui, struct ui_row *row);
  void (*forget)(struct ui *ui);               /* another target, or the end: frees what there was of the last one */
  struct ui_rows (*rows)(const struct ui *ui); /* what a cursor moves over (ui_rows.h) */
  bool (*matches)(const struct ui *ui, size_t place); /* does the search find this row? */
  void (*go)(struct ui *ui, size_t place);            /* the user moves the cursor to this row */
  bool (*seek)(struct ui *ui); /* what is searched for is in no row: goes where it is. False: nowhere */
};

#endif
