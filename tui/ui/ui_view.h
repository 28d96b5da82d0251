/* SPDX-License-Identifier: MIT */
/* The interface of a view to the viewer: its row in the list of views; functions are called in the order given here.
 * Threads: one. */
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
  bool detail;                         /* has a detail pane on the right of wide screens */
  bool text;                           /* of a file, in that pane */
  bool graphs;                         /* of the history, above the table */
  bool threads;                        /* does not draw methods, which are therefore
                                          not updated while the view is shown */
  bool calls;                          /* draws calls; rows of methods are not updated while the view is shown */
  bool exact;                          /* shows counted calls instead of samples if there are any (ui_calls.h) */
  bool tree;                           /* draws from ui->tree, which is updated while the view is shown */
  size_t bytes;                        /* size of the view's data in ui->data, zeroed before start() */
  void (*start)(struct ui *ui);        /* called once, before all others; may be NULL, as may all following functions */
  bool (*ratios)(const struct ui *ui); /* Are ratios of methods shown, which take time to compute? */
  void (*update)(struct ui *ui);       /* sum or rows changed */
  void (*open)(struct ui *ui);         /* the view is shown from now on: its cursor goes to ui->selected */
  /* writes text for the right end of the row of tabs, shown if there is room */
  void (*note)(const struct ui *ui, char *out, size_t bytes);
  void (*state)(const struct ui *ui, char *out, size_t bytes); /* like `note`, for text that
                                                                  must be shown; "" for none */
  void (*prepare)(struct ui *ui);                              /* called before drawing, when the sizes
                                                          of the view's parts are known */
  bool (*handle)(struct ui *ui, enum request request);         /* false: nothing to do for this request */
  void (*click)(struct ui *ui, int row, int x); /* handles a click within the table; row 0 is its heading */
  /* Describes the row under the cursor, with this view's own actions (ui_row_menu.h). NULL: the selected method. */
  void (*row)(struct ui *ui, struct ui_row *row);
  void (*forget)(struct ui *ui);                      /* called for another target, or at the end:
                                                         frees the data of the last target */
  struct ui_rows (*rows)(const struct ui *ui);        /* what a cursor moves over (ui_rows.h) */
  bool (*matches)(const struct ui *ui, size_t place); /* does the search find this row? */
  void (*go)(struct ui *ui, size_t place);            /* the user moves the cursor to this row */
  bool (*seek)(struct ui *ui);                        /* called when no row contains the searched text:
                                  goes to its place. False: there is none */
};

#endif
