/* SPDX-License-Identifier: MIT */
/* The directories that contain segments. Private to shm/.
 *
 * A user's segments are in a directory of his own, where no other user can plant, hide or remove files. A directory
 * counts as the user's if the opened directory has the right owner and mode 0700, and is no symbolic link. The
 * candidates are $XDG_RUNTIME_DIR/rperf-top; then /dev/shm/rperf-top-UID; if another user occupies that name,
 * rperf-top-UID-1 to -15; then a random name.
 *
 * $RPERF_TOP_DIR replaces all of these and is used as it is; files of other users in it are rejected one by one
 * (registry.c). The same applies to files directly in /dev/shm, where version 1.0 put segments.
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
  bool private; /* the directory is this user's own, not the one from RPERF_TOP_DIR */
};

/* Finds the directories where this process may put its segment, best first, and makes them if necessary. `named`,
 * `runtime`: values of RPERF_TOP_DIR and XDG_RUNTIME_DIR; NULL: from the environment. Returns their number; 0 and
 * *error when there is none. */
size_t place_for_writer(const char *named, const char *runtime, struct place places[PLACE_WRITER_MAX],
                        struct rtop_error *error);

/* Opens a directory for scanning if it belongs to `owner`; else returns -1. A directory of another user must be on a
 * memory file system, because other file systems (FUSE) may never answer. */
int place_open(int parent_fd, const char *path, uid_t owner);

/* Finds the user in the name of a directory such as "rperf-top-1000" or "rperf-top-1000-3". */
bool place_name_parse(const char *name, uid_t *uid);

/* Function called for each directory; takes ownership of fd. `owner` (uid_t)PLACE_SHARED: files of any user may be in
 * it. */
typedef void place_visit(int fd, const char *path, uid_t owner, void *argument);

/* Visit every directory of one user, or (for root) of all users: first the directories of users with running processes,
 * by name, so that no number of other names can hide them. Each directory is visited once; the number per user is
 * limited. */
void place_each_of(uid_t owner, place_visit *visit, void *argument);
void place_each(place_visit *visit, void *argument);

#endif
