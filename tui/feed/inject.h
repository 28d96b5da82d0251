/* SPDX-License-Identifier: MIT */
/* Loads the extension into a process that was started without it, by gdb (ext/inject).
 *
 * A process is refused if it is not a Ruby of the series that the extension was built for, is in a container, or
 * belongs to another user (unless `others`), since gdb reads its files with the rights of this program. The process is
 * stopped for the milliseconds that gdb needs, and is left unchanged if no safe moment comes.
 *
 * Threads: one. Takes seconds; blocks.
 */
#ifndef RTOP_TUI_INJECT_H
#define RTOP_TUI_INJECT_H

#include <stdbool.h>
#include <sys/types.h>

struct rtop_error;

/* Returns true when the process now has a channel, new or old. Else false, with one sentence in error->text. */
bool rtop_inject(pid_t pid, bool others, struct rtop_error *error);

#endif
