/* SPDX-License-Identifier: MIT */
/* Tells how much memory this process may use according to its control groups and resource limits.
 *
 * Memory used on a memory file system is charged to the process's group, and stays charged after its death, so a
 * history that suits a machine can kill a process in a small container.
 *
 * Threads: no shared state. Blocks in system calls; never allocates.
 */
#ifndef RTOP_SHM_MEMORY_LIMIT_H
#define RTOP_SHM_MEMORY_LIMIT_H

#include <stdint.h>

/* Returns the smallest limit, in bytes, of the process's memory group and its ancestors, version 1 or 2; UINT64_MAX
 * when there is none. */
uint64_t memory_limit(void);

/* Like memory_limit(), for a given text of /proc/PID/cgroup and groups mounted below `root`. */
uint64_t memory_limit_of(const char *groups, const char *root);

/* Returns how many more bytes of memory RLIMIT_AS and RLIMIT_DATA (ulimit -v, -d) allow this process: 0 when one more
 * thread would take a large part of it, UINT64_MAX without such limits. Also for ext/. */
uint64_t rtop_memory_left(void);

#endif
