/* SPDX-License-Identifier: MIT */
/* Rows of cells that move to the left as time goes on: the terminal moves them by its own "delete character" and
 * "insert character", and only what is new is sent.
 *
 * Whoever draws such a row says so each time (screen_shifts() in screen.h), and draws it as any other. How far it has
 * moved is found by comparing what the terminal shows with what was drawn; where that saves nothing, and on terminals
 * that cannot do it, nothing is different. Threads: one, which has the screen.
 */
#ifndef RTOP_TUI_SCREEN_SHIFT_H
#define RTOP_TUI_SCREEN_SHIFT_H

#include <stdbool.h>
#include <stdio.h>

/* These cells of the picture that is drawn now move as one. Forgotten by the next refresh. */
void screen_shift_hint(int y, int x, int columns);
/* Moves on the terminal and in what curses knows of it. To be called before refresh(), which sends the rest;
 * `possible`: the terminal is the one that shows curses' screen. */
void screen_shift_send(FILE *terminal, bool possible);

#endif
