/* SPDX-License-Identifier: MIT */
/* What the kernel counted for processes: CPU time, memory, context switches, page faults, disk.
 *
 * Of a command that we started it comes with its end (rusage: with the children that it waited for), of
 * others from /proc while they live. What may not be read or is not there is not known.
 *
 * Threads: one. Text of /proc is bounded, and only numbers are taken.
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
/* What a process has used up to now. False: it is gone. */
bool rtop_stat_os_read(struct rtop_stat_os *os, pid_t pid);
/* Adds `now` without what was counted `before`: a figure is known when it is so on both sides and in `os`,
 * which begins with everything known (rtop_stat_os_start). */
void rtop_stat_os_start(struct rtop_stat_os *os);
void rtop_stat_os_add(struct rtop_stat_os *os, const struct rtop_stat_os *before, const struct rtop_stat_os *now);

/* The text of /proc/PID/stat. False when it is none. `ticks_per_second` is that of sysconf. */
bool stat_os_parse_stat(struct rtop_stat_os *os, const char *text, long ticks_per_second);

#endif
