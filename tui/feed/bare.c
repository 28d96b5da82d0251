/* SPDX-License-Identifier: MIT */
/* Looks for Ruby processes without the extension. */
#include "bare.h"

#include "target.h"
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Does the process run a file called ruby, ruby3.3, …? Reads one link, because `maps` would be pages of text. */
static bool bare_runs_ruby(const char *pid)
{
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/%.20s/exe", pid);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  const char *slash = strrchr(path, '/');
  return slash && strncmp(slash + 1, "ruby", 4) == 0;
}

static int bare_compare(const void *left, const void *right)
{
  const struct rtop_bare *a = left, *b = right;
  return a->pid < b->pid ? -1 : a->pid > b->pid;
}

size_t rtop_bare_read(struct rtop_bare rows[RTOP_BARE_MAX])
{
  size_t count = 0;
  DIR *folder = opendir("/proc");
  for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
    struct rtop_target target;
    long pid = strtol(entry->d_name, NULL, 10);
    if (pid <= 0 || pid > INT_MAX || !bare_runs_ruby(entry->d_name)) continue;
    rtop_target_look((pid_t)pid, &target);
    if (!target.readable || !target.ruby || target.extension) continue;
    if (count < RTOP_BARE_MAX) {
      rows[count].pid = target.pid;
      memcpy(rows[count].command, target.command, sizeof target.command);
    }
    count++;
  }
  if (folder) closedir(folder);
  qsort(rows, count < RTOP_BARE_MAX ? count : RTOP_BARE_MAX, sizeof *rows, bare_compare);
  return count;
}
