/* SPDX-License-Identifier: MIT */
/* The rows of a view under one cursor, the same for all tables: where it may go, what a search finds among them and
 * how many that are, a click, how the rows that are seen are drawn.
 *
 * A view says what its rows are (view_ops: rows, matches, go, seek) and handles what is its own; everything here is
 * about the view that is shown. Threads: one.
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
  size_t count, cursor; /* from count on: the cursor is on none */
  struct pager *pager;  /* its cursor is the one above; NULL: no table, the view moves by itself */
  size_t page;          /* rows that are seen */
  int heading;          /* rows above them */
  bool bare;            /* the cursor is a mark before the row, no bar over it */
};

/* Rows of the table when so many are taken for something else; one at least. */
size_t ui_rows_page(const struct ui *ui, int taken);
/* The rows of a table under this pager, with `heading` rows above them and `below` rows of something else below. */
struct ui_rows ui_rows_of(const struct ui *ui, struct pager *pager, size_t count, int heading, int below);

/* After count or page changed: the cursor exists and is seen. */
void ui_rows_fit(const struct ui *ui);
/* The cursor was sent to its row: nothing that stands over the page, as a message does, hides it. */
void ui_rows_show(const struct ui *ui);
/* How many rows match what is searched for, and which of them the cursor is on. */
void ui_rows_count(struct ui *ui);
/* Search, the next match, the one before, moves by rows and pages. False: nothing of these. */
bool ui_rows_request(struct ui *ui, enum request request);
/* For view_ops: the cursor goes to the row that was clicked. */
void ui_rows_click(struct ui *ui, int row, int x);

/* Draws the rows that are seen, under the cursor's a bar, and in the heading, which must be drawn before, which they
 * are when there are more; leaves the terminal's cursor on the bar. */
typedef void ui_rows_draw_row(const void *pen, size_t place, int y, bool selected);
void ui_rows_draw(const struct ui_rows *rows, struct rect table, ui_rows_draw_row *draw, const void *pen);

#endif
