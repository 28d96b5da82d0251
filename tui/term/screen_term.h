/* SPDX-License-Identifier: MIT */
/* What terminfo says about the terminal, for screen.c alone. */
#ifndef RTOP_TUI_SCREEN_TERM_H
#define RTOP_TUI_SCREEN_TERM_H

#include <stdbool.h>
#include <stdio.h>

/* $TERM when there is a description of it, else a common one; NULL when TERM is empty or nothing is
 * installed. */
const char *screen_term_name(void);

/* Prints `text` at the start of a row of the empty screen, asks where the cursor is then, and wipes it
 * out. The next refresh paints every cell. False: the terminal is not known to answer, nothing was
 * sent. */
bool screen_term_ask_position(int row, const char *text);

/* What the open terminal has; 0 and 0: none. After newterm(). */
void screen_term_colors(int *colors, int *pairs);

/* Attributes of the open terminal are those of ECMA-48 ("ESC [ ... m"), take no cell of the screen and stay while the
 * cursor moves. After newterm(). */
bool screen_term_plain_sgr(void);

/* It can delete and insert characters in a row. */
bool screen_term_shifts(void);
/* Moves `width` cells of a row by `step` to the left, those on the right of them stay; blanks come. The cursor goes somewhere;
 * attributes must be off. */
void screen_term_shift(FILE *terminal, int y, int x, int width, int step);
/* Puts the cursor where curses has left it. */
void screen_term_back_to(FILE *terminal, int y, int x);

/* Hands the strings that leave curses mode to the crash handler. After newterm(). */
void screen_term_remember_exit(void);

#endif
