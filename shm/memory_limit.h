/* How much memory this process may use, as far as its control groups say. Private to shm/.
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

#endif
