/* SPDX-License-Identifier: MIT */
/* Taking the rights of another user, for good. Only root can do that.
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
  bool is_process; /* they are of the process that was named */
};

/* Those of a process of the user, groups too; else (it is over, or another's) what the user database says, without
 * further groups. False: the user is root, or has no group. */
bool source_rights_of(struct source_rights *rights, pid_t pid, uid_t user);

/* What it will do with them, which is all that it can do. */
enum source_rights_use {
  SOURCE_RIGHTS_OPEN,  /* open and read files: a second of computing at the most */
  SOURCE_RIGHTS_PARSE, /* read what is mapped and ask for its locks: opens nothing, and says nothing on
                                          standard error, which is the viewer's terminal */
};

/* In a process that was forked for it: takes them, gives up everything else (capabilities, descriptors but those to
 * `keep` (-1: none), the parent's signal handlers but that of SIGBUS) and lets the kernel refuse all calls that its use
 * does not need. Files cannot be written, processes not made, nobody can trace it; it dies with its parent, and memory
 * ends after 256 MB more than it has now. False: it has not worked, and nothing may be done but ending. */
bool source_rights_take(const struct source_rights *rights, enum source_rights_use use, const int *keep,
                        size_t keep_count);

/* In this process, for good: the user and the groups, and nothing of root's is left. False: it has not
 * worked, and nothing may be done but ending. */
bool source_rights_become(const struct source_rights *rights);

#endif
