/* SPDX-License-Identifier: MIT */
/* The viewer as a whole: its views, and the two operations on the screen's state (ui.h): updating the model, and
 * drawing it. The loop (app.c), the one-screen dump and the tests use the same functions.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_VIEWER_H
#define RTOP_TUI_VIEWER_H

#include "tui/term/theme.h"
#include "tui/ui/ui.h"

struct mouse_event;

/* Each view's operations and drawing: table, detail and tiny screen; ui->layout has the rectangles. */
#define DATA_VIEW(id, name, ...) OTHER_VIEW(id, name)
#define OTHER_VIEW(id, name)                                                                                           \
  extern const struct view_ops view_##name;                                                                            \
  void name##_draw(struct ui *ui);
#include "tui/term/views.def"

bool ui_init(struct ui *ui, const struct rtop_options *options);
void ui_destroy(struct ui *ui);

/* Switches to another target: forgets everything about the previous one. */
void ui_watch(struct ui *ui, struct rtop_profile *profile);
void ui_open_view(struct ui *ui, enum view_id id);

const struct view_ops *ui_view(enum view_id id);

/* Sums up the span, builds rows, and informs the view. False when memory ran out. */
bool ui_update(struct ui *ui);
/* Draws everything into curses' buffer at the screen's present size; the caller refreshes. */
void ui_draw(struct ui *ui);

/* Passes a request to the shown view. False: the view does not handle it. */
bool ui_handle(struct ui *ui, enum request request);
/* Handles a key: by prompt, menu, view, and then what all views share. */
void ui_key(struct ui *ui, int key);

/* Handles a click or a turn of the wheel (ui_mouse.c). */
void ui_mouse(struct ui *ui, const struct mouse_event *event);

/* Parts of the frame, each in a file of its own. */
void view_header_draw(struct ui *ui);
void view_header_tabs(struct ui *ui); /* called by the one above */
/* Writes all active marks, filters and merges: in full if they fit into `columns`, else cut to `columns` or
 * `brief_columns`, with at least ten columns each. Returns the number of columns; 0: none are active. */
int view_header_active(const struct ui *ui, int columns, int brief_columns, char *out, size_t bytes);
void view_strip_draw(const struct ui *ui);
void view_footer_draw(struct ui *ui);
void view_message_draw(struct ui *ui); /* over what was drawn before */

#endif
