/* SPDX-License-Identifier: MIT */
/* Keys of the terminal, and its answers, which come the same way. For screen.c alone.
 *
 * Threads: that of curses. Nothing here waits but screen_input_await().
 */
#ifndef RTOP_TUI_SCREEN_INPUT_H
#define RTOP_TUI_SCREEN_INPUT_H

#include <stdbool.h>

/* Once, when curses reads from this descriptor; nothing is remembered of an earlier one. */
void screen_input_open(int fd);

/* SCREEN_KEY_NONE, SCREEN_KEY_GONE, or a key as in keys.h. */
int screen_input_key(void);
/* A key is here that the descriptor does not tell of. */
bool screen_input_holds(void);

/* The terminal was asked where its cursor is. */
void screen_input_expect(void);
/* True once, when it has answered. From 1 on. */
bool screen_input_answer(int *row, int *column);
/* Waits a short while for an answer that is under way: whoever reads from the terminal next must not find
 * it. Keys that come meanwhile are kept. */
void screen_input_await(void);

#endif
