/* SPDX-License-Identifier: MIT */
/* Reads from control groups and resource limits how much memory is allowed. */
#include "memory_limit.h"
#include "process.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LIMIT_PATH_MAX = 1024, LIMIT_LEVELS_MAX = 64 };
#define LIMIT_THREAD_BYTES (UINT64_C(65) << 20) /* address space of a thread: its C library heap and its stack */
#define LIMIT_NONE (UINT64_C(1) << 60)          /* version 1 means "no limit" by a huge number */

static uint64_t limit_smaller(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* Reads a limit, which is "max" or a number. Returns UINT64_MAX when there is none. */
static uint64_t limit_read(const char *directory, const char *name)
{
  char path[LIMIT_PATH_MAX + 64], text[64], *end;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  if (process_read_file(path, text, sizeof text) == 0 || !isdigit((unsigned char)text[0])) return UINT64_MAX;
  errno = 0;
  unsigned long long bytes = strtoull(text, &end, 10);
  return errno == 0 && (*end == '\n' || *end == '\0') && bytes < LIMIT_NONE ? bytes : UINT64_MAX;
}

/* Returns the smallest limit of the group and all its ancestors. In a container the path may be a path of the host,
 * which does not exist inside; then the top directory is the container's own group. */
static uint64_t limit_upwards(const char *mount, const char *group, size_t group_bytes, const char *name)
{
  char path[LIMIT_PATH_MAX];
  uint64_t limit = UINT64_MAX;
  size_t top = strlen(mount);
  if (top + group_bytes >= sizeof path) group_bytes = 0;
  snprintf(path, sizeof path, "%s%.*s", mount, (int)group_bytes, group);
  for (int level = 0; level < LIMIT_LEVELS_MAX; level++) {
    limit = limit_smaller(limit, limit_read(path, name));
    char *slash = strrchr(path + top, '/');
    if (!slash) break;
    *slash = '\0';
  }
  return limit;
}

/* Tells whether "memory" is one of the words in a list separated by commas. */
static bool limit_is_memory(const char *words, size_t bytes)
{
  static const char wanted[] = "memory";
  const size_t length = sizeof wanted - 1;
  for (size_t at = 0; at + length <= bytes; at++)
    if ((at == 0 || words[at - 1] == ',') && memcmp(words + at, wanted, length) == 0 &&
        (at + length == bytes || words[at + length] == ','))
      return true;
  return false;
}

/* Returns the limit of a line "NUMBER:CONTROLLERS:PATH" of /proc/PID/cgroup; version 2 has number 0 and no
 * controllers. */
static uint64_t limit_of_line(const char *line, size_t bytes, const char *root)
{
  char mount[256];
  const char *words = memchr(line, ':', bytes);
  const char *path = words ? memchr(words + 1, ':', bytes - (size_t)(words + 1 - line)) : NULL;
  if (!path) return UINT64_MAX;
  size_t word_bytes = (size_t)(path - words - 1), path_bytes = bytes - (size_t)(path + 1 - line);
  if (limit_is_memory(words + 1, word_bytes)) {
    snprintf(mount, sizeof mount, "%s/memory", root);
    return limit_upwards(mount, path + 1, path_bytes, "memory.limit_in_bytes");
  }
  if (word_bytes > 0) return UINT64_MAX;
  snprintf(mount, sizeof mount, "%s/unified", root);
  return limit_smaller(limit_upwards(root, path + 1, path_bytes, "memory.max"),
                       limit_upwards(mount, path + 1, path_bytes, "memory.max"));
}

uint64_t memory_limit_of(const char *groups, const char *root)
{
  uint64_t limit = UINT64_MAX;
  while (*groups) {
    size_t bytes = strcspn(groups, "\n");
    limit = limit_smaller(limit, limit_of_line(groups, bytes, root));
    groups += bytes + (groups[bytes] == '\n');
  }
  return limit;
}

uint64_t memory_limit(void)
{
  char groups[4096];
  process_read_file("/proc/self/cgroup", groups, sizeof groups);
  return memory_limit_of(groups, "/sys/fs/cgroup");
}

/* Returns what remains of a resource limit, in bytes. `used` is in pages; `failed` is the result of getrlimit(). */
static uint64_t limit_left(int failed, const struct rlimit *limit, unsigned long used)
{
  uint64_t bytes = (uint64_t)used * (uint64_t)sysconf(_SC_PAGESIZE);
  if (failed != 0 || limit->rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return limit->rlim_cur > bytes ? limit->rlim_cur - bytes : 0;
}

uint64_t rtop_memory_left(void)
{
  char text[128];
  struct rlimit limit;
  unsigned long size = 0, data = 0;
  process_read_file("/proc/self/statm", text, sizeof text);
  if (sscanf(text, "%lu %*u %*u %*u %*u %lu", &size, &data) != 2) size = data = 0;
  uint64_t addresses = limit_left(getrlimit(RLIMIT_AS, &limit), &limit, size);
  if (addresses < 8 * LIMIT_THREAD_BYTES) return 0;
  return limit_smaller(addresses, limit_left(getrlimit(RLIMIT_DATA, &limit), &limit, data));
}
