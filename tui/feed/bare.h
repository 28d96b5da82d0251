/* SPDX-License-Identifier: MIT */
/* Ruby processes that run without the extension and that this user may examine: candidates for --inject.
 *
 * Threads: no shared state. Reads /proc, allocates nothing.
 */
#ifndef RTOP_TUI_BARE_H
#define RTOP_TUI_BARE_H

#include <stddef.h>
#include <sys/types.h>

enum { RTOP_BARE_MAX = 8 };

struct rtop_bare {
  pid_t pid;
  char command[256]; /* sanitised */
};

/* Fills at most RTOP_BARE_MAX rows, in order of pid. Returns the number of such processes, which may exceed the
   number of rows. */
size_t rtop_bare_read(struct rtop_bare rows[RTOP_BARE_MAX]);

#endif
