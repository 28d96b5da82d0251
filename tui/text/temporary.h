/* SPDX-License-Identifier: MIT */
/* A file that appears under its name only when complete, readable by its owner only (0600). Until then the file has no
 * name, or where the file system cannot do that, a random name beside the final one: no other program can take the name
 * in advance, and a killed program leaves no file behind, unless it had a name.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_TEMPORARY_H
#define RTOP_TUI_TEMPORARY_H

#include <stdbool.h>
#include <stddef.h>

/* Opens the file for reading and writing; *name is its temporary name, for rtop_temporary_keep() or
 * rtop_temporary_drop(). A path that is a device or pipe is not replaced: EINVAL. -1: errno says why, and
 * *name is NULL. */
int rtop_temporary_create(const char *path, char **name);
/* Gives the file its final name, replacing an existing file. False: errno says why, and the file must
   still be dropped. */
bool rtop_temporary_keep(int fd, char **name, const char *path);
/* Removes the file. Keeps errno; accepts NULL. */
void rtop_temporary_drop(char **name);

/* Makes a log file in $TMPDIR (default /tmp), readable by the user only: rperf-top-PID[-WHAT]-XXXXXX.log with a random
 * part. *path is its name, also on failure. -1: errno says why. */
int rtop_temporary_log(const char *what, char *path, size_t path_bytes);

/* Registers a file to be removed when a signal ends the program; up to 8 files. */
void rtop_temporary_watch(const char *name);
void rtop_temporary_forget(const char *name);
/* For signal handlers: removes the registered files. */
void rtop_temporary_remove_all(void);

#endif
