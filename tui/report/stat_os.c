/* SPDX-License-Identifier: MIT */
/* Reads the kernel's figures for a process. */
#include "stat_os.h"

#include "tui/text/task_stats.h"
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STAT_OS_TEXT = 4096, STAT_OS_TASKS_MAX = 16384, STAT_OS_BLOCK_BYTES = 512 };

static uint64_t stat_os_timeval(const struct timeval *time)
{
  return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

static uint64_t stat_os_count(long count)
{
  return count > 0 ? (uint64_t)count : 0;
}

void rtop_stat_os_usage(struct rtop_stat_os *os, const struct rusage *usage)
{
  *os = (struct rtop_stat_os){
    .has_times = true,
    .has_memory = true,
    .has_switches = true,
    .has_disk = true,
    .user_ns = stat_os_timeval(&usage->ru_utime),
    .sys_ns = stat_os_timeval(&usage->ru_stime),
    .faults_minor = stat_os_count(usage->ru_minflt),
    .faults_major = stat_os_count(usage->ru_majflt),
    .rss_max_bytes = stat_os_count(usage->ru_maxrss) * 1024,
    .voluntary = stat_os_count(usage->ru_nvcsw),
    .involuntary = stat_os_count(usage->ru_nivcsw),
    .disk_read_bytes = stat_os_count(usage->ru_inblock) * STAT_OS_BLOCK_BYTES,
    .disk_written_bytes = stat_os_count(usage->ru_oublock) * STAT_OS_BLOCK_BYTES,
  };
}

static bool stat_os_file(const char *path, char *text)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t bytes = read(fd, text, STAT_OS_TEXT - 1);
  close(fd);
  text[bytes > 0 ? bytes : 0] = '\0';
  return bytes > 0;
}

/* The process's name in parentheses may itself contain parentheses; the last one ends it. */
bool stat_os_parse_stat(struct rtop_stat_os *os, const char *text, long ticks_per_second)
{
  uint64_t user, sys, minor, major;
  const char *end = strrchr(text, ')');
  if (!end || ticks_per_second <= 0 ||
      sscanf(end, ") %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64 " %" SCNu64, &minor, &major,
             &user, &sys) != 4)
    return false;
  uint64_t tick_ns = 1000000000 / (uint64_t)ticks_per_second;
  os->has_times = true;
  os->user_ns = user * tick_ns;
  os->sys_ns = sys * tick_ns;
  os->faults_minor = minor;
  os->faults_major = major;
  return true;
}

/* Adds the context switches of each living thread; those of ended threads are missing. */
static void stat_os_switches(struct rtop_stat_os *os, pid_t pid)
{
  char path[64 + sizeof((struct dirent *)0)->d_name], text[STAT_OS_TEXT];
  snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
  DIR *tasks = opendir(path);
  struct dirent *entry;
  for (int i = 0; tasks && i < STAT_OS_TASKS_MAX && (entry = readdir(tasks)); i++) {
    struct task_counts counts = { 0 };
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    snprintf(path, sizeof path, "/proc/%d/task/%s/status", (int)pid, entry->d_name);
    if (!stat_os_file(path, text)) continue;
    task_counts_parse_status(&counts, text);
    os->has_switches = os->has_switches || counts.has_switches;
    os->voluntary += counts.voluntary;
    os->involuntary += counts.involuntary;
  }
  if (tasks) closedir(tasks);
}

bool rtop_stat_os_read(struct rtop_stat_os *os, pid_t pid)
{
  char path[64], text[STAT_OS_TEXT];
  uint64_t kilobytes;
  *os = (struct rtop_stat_os){ 0 };
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  if (!stat_os_file(path, text) || !stat_os_parse_stat(os, text, sysconf(_SC_CLK_TCK))) return false;
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  if (stat_os_file(path, text) && task_stats_number(text, "VmHWM:", &kilobytes)) {
    os->has_memory = true;
    os->rss_max_bytes = kilobytes * 1024;
  }
  snprintf(path, sizeof path, "/proc/%d/io", (int)pid);
  os->has_disk = stat_os_file(path, text) && task_stats_number(text, "read_bytes:", &os->disk_read_bytes) &&
                 task_stats_number(text, "write_bytes:", &os->disk_written_bytes);
  stat_os_switches(os, pid);
  return true;
}

void rtop_stat_os_start(struct rtop_stat_os *os)
{
  *os = (struct rtop_stat_os){
    .has_times = true,
    .has_memory = true,
    .has_switches = true,
    .has_disk = true,
  };
}

static uint64_t stat_os_since(uint64_t before, uint64_t now)
{
  return now > before ? now - before : 0;
}

void rtop_stat_os_add(struct rtop_stat_os *os, const struct rtop_stat_os *before, const struct rtop_stat_os *now)
{
  os->has_times = os->has_times && before->has_times && now->has_times;
  os->has_memory = os->has_memory && now->has_memory;
  os->has_switches = os->has_switches && before->has_switches && now->has_switches;
  os->has_disk = os->has_disk && before->has_disk && now->has_disk;
  os->user_ns += stat_os_since(before->user_ns, now->user_ns);
  os->sys_ns += stat_os_since(before->sys_ns, now->sys_ns);
  os->faults_minor += stat_os_since(before->faults_minor, now->faults_minor);
  os->faults_major += stat_os_since(before->faults_major, now->faults_major);
  os->rss_max_bytes = os->rss_max_bytes > now->rss_max_bytes ? os->rss_max_bytes : now->rss_max_bytes;
  os->voluntary += stat_os_since(before->voluntary, now->voluntary);
  os->involuntary += stat_os_since(before->involuntary, now->involuntary);
  os->disk_read_bytes += stat_os_since(before->disk_read_bytes, now->disk_read_bytes);
  os->disk_written_bytes += stat_os_since(before->disk_written_bytes, now->disk_written_bytes);
}
