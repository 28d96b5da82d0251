/* SPDX-License-Identifier: MIT */
/* Reads the limits on the CPU of a process, and describes them. */
#include "core_limits.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CORE_TEXT = 4096, CORE_PATH = 1024, CORE_LEVELS = 32 };
static const char core_groups[] = "/sys/fs/cgroup";
static const int64_t core_apart_ns = 1000000000;
/* least number of missing cores, and least share of the wanted ones, that is mentioned */
static const double core_least = 0.1;

static bool core_read(const char *path, char *text, size_t bytes)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  ssize_t got = read(fd, text, bytes - 1);
  close(fd);
  text[got > 0 ? got : 0] = '\0';
  return got > 0;
}

bool core_limits_parse_quota(const char *text, double *quota)
{
  char *end;
  *quota = 0;
  if (strncmp(text, "max", 3) == 0) return true;
  if (*text < '0' || *text > '9') return false;
  double time = strtod(text, &end);
  double period = *end == ' ' ? strtod(end, NULL) : 0;
  if (!(period > 0)) return false;
  *quota = time / period;
  return true;
}

/* Returns the smallest quota of the version 2 group and its ancestors. */
static double core_read_quota(pid_t pid)
{
  char text[CORE_TEXT], path[CORE_PATH], file[CORE_PATH + 16];
  double quota, least = 0;
  snprintf(path, sizeof path, "/proc/%d/cgroup", (int)pid);
  if (!core_read(path, text, sizeof text)) return 0;
  const char *line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
  const char *group = line != NULL ? strstr(line, "::") + 2 : "";
  if (snprintf(path, sizeof path, "%s%.*s", core_groups, (int)strcspn(group, "\n"), group) >= (int)sizeof path)
    return 0;
  for (int level = 0; level < CORE_LEVELS && strstr(path, "/..") == NULL; level++) {
    snprintf(file, sizeof file, "%s/cpu.max", path);
    bool limited = core_read(file, text, sizeof text) && core_limits_parse_quota(text, &quota) && quota > 0;
    if (limited && (least == 0 || quota < least)) least = quota;
    char *slash = strrchr(path + strlen(core_groups), '/');
    if (slash == NULL) break;
    *slash = '\0';
  }
  return least;
}

void core_limits_update(struct core_limits *limits, pid_t pid, int64_t now_ns)
{
  char text[128];
  if (pid <= 0 || (limits->pid == pid && now_ns - limits->read_ns < core_apart_ns)) return;
  limits->pid = pid;
  limits->read_ns = now_ns;
  limits->quota = core_read_quota(pid);
  limits->load = core_read("/proc/loadavg", text, sizeof text) ? strtod(text, NULL) : 0;
  limits->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
}

bool core_limits_misses(double had, double wanted)
{
  return wanted - had > core_least && wanted - had > core_least * wanted;
}

void core_limits_words(char *out, size_t bytes, const struct core_limits *limits, double had, double wanted,
                       bool throttled)
{
  int used = snprintf(out, bytes, "%.2f of %.2f cores", had, wanted);
  if (used < 0 || (size_t)used >= bytes) return;
  if (throttled && limits->quota > 0) snprintf(out + used, bytes - (size_t)used, ", quota %.2g", limits->quota);
  else if (!throttled && limits->load > 0)
    snprintf(out + used, bytes - (size_t)used, ", load %.0f on %d", limits->load, limits->cores);
}
