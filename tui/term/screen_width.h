/* SPDX-License-Identifier: MIT */
/* How wide the terminal draws characters of ambiguous width: blocks, lines and signs that terminals for
 * East Asian text may draw in two columns. It is asked: some are printed where the first frame covers
 * them, and it says where its cursor stands. Nothing waits for the answer.
 *
 * Threads: that of curses.
 */
#ifndef RTOP_TUI_SCREEN_WIDTH_H
#define RTOP_TUI_SCREEN_WIDTH_H

#include <stdbool.h>

enum screen_width { SCREEN_WIDTH_UNKNOWN, SCREEN_WIDTH_NARROW, SCREEN_WIDTH_WIDE, SCREEN_WIDTH_NOT_UTF8 };

/* What the locale alone says: wcwidth() of the one in use may count them as two columns. WIDE or UNKNOWN.
 * When the terminal `cannot_tell`, East Asian languages are WIDE, too; `locale` is the one that was asked
 * for, NULL: none. */
enum screen_width screen_width_of_locale(const char *locale, bool cannot_tell);

/* Before anything is drawn, in a UTF-8 locale. False: this terminal is not asked, for it
 * is not known to answer or is too small. */
bool screen_width_ask(int input_fd, int output_fd);

/* What the answer says. UNKNOWN: it answers something else. */
enum screen_width screen_width_judge(int row, int column);

#endif
