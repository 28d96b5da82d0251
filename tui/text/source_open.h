/* SPDX-License-Identifier: MIT */
/* Opening a file that a stranger named, with the stranger's rights and no more.
 *
 * Whoever owns a channel chooses the paths in it. Only regular files are opened, which is known before they are
 * (a device or a pipe may do something when it is opened), below the root of the process, which links do not
 * leave. For root that is not enough: then another process opens and reads the file, which has taken the user and
 * groups of the owner, cannot get others again, is limited in time, memory and calls, and hands over what it read.
 *
 * Threads: one. Waits for that process, at the most 500 ms.
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
  SOURCE_FOUND_NOTHING, /* no such file, or no right to read it */
  SOURCE_FOUND_NO_FILE, /* a folder, a device, a pipe, a socket */
};

struct source_content {
  struct stat status;
  int64_t replaced_real_ns; /* source_replaced_ns() of it */
  char opened[1264];        /* where it was found */
  bool same;                /* as `before` was: there is no text */
  char *text;               /* the first bytes of it; the caller frees */
  size_t bytes;
};

/* `pid` 0: not known, the path is one of ours. owner: of the channel; who is not root reads with rights of his own.
 * What has inode, size and times of `before` (NULL: none) is not read again. */
enum source_found source_open_read(struct source_content *content, pid_t pid, uid_t owner, const char *path,
                                   size_t bytes_max, const struct stat *before);

/* When another file may have come to stand under a path: the last instant, in nanoseconds of the wall clock, at which what
 * is there was changed or replaced; INT64_MAX: not known. root: a folder that paths begin at; -1: our own. What is not
 * absolute is looked up where we work. Opens nothing.
 *
 * The time of a file's content (mtime) proves nothing: unpacking and copying set it to that of the original. The time of
 * its inode (ctime) cannot be set. Links that were changed count, and folders that were renamed: that changes their own
 * ctime, not their mtime, and the mtime of the folder that they are in. */
int64_t source_replaced_ns(int root, const char *path);

#endif
