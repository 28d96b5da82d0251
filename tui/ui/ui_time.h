/* SPDX-License-Identifier: MIT */
/* Where the screen stands in time: live, frozen at a moment, on a selected span, or playing.
 *
 * The cursor is the end of a window; it stands for that window, and the views show the frame that ends
 * there. Two marks select a span, which the views show instead; the cursor then moves by itself. What
 * is live goes on being collected meanwhile. When the end of what is held moves over the cursor, the
 * cursor moves with it, and that is said.
 *
 * Threads: one. Times are those of the profile, but for `played_ns` (the screen's clock).
 */
#ifndef RTOP_TUI_UI_TIME_H
#define RTOP_TUI_UI_TIME_H

#include "tui/history/profile.h"
#include "tui/term/keys.h"
#include <stdbool.h>
#include <stddef.h>

struct ui;

struct ui_time {
  int64_t cursor_ns;              /* while ui->frozen */
  struct rtop_span mark[2];       /* windows */
  int marks;                      /* 0, 1: the span reaches to the cursor, 2 */
  int speed;                      /* of play, negative: backwards; 0: stands */
  int64_t played_ns, position_ns; /* of the last tick; where play is between windows */
  int64_t strip_end_ns;           /* of the timeline in the header: it stands while the cursor moves */
};

/* What the views show. Live it ends with the newest data; of one process that is shown alone with its own, also when it
 * is gone. Moves the cursor when what it stood on is not held any more. */
struct rtop_span ui_time_span(struct ui *ui);
/* That has happened, or late records have changed what is shown: an update is wanted. Asked once for each update. */
bool ui_time_changed(struct ui *ui);
/* The cursor: the end of what is shown when live. */
int64_t ui_time_cursor(const struct ui *ui);
/* The window under it. */
struct rtop_span ui_time_window(const struct ui *ui);
/* The selected span, also one that still reaches to the cursor. False: none. */
bool ui_time_selected(const struct ui *ui, struct rtop_span *span);
/* Up to when the timeline in the header goes, so that cursor and span are seen. */
int64_t ui_time_strip_end(struct ui *ui, int cells);

/* Freezes at the end of the window that holds the instant; at the ends of what is held if beyond. */
void ui_time_move(struct ui *ui, int64_t time_ns);
/* As it is typed: see time_text.h. What is wrong with it is said. */
void ui_time_goto(struct ui *ui, const char *text);
/* Keys that belong to time. False: not one of them. */
bool ui_time_request(struct ui *ui, enum request request);
/* Esc: stops playing, then forgets the span. False: there was neither. */
bool ui_time_back(struct ui *ui);

/* Play goes on; call before an update. When the next tick is due, on the screen's clock; INT64_MAX: never. */
void ui_time_tick(struct ui *ui);
int64_t ui_time_due_ns(const struct ui *ui);

/* "[FROZEN -15s]", "[SPAN 2.40s -15s]", "[PLAY -2x -15s]" while frozen. */
void ui_time_tag(const struct ui *ui, char *out, size_t bytes);

/* How long before now (of what is dead: before its end) an instant is. */
int64_t ui_time_age_ns(const struct ui *ui, int64_t time_ns);

#endif
