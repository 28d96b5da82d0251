/* SPDX-License-Identifier: MIT */
/* Parses names of segments, and scans the directories that contain them. Private to shm/.
 *
 * Threads: no shared state. Blocks in system calls; opendir() allocates.
 */
#ifndef RTOP_SHM_REGISTRY_SCAN_H
#define RTOP_SHM_REGISTRY_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { REGISTRY_SCAN_MAX = 1 << 16 }; /* maximum number of directory entries that are examined */

/* Parses a segment's name, which must be exactly rperf-top.<uid>.<pid>.<16 hex digits>. */
bool registry_name_parse(const char *name, uid_t *uid, pid_t *pid);

/* Calls visit(directory_fd, name, argument) for every entry until it returns false. Takes ownership of directory_fd. */
void registry_scan(int directory_fd, bool (*visit)(int directory_fd, const char *name, void *argument), void *argument);

/* Opens a directory for scanning. Returns -1 when that is not possible. */
int registry_open_directory(const char *path);

#endif
