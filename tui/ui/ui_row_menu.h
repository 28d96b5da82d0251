/* SPDX-License-Identifier: MIT */
/* The menu for the row under the cursor: first the view's own actions, then those for any method. Each entry does what
 * a key does, or fills in a filter or pattern with the method's name. Threads: one.
 */
#ifndef RTOP_TUI_UI_ROW_MENU_H
#define RTOP_TUI_UI_ROW_MENU_H

#include "tui/term/keys.h"
#include <stdbool.h>
#include <stdint.h>

struct ui;

/* Values of entries: a request of keys.h, or one of the following actions. */
enum ui_row_action {
  ROW_CALLERS = 1 << 16, /* the tree of callers, at the method */
  ROW_CALLEES,           /* the tree of what it calls */
  ROW_FILTER,
  ROW_EXCLUDE,
  ROW_COPY_NAME,
  ROW_COPY_PLACE,
  ROW_SOURCE_OF, /* source of the method that contains the row, if the row itself is not a method */
  ROW_THREAD_TREE,
  ROW_STALL_THREADS,
  ROW_TRACE,
  ROW_LABEL_METHODS, /* only this label, in that view */
  ROW_LABEL_TREE,
};

enum { ROW_OWN_MAX = 8 };

/* The row under the cursor, as described by the view (view_ops.row), whose function starts from the selected method. */
struct ui_row {
  uint32_t frame; /* the method; 0: none */
  uint32_t node;  /* node of the call that the row refers to, as shown; 0: any */
  /* name of a row that is not a method (a thread, a package, a stall); NULL: the row is the method */
  const char *name;
  char text[256];                      /* room for such a name */
  uint32_t line;                       /* line in the method's file; 0: the method's first line */
  bool in_callers, in_tree, in_source; /* it stands there already */
  struct {
    int letter, action;
    const char *label;
  } own[ROW_OWN_MAX]; /* actions of this view only; Enter chooses the first */
  int own_count;
};
void ui_row_can(struct ui_row *row, int letter, const char *label, int action);

/* Opens the menu, or shows a message that nothing is under the cursor. */
void ui_row_menu_open(struct ui *ui);
/* Carries out an entry, unless it opens a view. False: the caller must do it. */
bool ui_row_menu_act(struct ui *ui, int action);

#endif
