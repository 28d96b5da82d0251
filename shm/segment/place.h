/* SPDX-License-Identifier: MIT */
/* The directories that segments stand in. Private to shm/.
 *
 * A user's segments stand in a directory of his own, where nobody else can plant, hide or remove anything.
 * It is his when the kernel says so of the opened directory (owner, mode 0700, no symbolic link):
 *
 *   $XDG_RUNTIME_DIR/rperf-top
 *   /dev/shm/rperf-top-UID, and where somebody sits on that name rperf-top-UID-1 to -15, then one that
 *   nobody can guess
 *
 * $RPERF_TOP_DIR stands instead of all these and is taken as it is; files that others may put there are
 * sorted out one by one (registry.c). So are those directly in /dev/shm, where version 1.0 put them.
 *
 * Threads: no shared state. Blocks in system calls; opendir() allocates.
 */
#ifndef RTOP_SHM_PLACE_H
#define RTOP_SHM_PLACE_H

#include "shm/base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { PLACE_PATH_MAX = 448, PLACE_WRITER_MAX = 2, PLACE_SHARED = -1 };
#define PLACE_SHARED_MEMORY "/dev/shm"

struct place {
  char path[PLACE_PATH_MAX];
  bool private; /* this user's own, not what RPERF_TOP_DIR says */
};

/* Where this process may put its segment, best first, made if need be. `named`, `runtime`: the values of
 * RPERF_TOP_DIR and XDG_RUNTIME_DIR; NULL: from the environment. Returns how many; 0 and *error: nowhere. */
size_t place_for_writer(const char *named, const char *runtime, struct place places[PLACE_WRITER_MAX],
                        struct rtop_error *error);

/* Opens the directory for scanning if it is `owner`'s own; else -1. Of another user only on a memory file
 * system: others may be a program's (FUSE) that never answers. */
int place_open(int parent_fd, const char *path, uid_t owner);

/* "rperf-top-1000", "rperf-top-1000-3": whose it claims to be. */
bool place_name_parse(const char *name, uid_t *uid);

/* Takes fd over. `owner` (uid_t)PLACE_SHARED: anybody may have put files there. */
typedef void place_visit(int fd, const char *path, uid_t owner, void *argument);

/* Every place of one user, or (root) of all users: first those whose processes run, by name, so that no
 * number of other names can hide them. Each place once, of each user so many at the most. */
void place_each_of(uid_t owner, place_visit *visit, void *argument);
void place_each(place_visit *visit, void *argument);

#endif
