/* SPDX-License-Identifier: MIT */
/* Figures of the kernel for processes: CPU time, memory, context switches, page faults, disk.
 *
 * For a command that this program started, the figures are read at its end (rusage, including children that it waited
 * for), for other processes from /proc while they live. Unreadable figures are unknown.
 *
 * Threads: one. Texts of /proc are bounded, and only numbers are used.
 */
#ifndef RTOP_TUI_STAT_OS_H
#define RTOP_TUI_STAT_OS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct rtop_stat_os {
  bool has_times, has_memory, has_switches, has_disk;
  uint64_t user_ns, sys_ns;
  uint64_t faults_minor, faults_major; /* known with the times */
  uint64_t rss_max_bytes;              /* the largest of them; over its life */
  uint64_t voluntary, involuntary;     /* context switches of all threads */
  uint64_t disk_read_bytes, disk_written_bytes;
};

void rtop_stat_os_usage(struct rtop_stat_os *os, const struct rusage *usage);
/* Reads what a process has used so far. False: the process no longer exists. */
bool rtop_stat_os_read(struct rtop_stat_os *os, pid_t pid);
/* Adds `now` minus `before`: a figure is known if it is known in both and in `os`, where rtop_stat_os_start() marks
 * all as known. */
void rtop_stat_os_start(struct rtop_stat_os *os);
void rtop_stat_os_add(struct rtop_stat_os *os, const struct rtop_stat_os *before, const struct rtop_stat_os *now);

/* Parses /proc/PID/stat. False when invalid. `ticks_per_second`: from sysconf(). */
bool stat_os_parse_stat(struct rtop_stat_os *os, const char *text, long ticks_per_second);

#endif
