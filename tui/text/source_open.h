/* SPDX-License-Identifier: MIT */
/* Opens a file named by an untrusted process, with no more than that process's rights.
 *
 * The owner of a channel chooses the paths in it. Only regular files are opened; the type is checked first, since
 * opening a device or pipe can have effects; and only below the process's root, which links cannot leave. For root, in
 * addition, a child process opens and reads the file: the child has the owner's user and groups for good, limits on
 * time, memory and system calls, and passes on the content.
 *
 * Threads: one. Waits for that child for 500 ms at most.
 */
#ifndef RTOP_TUI_SOURCE_OPEN_H
#define RTOP_TUI_SOURCE_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

enum source_found {
  SOURCE_FOUND,
  SOURCE_FOUND_NOTHING, /* the file does not exist, or may not be read */
  SOURCE_FOUND_NO_FILE, /* a directory, device, pipe or socket */
};

struct source_content {
  struct stat status;
  int64_t replaced_real_ns; /* source_replaced_ns() of it */
  char opened[1264];        /* where it was found */
  bool same;                /* as `before` was: there is no text */
  char *text;               /* first part of the file; the caller frees it */
  size_t bytes;
};

/* Reads a file. `pid` 0: unknown, and the path is in the file system of this program. owner: of the channel;
 * without being root, the caller's own rights apply. A file with the inode, size and times in `before` (may be
 * NULL) is not read again. */
enum source_found source_open_read(struct source_content *content, pid_t pid, uid_t owner, const char *path,
                                   size_t bytes_max, const struct stat *before);

/* The last instant (wall clock, ns) at which the file at this path was changed or replaced; INT64_MAX: unknown.
 * root: directory at which paths begin; -1: that of this program. Relative paths begin at the working
 * directory. Opens nothing.
 *
 * mtime proves nothing, since unpacking and copying restore it; ctime cannot be set. Changed links and renamed
 * directories count, too: renaming changes a directory's ctime and its parent's mtime. */
int64_t source_replaced_ns(int root, const char *path);

#endif
