/* SPDX-License-Identifier: MIT */
/* Why the threads of a process have no core, as the kernel tells anybody who asks: for how long they were ready and another
 * task ran (schedstat), and for how long a CPU quota of a control group kept them from running (cpu.stat, of version 1 and
 * 2, of the group and of those above it).
 *
 * Only of processes of this machine that live. Reads /proc and /sys/fs/cgroup; nothing is asked of the process. Threads: no
 * shared state.
 */
#ifndef RTOP_TUI_CORES_H
#define RTOP_TUI_CORES_H

#include "tui/history/profile.h"
#include <sys/types.h>

/* Sums since the tasks began; source and time are the caller's. False: the kernel does not tell, or the process has more
 * tasks than are worth asking. */
bool rtop_cores_read(pid_t pid, struct rtop_profile_cores *reading);

/* From the text of a cpu.stat, nanoseconds; false: there is no such figure. */
bool rtop_cores_throttled(const char *text, uint64_t *throttled_ns);
/* From the text of /proc/PID/cgroup the path of the group that has the CPU; NULL: none. *version: 1 or 2. Cuts the text. */
const char *rtop_cores_group(char *text, int *version);

#endif
