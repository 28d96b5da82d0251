/* SPDX-License-Identifier: MIT */
/* A one-line editor: for search, filter and numbers. Knows characters, not the screen.
 *
 * Text is UTF-8; control characters never get in. Threads: one. Nothing here allocates.
 */
#ifndef RTOP_TUI_PROMPT_H
#define RTOP_TUI_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

enum prompt_result {
  PROMPT_IGNORED, /* not a key of an editor */
  PROMPT_MOVED,   /* only the cursor moved */
  PROMPT_CHANGED,
  PROMPT_ACCEPTED,  /* Enter */
  PROMPT_CANCELLED, /* Esc, or Backspace in an empty line */
};

enum { PROMPT_BYTES = 400 };

struct prompt {
  const char *label; /* "Search: "; static */
  char text[PROMPT_BYTES];
  size_t bytes;  /* of text, without the NUL */
  size_t cursor; /* byte offset, always between characters */
  bool offered;  /* the text is what prompt_offer() put there, untouched */
};

void prompt_start(struct prompt *prompt, const char *label, const char *text);
/* The same with a number that Enter takes: a digit as the first key begins another one in its place. */
void prompt_offer(struct prompt *prompt, const char *label, const char *number);

/* A key as in keys.h: arrows, Home, End, Backspace, Delete, Ctrl-A, Ctrl-E, Ctrl-U, Ctrl-W, Enter, Esc,
 * any printable character. Text that would be too long is not taken. */
enum prompt_result prompt_key(struct prompt *prompt, int key);

#endif
