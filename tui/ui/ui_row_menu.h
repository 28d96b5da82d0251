/* The menu of what can be done with the method under the cursor, the same in all views. Each entry is what a key of its
 * own does, or the filter and the patterns with the method's name filled in. Threads: one.
 */
#ifndef RTOP_TUI_UI_ROW_MENU_H
#define RTOP_TUI_UI_ROW_MENU_H

#include "tui/term/keys.h"
#include <stdbool.h>

struct ui;

/* Values of its entries: a request of keys.h, or one of these. */
enum ui_row_action {
  ROW_CALLERS = 1 << 16, /* the tree of callers, at the method */
  ROW_CALLEES,           /* the tree of what it calls */
  ROW_FILTER,
  ROW_EXCLUDE,
  ROW_COPY_NAME,
  ROW_COPY_PLACE,
};

/* Without a method under the cursor it says so. */
void ui_row_menu_open(struct ui *ui);
/* Does what an entry says, but for those that open a view. False: that is somebody else's. */
bool ui_row_menu_act(struct ui *ui, int action);

#endif
