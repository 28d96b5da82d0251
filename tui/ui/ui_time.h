/* SPDX-License-Identifier: MIT */
/* The screen's position in time: live, frozen at a moment, at a selected span, or playing.
 *
 * The cursor is the end of a window and stands for that window; views show the frame that ends there. Two marks select
 * a span, which views show instead, while the cursor moves freely. Data are still collected in all cases. If the start
 * of the held data passes the cursor, the cursor moves along and a message says so.
 *
 * Threads: one. Times are those of the profile, except `played_ns` (the screen's clock).
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
  int marks;                      /* number of marks; 0: no span, 1: the span extends
                                     to the cursor, 2: the span is complete */
  int speed;                      /* of play, negative: backwards; 0: stands */
  int64_t played_ns, position_ns; /* time of the last tick; position of play between windows */
  int64_t strip_end_ns;           /* end of the timeline in the header, constant while the cursor moves */
};

/* Returns the span that views show. If live, it ends with the newest data; for a process shown alone with that
 * process's newest data, even if it has ended. Moves the cursor when its window is no longer held. */
struct rtop_span ui_time_span(struct ui *ui);
/* Did ui_time_span(), or late records, change the span, so that an update is needed? For one caller per update. */
bool ui_time_changed(struct ui *ui);
/* Returns the cursor's time (ns); if live, the end of the span. */
int64_t ui_time_cursor(const struct ui *ui);
/* The window under it. */
struct rtop_span ui_time_window(const struct ui *ui);
/* Returns the selected span, including one that still extends to the cursor. False: there is none. */
bool ui_time_selected(const struct ui *ui, struct rtop_span *span);
/* End of the timeline in the header, such that cursor and span are visible. */
int64_t ui_time_strip_end(struct ui *ui, int cells);

/* Freezes the display at the end of the window that contains the instant, limited to the held data. */
void ui_time_move(struct ui *ui, int64_t time_ns);
/* Goes to a time as typed, see time_text.h; shows a message if it is invalid. */
void ui_time_goto(struct ui *ui, const char *text);
/* Handles keys for time. False: another request. */
bool ui_time_request(struct ui *ui, enum request request);
/* Handles Esc: stops playing, then forgets the span. False: there was neither. */
bool ui_time_back(struct ui *ui);

/* ui_time_tick() continues playing; to be called before an update. ui_time_due_ns(): time of the next tick on the
 * screen's clock; INT64_MAX: never. */
void ui_time_tick(struct ui *ui);
int64_t ui_time_due_ns(const struct ui *ui);

/* Writes the state while frozen: "[FROZEN -15s]", "[SPAN 2.40s -15s]", "[PLAY -2x -15s]". */
void ui_time_tag(const struct ui *ui, char *out, size_t bytes);

/* Age of an instant (ns), relative to now, or for an ended process to its end. */
int64_t ui_time_age_ns(const struct ui *ui, int64_t time_ns);

#endif
