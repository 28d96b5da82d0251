/* SPDX-License-Identifier: MIT */
/* Cursor and scrolling of a list of rows: the arithmetic shared by help, chooser and output.
 */
#ifndef RTOP_TUI_PAGER_H
#define RTOP_TUI_PAGER_H

#include "keys.h"
#include <stdbool.h>
#include <stddef.h>

struct pager {
  size_t cursor, top;
  bool away;    /* the cursor is outside the page, because the user scrolled the page */
  size_t blank; /* blank rows below the last row, so that nothing covers the cursor (pager_show()) */
};

/* Moves the cursor within `count` rows, of which `page` are visible; a cursor outside the page starts from the page's
 * top. False when the request is not a movement. */
bool pager_request(struct pager *pager, enum request request, size_t count, size_t page);
/* Handles a click on a row of the page. False: there is no such row. */
bool pager_click(struct pager *pager, int row, size_t count, size_t page);
/* To be called when the row under the cursor has moved to index `place`: the cursor moves along. A page at the top
 * stays there; a scrolled page keeps the cursor visible. */
void pager_follow(struct pager *pager, size_t place, size_t page);
/* To be called after count or page changed: makes the cursor valid and, unless it is away, visible. */
void pager_fit(struct pager *pager, size_t count, size_t page);
/* To be called when the cursor was sent to a row: shows the row in the middle of the page unless it is in the first
 * `sight` rows, and never below these. */
void pager_show(struct pager *pager, size_t count, size_t page, size_t sight);

#endif
