/* SPDX-License-Identifier: MIT */
/* `--list`: the processes that have a channel, as a table.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_LIST_PRINT_H
#define RTOP_TUI_LIST_PRINT_H

#include <stdio.h>

/* Prints the table with a heading, or a line on how to start a process with the extension. Returns the exit status. */
int rtop_list_print(FILE *out);

#endif
