/* SPDX-License-Identifier: MIT */
/* A one-line editor for search, filter and numbers. It handles characters, and is independent of the screen.
 *
 * Text is UTF-8 without control characters. Threads: one. Nothing allocates.
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
  bool offered;  /* the text was offered by prompt_offer() and is unchanged */
};

void prompt_start(struct prompt *prompt, const char *label, const char *text);
/* Opens the prompt with a number that Enter accepts; typing a digit first replaces the number. */
void prompt_offer(struct prompt *prompt, const char *label, const char *number);

/* Handles a key as in keys.h: arrows, Home, End, Backspace, Delete, Ctrl-A, Ctrl-E, Ctrl-U, Ctrl-W, Enter, Esc, or
 * any printable character. Text beyond the maximum length is ignored. */
enum prompt_result prompt_key(struct prompt *prompt, int key);

#endif
