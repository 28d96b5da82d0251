/* SPDX-License-Identifier: MIT */
/* Loading the extension into a process that was started without it, by gdb (ext/inject).
 *
 * Nothing is done to a process that is no Ruby of the series that the extension was built for, that stands in a container,
 * or that belongs to another user, unless `others`: gdb reads its files with our rights. The process stands still for
 * the milliseconds that gdb looks at it, and is left as it was when no moment is safe.
 *
 * Threads: one. Takes seconds; blocks.
 */
#ifndef RTOP_TUI_INJECT_H
#define RTOP_TUI_INJECT_H

#include <stdbool.h>
#include <sys/types.h>

struct rtop_error;

/* True when the process has a channel now, or had one before. Else one sentence in error->text. */
bool rtop_inject(pid_t pid, bool others, struct rtop_error *error);

#endif
