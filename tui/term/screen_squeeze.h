/* SPDX-License-Identifier: MIT */
/* Shortens the bytes that ncurses writes for a refresh, for the same picture.
 *
 * ncurses resets the colour before every blank and every cursor movement. This sends attributes only when a character
 * needs them, as the shortest change from the terminal's present state. A blank has no visible text colour and needs
 * none, and character sets are not selected again.
 *
 * Only for terminals with attributes as in ECMA-48 (screen_term_plain_sgr()). Keeps no state between refreshes.
 * Threads: any.
 */
#ifndef RTOP_TUI_SCREEN_SQUEEZE_H
#define RTOP_TUI_SCREEN_SQUEEZE_H

#include <stddef.h>

/* Writes at most out_bytes. Returns their number, or 0 when that is too little or nothing remains: then send the
 * original bytes. */
size_t screen_squeeze(char *out, size_t out_bytes, const char *bytes, size_t count);

#endif
