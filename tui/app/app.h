/* SPDX-License-Identifier: MIT */
/* The program with a screen: one thread, one loop over keys, signals and windows.
 *
 * Called by main() for interactive use. Everything that works without a screen (batch, JSON, lists, files)
 * is in tui/cli.
 */
#ifndef RTOP_TUI_APP_H
#define RTOP_TUI_APP_H

#include <stdbool.h>

struct rtop_options;

enum { RTOP_APP_NO_SCREEN = -1 };

/* Can there be a screen? If not, *reason is a line for standard error ("standard output is not a terminal"). Prints
 * and changes nothing. */
bool rtop_app_screen_possible(const char **reason);

/* Runs until the user leaves, or with options->dump_screen draws one screen into a file (needs no terminal). Returns
 * the exit status, or RTOP_APP_NO_SCREEN when the terminal cannot show a screen: the caller then continues in batch
 * mode. Always restores the terminal. */
int rtop_app_run(const struct rtop_options *options);

#endif
