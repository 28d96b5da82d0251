/* SPDX-License-Identifier: MIT */
/* Finding segments: all of them for a list, the one of a process, the dead ones to sweep.
 *
 * A name is only a hint where to look; whose a segment is, is told by the lock (liveness.h) and by the
 * file's owner. Only a file counts, for a list as for a limit, whose owner is the user in its name and in its
 * header, and the directory's, when that is one user's; only a process of that user is taken for its
 * writer. Looked at: the places of place.h, for a process in a container those of its own /dev/shm, and for
 * any living one the RPERF_TOP_DIR and XDG_RUNTIME_DIR in its own environment, if we may read that. Every
 * scan is bounded. The segment that the calling process itself writes is neither listed nor found: whoever reads it
 * would make that process lose its lock.
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
  pid_t pid;                     /* live: lock holder as this namespace sees it; else as named */
  bool alive;                    /* the writer's lock is held */
  bool ended;                    /* the process ended the channel itself (kept file) */
  struct rtop_geometry geometry; /* validated copy */
  int64_t modified_real_ns;      /* of the file */
  uint64_t file_bytes;
};

/* Lists readable segments, newest first, at most `capacity`; returns how many: also living ones that stand in the
 * /dev/shm of a container of this machine. Files of other users are skipped unless the caller may read them (root).
 * When there are too many, whoever has most goes short. */
size_t rtop_registry_list(struct rtop_registry_entry *entries, size_t capacity);

/* The segment of process `pid` as the caller's namespace numbers it: live if there is one, else the
 * newest dead one that carries this pid: of a process that is there only what its user made, of one that is
 * gone only when no two users left one (UNSAFE). 0, or -1: NOT_FOUND, PERMISSION, VERSION, CORRUPT, UNSAFE. */
int rtop_registry_find(pid_t pid, struct rtop_registry_entry *entry, struct rtop_error *error);

/* rtop_ending_find(), and for a process that is gone: did it leave another segment that is younger than this
 * one? Then it had become that program by exec. `pid` as the caller's namespace numbers it. */
void rtop_registry_ending(pid_t pid, const struct rtop_geometry *geometry, const struct rtop_counters *said,
                          int64_t last_mono_ns, struct rtop_ending *ending);

/* Removes this user's dead segments that are older than an hour, or beyond the newest 4, or beyond
 * `kept_bytes` of memory in all, the oldest first; looks at 64 of this user's at the most. Never one whose
 * lock is held by a writer or a viewer. Returns how many went. */
size_t rtop_registry_sweep(const char *directory, uint64_t kept_bytes);

#endif
