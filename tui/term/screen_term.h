/* SPDX-License-Identifier: MIT */
/* The terminal's abilities according to terminfo. Private to screen.c. */
#ifndef RTOP_TUI_SCREEN_TERM_H
#define RTOP_TUI_SCREEN_TERM_H

#include <stdbool.h>
#include <stdio.h>

/* Returns $TERM if it has a description, else a common terminal; NULL when TERM is empty or no
   descriptions are installed. */
const char *screen_term_name(void);

/* Prints `text` at the start of a row of the empty screen, asks for the cursor position, and erases the text. The next
 * refresh paints every cell. False: the terminal may not answer, so nothing was sent. */
bool screen_term_ask_position(int row, const char *text);

/* Returns the number of colours and pairs of the open terminal; 0 and 0: none. To be called after newterm(). */
void screen_term_colors(int *colors, int *pairs);

/* Are the attributes of the open terminal those of ECMA-48 ("ESC [ ... m"), which take no cells and stay while the
 * cursor moves? To be called after newterm(). */
bool screen_term_plain_sgr(void);

/* Can the terminal delete and insert characters in a row? */
bool screen_term_shifts(void);
/* Moves `width` cells of a row by `step` to the left; cells to their right stay, and blanks fill the gap. The cursor
 * moves to an undefined place; attributes must be off. */
void screen_term_shift(FILE *terminal, int y, int x, int width, int step);
/* Returns the cursor to the position that curses expects. */
void screen_term_back_to(FILE *terminal, int y, int x);

/* Passes the strings that leave curses mode to the crash handler. To be called after newterm(). */
void screen_term_remember_exit(void);

#endif
