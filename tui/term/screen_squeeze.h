/* SPDX-License-Identifier: MIT */
/* Shortens the bytes that ncurses writes for a refresh, for the same picture.
 *
 * ncurses resets the colour before every blank and every cursor movement. This code sends attributes only when a
 * character needs them, as the shortest change from the terminal's present state. A blank has no visible text colour
 * and needs none, and character sets are not selected again.
 *
 * Only for terminals with attributes as in ECMA-48 (screen_term_plain_sgr()). Keeps no state between
 * refreshes. Threads: any.
 */
#ifndef RTOP_TUI_SCREEN_SQUEEZE_H
#define RTOP_TUI_SCREEN_SQUEEZE_H

#include <stddef.h>

/* Writes at most out_bytes. Returns the number of bytes written, or 0 when out_bytes is too small or nothing remains:
 * the caller then sends the original bytes. */
size_t screen_squeeze(char *out, size_t out_bytes, const char *bytes, size_t count);

#endif
