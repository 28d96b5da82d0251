/* SPDX-License-Identifier: MIT */
/* One write per refresh. Some versions of ncurses write after every move of the cursor, dozens of times a
 * refresh, and every write wakes the terminal; what they write is gathered and handed over at once.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_SCREEN_GATHER_H
#define RTOP_TUI_SCREEN_GATHER_H

#include <stdbool.h>
#include <stdio.h>

/* A stream to the terminal of `output` for ncurses to write to: its descriptor is the terminal but for what
 * stands between begin and end. NULL: it cannot be had. */
FILE *screen_gather_open(FILE *output);
/* From here on what is written to the stream's descriptor waits. Nothing that asks the terminal may come
 * before the end. False: it does not wait. */
bool screen_gather_begin(void);
void screen_gather_end(void);
/* From now on what has waited is made shorter before it goes (screen_squeeze.h). */
void screen_gather_squeeze(void);
/* Closes the stream. */
void screen_gather_close(void);

#endif
