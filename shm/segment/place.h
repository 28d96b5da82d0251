/* SPDX-License-Identifier: MIT */
/* The directories that contain segments. Private to shm/.
 *
 * A user's segments are in a directory of his own, where nobody else can plant, hide or remove files. It counts as his
 * if the kernel says so of the opened directory (owner, mode 0700, no symbolic link). The candidates are
 * $XDG_RUNTIME_DIR/rperf-top; then /dev/shm/rperf-top-UID; if somebody occupies that name, rperf-top-UID-1 to -15; then
 * a random name.
 *
 * $RPERF_TOP_DIR replaces all of these and is used as it is; files of other users in it are rejected one by one
 * (registry.c). So are files directly in /dev/shm, where version 1.0 put them.
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

/* The directories where this process may put its segment, best first, made if necessary. `named`, `runtime`: values
 * of RPERF_TOP_DIR and XDG_RUNTIME_DIR; NULL: from the environment. Returns their number; 0 and *error when there is
 * none. */
size_t place_for_writer(const char *named, const char *runtime, struct place places[PLACE_WRITER_MAX],
                        struct rtop_error *error);

/* Opens a directory for scanning if it belongs to `owner`; else returns -1. A directory of another user must be on a
 * memory file system, because others (FUSE) may never answer. */
int place_open(int parent_fd, const char *path, uid_t owner);

/* "rperf-top-1000", "rperf-top-1000-3": whose it claims to be. */
bool place_name_parse(const char *name, uid_t *uid);

/* Called for each directory; takes over fd. `owner` (uid_t)PLACE_SHARED: files of any user may be in it. */
typedef void place_visit(int fd, const char *path, uid_t owner, void *argument);

/* Visit every directory of one user, or (for root) of all users: first those of users with running processes, by
 * name, so that no number of other names can hide them. Each directory once; the number per user is limited. */
void place_each_of(uid_t owner, place_visit *visit, void *argument);
void place_each(place_visit *visit, void *argument);

#endif
