/* SPDX-License-Identifier: MIT */
/* Recognises escape sequences that curses does not know: keys without a name, and answers of the terminal. They must
 * not act as the letters that they contain.
 *
 * Threads: no shared state. Nothing allocates or waits.
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
  char text[ESCAPE_BYTES]; /* text of the sequence from "[" on; complete sequences include their final letter */
  size_t count;
};

/* NOT: the key does not belong to a sequence (an unfinished one is dropped). MORE: the sequence is not complete yet.
 * DONE: it is complete. */
enum escape_step { ESCAPE_NOT, ESCAPE_MORE, ESCAPE_DONE };
enum escape_step escape_take(struct escape *escape, int key);

/* Parses a complete sequence as the answer to "where is the cursor?"; numbers start at 1. */
bool escape_position(const struct escape *escape, int *row, int *column);

#endif
