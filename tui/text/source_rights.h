/* SPDX-License-Identifier: MIT */
/* Assumes the rights of another user, for good. Possible only for root.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_SOURCE_RIGHTS_H
#define RTOP_TUI_SOURCE_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { SOURCE_GROUPS_MAX = 64 };

struct source_rights {
  uid_t user;
  gid_t group;
  gid_t groups[SOURCE_GROUPS_MAX];
  size_t group_count;
  bool is_process; /* the rights are those of the named process */
};

/* Finds the rights of a process of the user, including groups; if the process has ended or belongs to another user,
 * those in the user database, without supplementary groups. False: the user is root, or has no group. */
bool source_rights_of(struct source_rights *rights, pid_t pid, uid_t user);

/* Use that the process will make of the rights; everything else will be forbidden. */
enum source_rights_use {
  SOURCE_RIGHTS_OPEN, /* open and read files; at most a second of CPU time */
  /* read mapped memory and query its locks; opens nothing, and prints nothing, because standard error is the viewer's
   * terminal */
  SOURCE_RIGHTS_PARSE,
};

/* Assumes the rights, in a process forked for this purpose, and drops everything else (capabilities, descriptors except
 * `keep` (-1: none), signal handlers except SIGBUS), and installs a filter with the system calls of this use. The
 * process then cannot write files, make processes or be traced; it dies with its parent and may use 256 MB more memory
 * than now. False: this failed, and the process must exit. */
bool source_rights_take(const struct source_rights *rights, enum source_rights_use use, const int *keep,
                        size_t keep_count);

/* Changes this process to the user and groups for good, with nothing of root's rights left. False: this failed, and the
 * process must exit. */
bool source_rights_become(const struct source_rights *rights);

#endif
