/* SPDX-License-Identifier: MIT */
/* What /proc says about a process, and where the extension is. */
#include "launch.h"

#include "shm/base/process.h"
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool rtop_launch_is_stopped(pid_t pid)
{
  struct process_stat stat;
  return process_stat_read(pid, &stat) && (stat.state == 'T' || stat.state == 't');
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

bool rtop_launch_own_ruby(const char *folder, char *ruby, size_t bytes)
{
  static const char name[] = "BUILT_WITH = \"";
  char path[PATH_MAX + 16], line[PATH_MAX + 64];
  bool found = false;
  snprintf(path, sizeof path, "%s/rperf_top.rb", folder);
  FILE *shim = fopen(path, "re");
  for (int lines = 0; shim && !found && lines < 64 && fgets(line, sizeof line, shim); lines++) {
    const char *at = strstr(line, name);
    size_t length = at ? strcspn(at + strlen(name), "\"\n") : 0;
    found = at && length < bytes && at[strlen(name)] == '/';
    if (found) snprintf(ruby, bytes, "%.*s", (int)length, at + strlen(name));
  }
  if (shim) fclose(shim);
  return found && access(ruby, X_OK) == 0;
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
