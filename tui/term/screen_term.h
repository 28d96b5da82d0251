/* SPDX-License-Identifier: MIT */
/* What terminfo says about the terminal. Private to screen.c. */
#ifndef RTOP_TUI_SCREEN_TERM_H
#define RTOP_TUI_SCREEN_TERM_H

#include <stdbool.h>
#include <stdio.h>

/* $TERM if it has a description, else a common terminal; NULL when TERM is empty or no descriptions are installed. */
const char *screen_term_name(void);

/* Prints `text` at the start of a row of the empty screen, asks for the cursor position, and erases the text. The
 * next refresh paints every cell. False: the terminal is not known to answer, and nothing was sent. */
bool screen_term_ask_position(int row, const char *text);

/* Colours and pairs of the open terminal; 0 and 0: none. Call after newterm(). */
void screen_term_colors(int *colors, int *pairs);

/* Are the attributes of the open terminal those of ECMA-48 ("ESC [ ... m"), without using cells, and kept while the
 * cursor moves? Call after newterm(). */
bool screen_term_plain_sgr(void);

/* Can the terminal delete and insert characters in a row? */
bool screen_term_shifts(void);
/* Moves `width` cells of a row by `step` to the left; cells to their right stay, and blanks fill the gap. The cursor
 * moves to an undefined place; attributes must be off. */
void screen_term_shift(FILE *terminal, int y, int x, int width, int step);
/* Returns the cursor to where curses has left it. */
void screen_term_back_to(FILE *terminal, int y, int x);

/* Passes the strings that leave curses mode to the crash handler. Call after newterm(). */
void screen_term_remember_exit(void);

#endif
