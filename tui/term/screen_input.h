/* SPDX-License-Identifier: MIT */
/* Reads keys of the terminal, and its answers, which arrive in the same stream. Private to screen.c.
 *
 * Threads: that of curses. Only screen_input_await() waits.
 */
#ifndef RTOP_TUI_SCREEN_INPUT_H
#define RTOP_TUI_SCREEN_INPUT_H

#include <stdbool.h>

/* To be called when curses reads from this descriptor; forgets everything about an earlier one. */
void screen_input_open(int fd);

/* Returns SCREEN_KEY_NONE, SCREEN_KEY_GONE, or a key as in keys.h. */
int screen_input_key(void);
/* Is a key buffered that polling the descriptor does not show? */
bool screen_input_holds(void);

/* To be called after the terminal was asked for its cursor position. */
void screen_input_expect(void);
/* Returns true once, when the answer has come. Row and column start at 1. */
bool screen_input_answer(int *row, int *column);
/* Waits briefly for an expected answer, so that another reader of the terminal does not get it. Keys that come
 * meanwhile are kept. */
void screen_input_await(void);

#endif
