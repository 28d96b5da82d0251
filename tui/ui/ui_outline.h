/* SPDX-License-Identifier: MIT */
/* The cursor among rows with depths: to a row by key, and up to the row above it.
 *
 * Rows are those of a tree or of groups, whose first members are a struct ui_outline_row. The key 0 marks the row of
 * combined small nodes instead of a method. Threads: one.
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
  uint32_t first;  /* frame that is selected only because its row is at the top */
  bool moved;      /* the cursor was moved by the user; else it stays at the top */
  bool seek;       /* the cursor is to move to the selected method */
};

struct ui_outline {
  const void *rows;
  size_t count, row_bytes;
  struct ui_outline_cursor *at;
};

/* Moves the cursor to the row with that key. False: there is no such row (0 never matches), and the cursor stays. */
bool ui_outline_go_to(const struct ui_outline *outline, uint64_t key);
void ui_outline_go_up(const struct ui_outline *outline);
/* Makes the cursor follow the row with that key. */
void ui_outline_hold(struct ui_outline_cursor *at, uint64_t key);
/* To be called after the cursor was moved. Returns the frame to select: that of its row, if the row has one. */
uint32_t ui_outline_moved(const struct ui_outline *outline, uint32_t selected);
/* Keeps a cursor that was never moved at the top. Returns the frame to select: that of the top row, unless another view
 * selected a different one. */
uint32_t ui_outline_rest(const struct ui_outline *outline, uint32_t selected);

#endif
