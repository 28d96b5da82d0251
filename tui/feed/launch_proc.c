/* What /proc tells about who descends from whom, and where the extension stands. */
#include "launch_proc.h"

#include "launch.h"
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct launch_process {
  pid_t pid, parent;
};

static pid_t launch_parent_of(pid_t pid)
{
  char path[64], stat[512];
  int parent = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t got = read(fd, stat, sizeof stat - 1);
  close(fd);
  stat[got > 0 ? got : 0] = '\0';
  /* The name in parentheses may hold anything, also parentheses: the last one ends it. */
  const char *end = strrchr(stat, ')');
  char state;
  return end && sscanf(end, ") %c %d", &state, &parent) == 2 && state != 'Z' ? parent : 0;
}

bool rtop_launch_is_stopped(pid_t pid)
{
  char path[64], line[64];
  bool stopped = false;
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  FILE *status = fopen(path, "re");
  while (status && fgets(line, sizeof line, status))
    if (strncmp(line, "State:\t", 7) == 0) {
      stopped = line[7] == 'T' || line[7] == 't';
      break;
    }
  if (status) fclose(status);
  return stopped;
}

bool launch_is_running(pid_t pid)
{
  return launch_parent_of(pid) > 0;
}

static struct launch_process *launch_processes(size_t *count)
{
  struct launch_process *processes = NULL;
  size_t capacity = 0;
  *count = 0;
  DIR *proc = opendir("/proc");
  for (struct dirent *entry; proc && (entry = readdir(proc));) {
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    if (*count == capacity) {
      capacity = capacity ? capacity * 2 : 256;
      struct launch_process *grown = realloc(processes, capacity * sizeof *processes);
      if (!grown) break;
      processes = grown;
    }
    pid_t pid = (pid_t)atoi(entry->d_name);
    processes[(*count)++] = (struct launch_process){ pid, launch_parent_of(pid) };
  }
  if (proc) closedir(proc);
  return processes;
}

size_t rtop_launch_descendants(pid_t pid, pid_t *pids, size_t capacity)
{
  size_t process_count, found = 0;
  struct launch_process *processes = launch_processes(&process_count);
  pid_t parent = pid;
  for (size_t next = 0;; parent = pids[next++]) {
    for (size_t i = 0; i < process_count && found < capacity; i++)
      if (processes[i].parent == parent && processes[i].pid != pid) pids[found++] = processes[i].pid;
    if (next >= found) break;
  }
  free(processes);
  return found;
}

static bool launch_holds_extension(const char *folder)
{
  static const char *const names[] = { "rperf_top.so", "rperf_top.rb" };
  char path[PATH_MAX];
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    int length = snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    if (length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0) return true;
  }
  return false;
}

bool rtop_launch_extension_folder(char *folder, size_t bytes)
{
  static const char *const places[] = { "", "/../lib/rperf-top" };
  char program[PATH_MAX], path[PATH_MAX + 64], real[PATH_MAX];
  const char *wish = getenv("RPERF_TOP_LIB");
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length > 0 ? length : 0] = '\0';
  const char *own = dirname(program);
  for (int i = wish && *wish ? -1 : 0; i < 2; i++) {
    if (i < 0) snprintf(path, sizeof path, "%s", wish);
    else snprintf(path, sizeof path, "%s%s", own, places[i]);
    if (launch_holds_extension(path) && realpath(path, real) && strlen(real) < bytes) {
      strcpy(folder, real);
      return true;
    }
  }
  return false;
}
