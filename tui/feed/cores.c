/* SPDX-License-Identifier: MIT */
/* Reads schedstat and cpu.stat. */
#include "cores.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CORES_TASKS_MAX = 256, CORES_GROUPS_MAX = 8, CORES_TEXT = 8192, CORES_PATH = 1024 };

/* Reads a whole file. False when it does not exist or is too long. */
static bool cores_text(const char *path, char *text, size_t bytes)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return false;
  ssize_t count = read(fd, text, bytes - 1);
  close(fd);
  if (count <= 0) return false;
  text[count] = '\0';
  return true;
}

/* Reads a task's schedstat: "time run, time ready, number of runs". */
static bool cores_task(pid_t pid, const char *task, uint64_t *delayed_ns)
{
  char path[64], text[128];
  uint64_t ran_ns, ready_ns;
  int wanted = snprintf(path, sizeof path, "/proc/%d/task/%.20s/schedstat", (int)pid, task);
  if (wanted >= (int)sizeof path || !cores_text(path, text, sizeof text)) return false;
  if (sscanf(text, "%" SCNu64 " %" SCNu64, &ran_ns, &ready_ns) != 2) return false;
  *delayed_ns += ready_ns;
  return ran_ns + ready_ns > 0;
}

static bool cores_tasks(pid_t pid, uint64_t *delayed_ns)
{
  char path[40];
  int count = 0;
  bool told = false;
  struct stat folder; /* has a link for each task */
  snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
  if (stat(path, &folder) != 0 || folder.st_nlink > CORES_TASKS_MAX + 2) return false;
  DIR *tasks = opendir(path);
  if (!tasks) return false;
  for (const struct dirent *task; count <= CORES_TASKS_MAX && (task = readdir(tasks)) != NULL;) {
    if (task->d_name[0] == '.') continue;
    told = cores_task(pid, task->d_name, delayed_ns) || told;
    count++;
  }
  closedir(tasks);
  return told && count <= CORES_TASKS_MAX;
}

bool rtop_cores_throttled(const char *text, uint64_t *throttled_ns)
{
  const char *microseconds = strstr(text, "throttled_usec "), *nanoseconds = strstr(text, "throttled_time ");
  uint64_t value;
  if (microseconds && sscanf(microseconds, "throttled_usec %" SCNu64, &value) == 1) {
    *throttled_ns = value < UINT64_MAX / 1000 ? value * 1000 : UINT64_MAX;
    return true;
  }
  return nanoseconds && sscanf(nanoseconds, "throttled_time %" SCNu64, throttled_ns) == 1;
}

/* Is "cpu" in a list of controllers such as "cpu,cpuacct"? */
static bool cores_has_cpu(const char *controllers, size_t bytes)
{
  for (const char *at = controllers, *end = controllers + bytes; at < end;) {
    size_t count = strcspn(at, ",:");
    if (count == 3 && strncmp(at, "cpu", 3) == 0) return true;
    at += count + 1;
  }
  return false;
}

const char *rtop_cores_group(char *text, int *version)
{
  const char *unified = NULL;
  for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path || path[1] != '/' || strstr(path, "/..")) continue;
    if (cores_has_cpu(controllers + 1, (size_t)(path - controllers - 1))) {
      *version = 1;
      return path + 1;
    }
    if (path == controllers + 1 && strncmp(line, "0:", 2) == 0) unified = path + 1;
  }
  *version = 2;
  return unified;
}

/* Returns the largest throttled time of the group and its ancestors. */
static bool cores_groups(const char *mount, const char *group, uint64_t *throttled_ns)
{
  char path[CORES_PATH], text[CORES_TEXT], at[CORES_PATH];
  bool told = false;
  if (snprintf(at, sizeof at, "%s", group) >= (int)sizeof at) return false;
  for (int i = 0; i < CORES_GROUPS_MAX; i++) {
    uint64_t value;
    bool fits = snprintf(path, sizeof path, "%s%s/cpu.stat", mount, at[1] ? at : "") < (int)sizeof path;
    if (fits && cores_text(path, text, sizeof text) && rtop_cores_throttled(text, &value)) {
      told = true;
      *throttled_ns = value > *throttled_ns ? value : *throttled_ns;
    }
    char *last = strrchr(at, '/');
    if (!last || !at[1]) break;
    last[last == at] = '\0';
  }
  return told;
}

static bool cores_quota(pid_t pid, uint64_t *throttled_ns)
{
  static const char *const mounts[] = { "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct" };
  char path[40], text[CORES_TEXT];
  int version;
  snprintf(path, sizeof path, "/proc/%d/cgroup", (int)pid);
  const char *group = cores_text(path, text, sizeof text) ? rtop_cores_group(text, &version) : NULL;
  if (!group) return false;
  if (version == 2)
    return cores_groups("/sys/fs/cgroup", group, throttled_ns) ||
           cores_groups("/sys/fs/cgroup/unified", group, throttled_ns);
  return cores_groups(mounts[0], group, throttled_ns) || cores_groups(mounts[1], group, throttled_ns);
}

bool rtop_cores_read(pid_t pid, struct rtop_profile_cores *reading)
{
  reading->pid = pid;
  reading->delayed_ns = reading->throttled_ns = 0;
  reading->tells_throttled = cores_quota(pid, &reading->throttled_ns);
  return cores_tasks(pid, &reading->delayed_ns);
}
