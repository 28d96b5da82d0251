/* SPDX-License-Identifier: MIT */
/* The bytes of one refresh, as ncurses writes them, made fewer: the picture is the same.
 *
 * ncurses takes a colour back ("ESC [39m ESC (B ESC [m") before every blank and every move of the cursor. Here
 * attributes are sent when a character needs them and as the shortest change from what the terminal has. A blank shows
 * no colour of its own, so that none is sent for it; nor is a character set chosen again and again.
 *
 * Only for terminals whose attributes are those of ECMA-48 (screen_term_plain_sgr()). Nothing is kept from one refresh
 * to the next. Threads: any.
 */
#ifndef RTOP_TUI_SCREEN_SQUEEZE_H
#define RTOP_TUI_SCREEN_SQUEEZE_H

#include <stddef.h>

/* Writes at most out_bytes. Returns how many, or 0 when that is too little or nothing came: then the bytes are to be
 * sent as they are. */
size_t screen_squeeze(char *out, size_t out_bytes, const char *bytes, size_t count);

#endif
