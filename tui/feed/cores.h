/* SPDX-License-Identifier: MIT */
/* The kernel's figures on why the threads of a process have no core: the time that they were ready while another task
 * ran (schedstat), and the time that a CPU quota of a control group kept them from running (cpu.stat, versions 1 and 2,
 * of the group and its ancestors).
 *
 * Only for living processes of this machine. Reads /proc and /sys/fs/cgroup, and sends no request to the process.
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_CORES_H
#define RTOP_TUI_CORES_H

#include "tui/history/profile.h"
#include <sys/types.h>

/* Reads sums since the tasks began; the caller sets source and time. False when the kernel does not provide them, or
 * the process has too many tasks. */
bool rtop_cores_read(pid_t pid, struct rtop_profile_cores *reading);

/* Reads throttled nanoseconds from the text of a cpu.stat; false when the text has no such figure. */
bool rtop_cores_throttled(const char *text, uint64_t *throttled_ns);
/* Finds the path of the group with the cpu controller in the text of /proc/PID/cgroup, which is modified; NULL: none.
 * *version: 1 or 2. */
const char *rtop_cores_group(char *text, int *version);

#endif
