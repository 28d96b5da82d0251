/* SPDX-License-Identifier: MIT */
/* Makes one write per refresh. Some versions of ncurses write after every cursor movement, and each write wakes the
 * terminal; so the output is collected and written at once.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_SCREEN_GATHER_H
#define RTOP_TUI_SCREEN_GATHER_H

#include <stdbool.h>
#include <stdio.h>

/* Opens a stream to the terminal of `output` for ncurses to write to. Its descriptor is the terminal, except between
 * begin and end. NULL: this is not possible. */
FILE *screen_gather_open(FILE *output);
/* Collects output to the stream's descriptor until screen_gather_end(); the terminal must not be queried in between.
 * False: output is not collected. */
bool screen_gather_begin(void);
void screen_gather_end(void);
/* Makes collected output be shortened before it is written (screen_squeeze.h). */
void screen_gather_squeeze(void);
/* Closes the stream. */
void screen_gather_close(void);

#endif
