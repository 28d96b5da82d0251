/* The cursor among rows that have depths: to a row by its key, up to the row above it.
 *
 * Rows are those of a tree or of groups, whose first members are a struct ui_outline_row. A key of 0 is no
 * method but what was put together at the end. Threads: one.
 */
#ifndef RTOP_TUI_UI_OUTLINE_H
#define RTOP_TUI_UI_OUTLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ui_outline_row {
  uint64_t key;
  uint32_t frame;
  uint32_t depth;
};

struct ui_outline {
  const void *rows;
  size_t count, row_bytes;
  size_t *cursor;
};

/* False: no row has that key (0 has none), the cursor stays. */
bool ui_outline_go_to(const struct ui_outline *outline, uint64_t key);
void ui_outline_go_up(const struct ui_outline *outline);
/* The cursor of somebody who has not moved it yet stays at the top, whatever stands there. Which method is selected
 * then: that of the row there, unless another one than the last that stood there, `*first`, was selected elsewhere. */
uint32_t ui_outline_stay(const struct ui_outline *outline, uint32_t selected, uint32_t *first);

#endif
