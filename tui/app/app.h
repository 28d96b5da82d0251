/* SPDX-License-Identifier: MIT */
/* The screen program: one thread, one loop over keys, signals and windows.
 *
 * Called by main when the viewer is to be used by a person. Everything that can be done without a
 * screen (batch, JSON, lists, files) is elsewhere.
 */
#ifndef RTOP_TUI_APP_H
#define RTOP_TUI_APP_H

#include <stdbool.h>

struct rtop_options;

enum { RTOP_APP_NO_SCREEN = -1 };

/* Can there be a screen here? False: *reason says why not, for one line on stderr ("standard output is
 * not a terminal"). Prints nothing, changes nothing. */
bool rtop_app_screen_possible(const char **reason);

/* Runs until the user leaves, or draws one screen into a file when options->dump_screen is given (needs
 * no terminal). Returns the exit status, or RTOP_APP_NO_SCREEN when the terminal cannot show one: the
 * caller then goes on in batch mode. The terminal is as it was in every case. */
int rtop_app_run(const struct rtop_options *options);

#endif
