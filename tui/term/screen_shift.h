/* SPDX-License-Identifier: MIT */
/* Rows of cells that move to the left over time: the terminal moves them by "delete character" and "insert character",
 * and only new cells are sent.
 *
 * Code that draws such a row declares it each time (screen_shifts() in screen.h), and draws it as usual. The distance
 * is found by comparing what the terminal shows with what was drawn. Nothing changes if moving saves no bytes, or if
 * the terminal cannot do it. Threads: one, which owns the screen.
 */
#ifndef RTOP_TUI_SCREEN_SHIFT_H
#define RTOP_TUI_SCREEN_SHIFT_H

#include <stdbool.h>
#include <stdio.h>

/* Declares that these cells of the frame being drawn move together. The next refresh forgets this. */
void screen_shift_hint(int y, int x, int columns);
/* Moves rows on the terminal and in curses' copy. Call before refresh(), which sends the rest. `possible`: the
 * terminal shows the screen of curses. */
void screen_shift_send(FILE *terminal, bool possible);

#endif
