/* SPDX-License-Identifier: MIT */
/* Finds out how wide the terminal draws characters of ambiguous width: blocks, lines and signs that terminals for East
 * Asian text may draw in two columns. Some of these characters are printed where the first frame will cover them, and
 * the terminal is asked for its cursor position. Nothing waits for the answer.
 *
 * Threads: that of curses.
 */
#ifndef RTOP_TUI_SCREEN_WIDTH_H
#define RTOP_TUI_SCREEN_WIDTH_H

#include <stdbool.h>

enum screen_width { SCREEN_WIDTH_UNKNOWN, SCREEN_WIDTH_NARROW, SCREEN_WIDTH_WIDE, SCREEN_WIDTH_NOT_UTF8 };

/* Returns the width by the locale: WIDE if its wcwidth() counts these characters as two columns, else UNKNOWN. If the
 * terminal `cannot_tell`, East Asian languages are WIDE, too; `locale` is the requested one, NULL: none. */
enum screen_width screen_width_of_locale(const char *locale, bool cannot_tell);

/* Asks the terminal, in a UTF-8 locale; to be called before anything is drawn. False: the terminal may not answer, or
 * is too small. */
bool screen_width_ask(int input_fd, int output_fd);

/* Interprets the answer. UNKNOWN: the answer makes no sense. */
enum screen_width screen_width_judge(int row, int column);

#endif
