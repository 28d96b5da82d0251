/* SPDX-License-Identifier: MIT */
/* A file that appears under its name only when it is complete, and for its owner alone (0600). Until then it
 * has no name where the file system can do that, else one at random beside the other: nobody can take it
 * in advance, and nothing is left when the program is killed.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_TEMPORARY_H
#define RTOP_TUI_TEMPORARY_H

#include <stdbool.h>
#include <stddef.h>

/* Opens it for reading and writing; *name (to be handed to keep or drop) is what it is called on its way.
 * What is no regular file (a device, a pipe) is not replaced: EINVAL. -1: errno says why, *name is NULL. */
int rtop_temporary_create(const char *path, char **name);
/* Into place, where it replaces what was there. False: errno says why; it is still to be dropped. */
bool rtop_temporary_keep(int fd, char **name, const char *path);
/* Away with it. Leaves errno alone; NULL is fine. */
void rtop_temporary_drop(char **name);

/* A new log file in $TMPDIR, /tmp by default, for the user alone: rperf-top-PID[-WHAT]-XXXXXX.log with a part at random.
 * *path says its name, also when it cannot be made: -1, errno says why. */
int rtop_temporary_log(const char *what, char *path, size_t path_bytes);

/* A file that shall go when the program is ended by a signal: up to 8. */
void rtop_temporary_watch(const char *name);
void rtop_temporary_forget(const char *name);
/* For the handler of such a signal: removes what is being made. */
void rtop_temporary_remove_all(void);

#endif
