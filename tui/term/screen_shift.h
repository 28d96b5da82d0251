/* SPDX-License-Identifier: MIT */
/* Handles rows of cells that move to the left over time: the terminal moves them by "delete character" and "insert
 * character", and only new cells are sent.
 *
 * Code that draws such a row declares this each time (screen_shifts() in screen.h), and draws it as usual. The distance
 * is found by comparing the terminal's content with the drawn row. Nothing changes if moving saves no bytes, or if the
 * terminal cannot do it. Threads: one, which owns the screen.
 */
#ifndef RTOP_TUI_SCREEN_SHIFT_H
#define RTOP_TUI_SCREEN_SHIFT_H

#include <stdbool.h>
#include <stdio.h>

/* Declares that these cells of the frame being drawn move together. The next refresh forgets the declaration. */
void screen_shift_hint(int y, int x, int columns);
/* Moves rows on the terminal and in curses' copy. To be called before refresh(), which sends all other changes.
 * `possible`: the terminal shows the screen of curses. */
void screen_shift_send(FILE *terminal, bool possible);

#endif
