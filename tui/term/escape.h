/* SPDX-License-Identifier: MIT */
/* Escape sequences that curses does not know: keys without a name, and what the terminal answers. They
 * must not act as the letters that they are made of.
 *
 * Threads: no shared state. Nothing here allocates or waits.
 */
#ifndef RTOP_TUI_ESCAPE_H
#define RTOP_TUI_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

enum { ESCAPE_KEY = 27, ESCAPE_BYTES = 32 };

enum escape_state { ESCAPE_NONE, ESCAPE_BEGUN, ESCAPE_CSI, ESCAPE_SS3 };

/* Zeroed: no sequence. */
struct escape {
  enum escape_state state;
  char text[ESCAPE_BYTES]; /* from "[" on; when it is done, with its last letter */
  size_t count;
};

/* NOT: the key is part of no sequence (one that was begun is forgotten). MORE: the sequence goes on. DONE:
 * it is complete. */
enum escape_step { ESCAPE_NOT, ESCAPE_MORE, ESCAPE_DONE };
enum escape_step escape_take(struct escape *escape, int key);

/* The answer to "where is the cursor?" in a sequence that is done: from 1 on. */
bool escape_position(const struct escape *escape, int *row, int *column);

#endif
