/* SPDX-License-Identifier: MIT */
/* Cursor and scrolling of a list of rows: the arithmetic that help, chooser and output share.
 */
#ifndef RTOP_TUI_PAGER_H
#define RTOP_TUI_PAGER_H

#include "keys.h"
#include <stdbool.h>
#include <stddef.h>

struct pager {
  size_t cursor, top;
  bool away;    /* the cursor is out of sight, and nobody has moved it there */
  size_t blank; /* rows below the last one, so that nothing hides the cursor (pager_show) */
};

/* Moves within `count` rows, `page` of which are seen; a cursor that is away starts from the top of these. False when it
 * is no moving request. */
bool pager_request(struct pager *pager, enum request request, size_t count, size_t page);
/* A click on a row of the page. False: nothing is there. */
bool pager_click(struct pager *pager, int row, size_t count, size_t page);
/* What the cursor stands on moved by itself: the cursor goes with it. The top stays the top; who has scrolled sees the
 * cursor. */
void pager_follow(struct pager *pager, size_t place, size_t page);
/* After count or page changed: the cursor exists and, unless it is away, is seen. */
void pager_fit(struct pager *pager, size_t count, size_t page);
/* The cursor was sent to a row: in the middle of the page, unless it is in its first `sight` rows, and never below these. */
void pager_show(struct pager *pager, size_t count, size_t page, size_t sight);

#endif
