/* SPDX-License-Identifier: MIT */
/* The viewer as a whole: its views, and the two things done with the state of the screen (ui.h): bring the model
 * up to date, draw it. The loop (app.c), the one-screen dump and the tests drive the same functions.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_VIEWER_H
#define RTOP_TUI_VIEWER_H

#include "tui/term/theme.h"
#include "tui/ui/ui.h"

struct mouse_event;

/* What each view does, and how it looks: table, detail and tiny screen; ui->layout says where. */
#define DATA_VIEW(id, name, ...) OTHER_VIEW(id, name)
#define OTHER_VIEW(id, name)                                                                                           \
  extern const struct view_ops view_##name;                                                                            \
  void name##_draw(struct ui *ui);
#include "tui/term/views.def"

bool ui_init(struct ui *ui, const struct rtop_options *options);
void ui_destroy(struct ui *ui);

/* Another target: forgets everything about the last one. */
void ui_watch(struct ui *ui, struct rtop_profile *profile);
void ui_open_view(struct ui *ui, enum view_id id);

const struct view_ops *ui_view(enum view_id id);

/* Sums the span, builds rows, tells the view. False when memory ran out. */
bool ui_update(struct ui *ui);
/* Draws everything into curses' buffer for the screen's present size; the caller refreshes. */
void ui_draw(struct ui *ui);

/* The view that is shown does what a key asks for. False: it has nothing to do with that. */
bool ui_handle(struct ui *ui, enum request request);
/* A key: prompt, menu, view, then what all views share. */
void ui_key(struct ui *ui, int key);

/* A click or a turn of the wheel (ui_mouse.c). */
void ui_mouse(struct ui *ui, const struct mouse_event *event);

/* Parts of the frame, each in a file of its own. */
void view_header_draw(struct ui *ui);
void view_header_tabs(struct ui *ui); /* called by the one above */
/* Everything that is marked, left out or put together: in full in at most `columns` columns, else cut to
 * those or to `brief_columns`, but for ten at least. Returns the columns; 0: all is as usual. */
int view_header_active(const struct ui *ui, int columns, int brief_columns, char *out, size_t bytes);
void view_strip_draw(const struct ui *ui);
void view_footer_draw(struct ui *ui);
void view_message_draw(struct ui *ui); /* over what was drawn before */

#endif
