/* SPDX-License-Identifier: MIT */
/* Finds segments: all segments for a list, the segment of a process, and dead segments to sweep.
 *
 * A file's name is only a hint. The process and user of a segment are determined by the lock (liveness.h) and the
 * file's owner. A file counts, in lists and for limits, only if its owner is the user in its name and in its header,
 * and the owner of the directory if the directory belongs to one user; only a process of that user is accepted as its
 * writer. The search covers the directories of place.h; for a process in a container its own /dev/shm; for a living
 * process also RPERF_TOP_DIR and XDG_RUNTIME_DIR in its environment, if readable. Every scan is bounded. The caller's
 * own segment is neither listed nor found, because reading it would release the process's lock.
 */
#ifndef RTOP_SHM_REGISTRY_H
#define RTOP_SHM_REGISTRY_H

#include "ending.h"
#include "shm/base/error.h"
#include "shm/base/format.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct rtop_registry_entry {
  char path[512];
  uid_t uid;                     /* owner of the file */
  pid_t pid;                     /* live: lock holder, in the caller's pid namespace; dead: pid in the name */
  bool alive;                    /* whether the writer's lock is held */
  bool ended;                    /* the process itself ended the channel, and the file was kept */
  struct rtop_geometry geometry; /* validated copy */
  int64_t modified_real_ns;      /* modification time of the file */
  uint64_t file_bytes;
};

/* Lists readable segments, newest first, at most `capacity`; returns their number. Includes live segments in the
 * /dev/shm of containers on this machine. Files of other users are skipped unless the caller may read them (root). When
 * there are too many segments, the users with most segments lose entries. */
size_t rtop_registry_list(struct rtop_registry_entry *entries, size_t capacity);

/* Finds the segment of process `pid` (in the caller's namespace): the live one, else the newest dead one with this pid.
 * For an existing process, only segments of its user count; for a process that does not exist, segments of two users
 * are ambiguous (UNSAFE). Returns 0, or -1: NOT_FOUND, PERMISSION, VERSION, CORRUPT, UNSAFE. */
int rtop_registry_find(pid_t pid, struct rtop_registry_entry *entry, struct rtop_error *error);

/* Like rtop_ending_find(), but also searches for a newer segment of the same process. If there is one, the process has
 * become that program by exec. `pid` is in the caller's namespace. */
void rtop_registry_ending(pid_t pid, const struct rtop_geometry *geometry, const struct rtop_counters *said,
                          int64_t last_mono_ns, struct rtop_ending *ending);

/* Removes dead segments of this user that are older than an hour, beyond the newest 4, or beyond `kept_bytes` in total,
 * oldest first; examines at most 64. Never removes a segment whose lock a writer or viewer holds. Returns the number of
 * removed segments. */
size_t rtop_registry_sweep(const char *directory, uint64_t kept_bytes);

#endif
