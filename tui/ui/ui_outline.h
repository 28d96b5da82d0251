/* SPDX-License-Identifier: MIT */
/* The cursor among rows that have depths: to a row by its key, up to the row above it.
 *
 * Rows are those of a tree or of groups, whose first members are a struct ui_outline_row. A key of 0 is no
 * method but what was put together at the end. Threads: one.
 */
#ifndef RTOP_TUI_UI_OUTLINE_H
#define RTOP_TUI_UI_OUTLINE_H

#include "tui/term/pager.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ui_outline_row {
  uint64_t key;
  uint32_t frame;
  uint32_t depth;
};

/* Starts as zeros. */
struct ui_outline_cursor {
  struct pager pager;
  uint64_t anchor; /* key of the row that the cursor follows; 0: none */
  uint32_t first;  /* this frame is selected because it stands on top */
  bool moved;      /* it was moved, or went somewhere: else it stays on top */
  bool seek;       /* it is to go to the method that is selected */
};

struct ui_outline {
  const void *rows;
  size_t count, row_bytes;
  struct ui_outline_cursor *at;
};

/* False: no row has that key (0 has none), the cursor stays. */
bool ui_outline_go_to(const struct ui_outline *outline, uint64_t key);
void ui_outline_go_up(const struct ui_outline *outline);
/* The cursor is to follow the row of that key from now on. */
void ui_outline_hold(struct ui_outline_cursor *at, uint64_t key);
/* The cursor was moved to where it is. Which method is selected then: that of its row, if it has one. */
uint32_t ui_outline_moved(const struct ui_outline *outline, uint32_t selected);
/* The cursor of somebody who has not moved it yet stays at the top, whatever stands there. Which method is selected
 * then: that of the row there, unless another one than the last that stood there was selected elsewhere. */
uint32_t ui_outline_rest(const struct ui_outline *outline, uint32_t selected);

#endif
