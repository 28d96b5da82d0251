/* SPDX-License-Identifier: MIT */
/* The rows of a view and their cursor, shared by all tables: where the cursor may go, search and the number of matches,
 * clicks, and drawing of the visible rows.
 *
 * A view describes its rows (view_ops: rows, matches, go, seek) and handles its own keys; all functions of this header
 * apply to the view that is shown. Threads: one.
 */
#ifndef RTOP_TUI_UI_ROWS_H
#define RTOP_TUI_UI_ROWS_H

#include "tui/term/keys.h"
#include "tui/term/layout.h"
#include "tui/term/pager.h"
#include <stdbool.h>
#include <stddef.h>

struct ui;

struct ui_rows {
  size_t count, cursor; /* number of rows, and index of the cursor; `cursor` >= `count`: it is on no row */
  struct pager *pager;  /* pager that has this cursor; NULL: no table, the view moves its cursor itself */
  size_t page;          /* rows that are seen */
  int heading;          /* rows above them */
  bool bare;            /* the cursor is a mark before the row, not a bar */
};

/* Number of rows of the table if `taken` rows are used otherwise; at least one. */
size_t ui_rows_page(const struct ui *ui, int taken);
/* Makes the rows of a table with this pager, with `heading` rows above them and `below` rows of other
   content below them. */
struct ui_rows ui_rows_of(const struct ui *ui, struct pager *pager, size_t count, int heading, int below);

/* To be called after count or page changed: makes the cursor valid and visible. */
void ui_rows_fit(const struct ui *ui);
/* To be called when the cursor was sent to its row: no message or other content over the page may hide it. */
void ui_rows_show(const struct ui *ui);
/* Counts the rows that match the search, and finds the number of the match under the cursor. */
void ui_rows_count(struct ui *ui);
/* Handles search, next and previous match, and moves by rows and pages. False: another request. */
bool ui_rows_request(struct ui *ui, enum request request);
/* For view_ops: moves the cursor to the clicked row. */
void ui_rows_click(struct ui *ui, int row, int x);

/* Draws the visible rows, with a bar for the one under the cursor, and writes the visible range into the heading, which
 * must have been drawn. Leaves the terminal's cursor on the bar. */
typedef void ui_rows_draw_row(const void *pen, size_t place, int y, bool selected);
void ui_rows_draw(const struct ui_rows *rows, struct rect table, ui_rows_draw_row *draw, const void *pen);

#endif
