/* SPDX-License-Identifier: MIT */
/* Ruby processes that run without the extension and that we may look into: those that --inject could load it into.
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

/* At most RTOP_BARE_MAX rows, by process number. Returns how many there are, also when they are more. */
size_t rtop_bare_read(struct rtop_bare rows[RTOP_BARE_MAX]);

#endif
