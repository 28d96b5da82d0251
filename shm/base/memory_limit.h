/* SPDX-License-Identifier: MIT */
/* How much memory this process may use, as far as its control groups and its own limits say.
 *
 * What a process keeps on a memory file system is charged to its group, and stays charged when it has died:
 * a history that is right for a machine kills a process in a small container.
 *
 * Threads: no shared state. Blocks in system calls; never allocates.
 */
#ifndef RTOP_SHM_MEMORY_LIMIT_H
#define RTOP_SHM_MEMORY_LIMIT_H

#include <stdint.h>

/* The smallest limit of its memory group and all above it, version 1 or 2; UINT64_MAX: none is known. */
uint64_t memory_limit(void);

/* The same, for a /proc/PID/cgroup of these words and groups mounted below `root`. */
uint64_t memory_limit_of(const char *groups, const char *root);

/* How much more memory RLIMIT_AS and RLIMIT_DATA (ulimit -v, -d) let this process have: 0 when one more thread would take
 * a large part of it, UINT64_MAX without such limits. For ext/, too. */
uint64_t rtop_memory_left(void);

#endif
