/* SPDX-License-Identifier: MIT */
/* The menu of what can be done with the row under the cursor: first what only this view does with it, then what can be
 * done with any method. Each entry is what a key of its own does, or the filter and the patterns with the method's name
 * filled in. Threads: one.
 */
#ifndef RTOP_TUI_UI_ROW_MENU_H
#define RTOP_TUI_UI_ROW_MENU_H

#include "tui/term/keys.h"
#include <stdbool.h>
#include <stdint.h>

struct ui;

/* Values of its entries: a request of keys.h, or one of these. */
enum ui_row_action {
  ROW_CALLERS = 1 << 16, /* the tree of callers, at the method */
  ROW_CALLEES,           /* the tree of what it calls */
  ROW_FILTER,
  ROW_EXCLUDE,
  ROW_COPY_NAME,
  ROW_COPY_PLACE,
  ROW_SOURCE_OF, /* what is no method: of the method that it is in */
  ROW_THREAD_TREE,
  ROW_STALL_THREADS,
  ROW_TRACE,
  ROW_LABEL_METHODS, /* only this label, in that view */
  ROW_LABEL_TREE,
};

enum { ROW_OWN_MAX = 8 };

/* What stands under the cursor. The view says it (view_ops.row): it gets the method that is selected. */
struct ui_row {
  uint32_t frame;                      /* the method; 0: none */
  uint32_t node;                       /* the call of it that is meant, as shown; 0: any */
  const char *name;                    /* of what is no method: a thread, a package, a stall; NULL: it is the method */
  char text[256];                      /* room for such a name */
  uint32_t line;                       /* of the method's file; 0: where the method begins */
  bool in_callers, in_tree, in_source; /* it stands there already */
  struct {
    int letter, action;
    const char *label;
  } own[ROW_OWN_MAX]; /* what only this view does; the first is chosen by Enter */
  int own_count;
};
void ui_row_can(struct ui_row *row, int letter, const char *label, int action);

/* Without anything under the cursor it says so. */
void ui_row_menu_open(struct ui *ui);
/* Does what an entry says, but for those that open a view. False: that is somebody else's. */
bool ui_row_menu_act(struct ui *ui, int action);

#endif
