/* SPDX-License-Identifier: MIT */
/* Makes gdb load the small object of ext/inject, and waits for the result. */
#include "inject.h"

#include "launch.h"
#include "shm/base/clock.h"
#include "shm/base/error.h"
#include "shm/base/process.h"
#include "shm/segment/registry.h"
#include "tui/text/text.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  INJECT_GDB_MS = 60000,   /* limit including retries (ms), after which gdb is interrupted and releases the process */
  INJECT_START_MS = 10000, /* limit for reaching a safepoint (ms); a busy process is much faster */
  INJECT_LOOK_US = 20000,
  INJECT_SAID_BYTES = 16384, /* number of bytes of gdb's output that are kept; the last line is that of the script */
};

static bool inject_refuse(struct rtop_error *error, pid_t pid, const char *why)
{
  rtop_error_set(error, RTOP_ERROR_SYSTEM, 0, "nothing was done to process %d: %s", (int)pid, why);
  return false;
}

static bool inject_has_channel(pid_t pid)
{
  struct rtop_registry_entry entry;
  return rtop_registry_find(pid, &entry, NULL) == 0 && entry.alive;
}

/* Has the process mapped a file such as "libruby.so.3.3" or "ruby3.3"? */
static bool inject_is_ruby(pid_t pid)
{
  char path[64], line[PATH_MAX + 128];
  bool found = false;
  snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
  FILE *maps = fopen(path, "re");
  while (maps && !found && fgets(line, sizeof line, maps)) {
    const char *name = strrchr(line, '/');
    found = name && (strncmp(name, "/libruby", 8) == 0 || strncmp(name, "/ruby", 5) == 0);
  }
  if (maps) fclose(maps);
  return found;
}

static bool inject_same_root(pid_t pid)
{
  char path[64];
  struct stat own, other;
  snprintf(path, sizeof path, "/proc/%d/ns/mnt", (int)pid);
  return stat("/proc/self/ns/mnt", &own) == 0 && stat(path, &other) == 0 && own.st_ino == other.st_ino;
}

static bool inject_allowed(pid_t pid, bool others, struct rtop_error *error)
{
  struct process_stat stat_line;
  struct stat status;
  char path[64], why[128];
  snprintf(path, sizeof path, "/proc/%d", (int)pid);
  if (stat(path, &status) != 0 || !process_stat_read(pid, &stat_line))
    return inject_refuse(error, pid, "there is none");
  if (status.st_uid != geteuid() && !others) {
    snprintf(why, sizeof why, "it belongs to user %u; --yes allows that, and lets gdb read what it has loaded",
             (unsigned)status.st_uid);
    return inject_refuse(error, pid, why);
  }
  if (stat_line.state == 'T' || stat_line.state == 't') return inject_refuse(error, pid, "it is stopped, or traced");
  if (!inject_same_root(pid)) return inject_refuse(error, pid, "it stands in a container: inject it there");
  return inject_is_ruby(pid) || inject_refuse(error, pid, "it has no Ruby loaded");
}

/* Finds the files for gdb. Paths must be free of quotes, since gdb gets them in quotes. */
static bool inject_files(char *object, char *script, size_t bytes)
{
  char folder[PATH_MAX];
  if (!rtop_launch_extension_folder(folder, sizeof folder) || strpbrk(folder, "\"'\\\n")) return false;
  int object_bytes = snprintf(object, bytes, "%s/rperf_top_inject.so", folder);
  int script_bytes = snprintf(script, bytes, "%s/inject.py", folder);
  return object_bytes > 0 && (size_t)object_bytes < bytes && script_bytes > 0 && (size_t)script_bytes < bytes &&
         access(object, R_OK) == 0 && access(script, R_OK) == 0;
}

/* Runs gdb in the child; returns only if there is no gdb. */
static void inject_exec(pid_t pid, const char *object, const char *script, int out)
{
  char call[PATH_MAX + 64];
  snprintf(call, sizeof call, "python inject(%d, '%s')", (int)pid, object);
  /* gdb gets a process group of its own: keys of the terminal must not interrupt it before it has
     released the process. */
  setpgid(0, 0);
  int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  execlp("gdb", "gdb", "-nx", "-nh", "-batch", "-iex", "set auto-load off", "-iex", "set debuginfod enabled off", "-x",
         script, "-ex", call, (char *)NULL);
}

/* Reads gdb's output until gdb has ended; interrupts gdb when that takes too long. */
static void inject_listen(pid_t child, int from, char *said)
{
  int64_t until_ms = clock_now_ms() + INJECT_GDB_MS;
  size_t count = 0;
  for (;;) {
    struct pollfd ready = { .fd = from, .events = POLLIN };
    int64_t left_ms = until_ms - clock_now_ms();
    if (left_ms <= 0) {
      kill(child, SIGINT);
      until_ms = clock_now_ms() + INJECT_GDB_MS;
      continue;
    }
    if (poll(&ready, 1, (int)left_ms) <= 0) continue;
    if (count == INJECT_SAID_BYTES) {
      count /= 2;
      memcpy(said, said + count, count);
    }
    ssize_t got = read(from, said + count, INJECT_SAID_BYTES - count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    count += (size_t)got;
  }
  said[count] = '\0';
}

static bool inject_judge(pid_t pid, int status, const char *said, struct rtop_error *error)
{
  char why[256], line[200];
  const char *verdict = NULL;
  for (const char *at = said; (at = strstr(at, "inject: ")); at++) verdict = at + strlen("inject: ");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    return inject_refuse(error, pid, "there is no gdb here (apt install gdb)");
  if (verdict && strncmp(verdict, "ok", 2) == 0) return true;
  if (!verdict) verdict = strrchr(said, '\n') && strlen(said) > 1 ? said : "gdb said nothing";
  rtop_text_sanitize(line, sizeof line, verdict, strcspn(verdict, "\n"));
  if (strncmp(verdict, "busy ", 5) == 0)
    snprintf(why, sizeof why, "it was in %s each time that it was looked at; try again", line + 5);
  else snprintf(why, sizeof why, "gdb cannot load the profiler: %s", line);
  return inject_refuse(error, pid, why);
}

static bool inject_run(pid_t pid, struct rtop_error *error)
{
  char object[PATH_MAX], script[PATH_MAX], said[INJECT_SAID_BYTES + 1];
  int ends[2], status = 0;
  if (!inject_files(object, script, sizeof object))
    return inject_refuse(error, pid, "rperf_top_inject.so and inject.py are not where the extension is");
  if (pipe2(ends, O_CLOEXEC) != 0) return inject_refuse(error, pid, strerror(errno));
  pid_t child = fork();
  if (child == 0) {
    inject_exec(pid, object, script, ends[1]);
    _exit(127);
  }
  close(ends[1]);
  said[0] = '\0';
  if (child > 0) inject_listen(child, ends[0], said);
  close(ends[0]);
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  return child > 0 ? inject_judge(pid, status, said, error) : inject_refuse(error, pid, "no process can be made here");
}

bool rtop_inject(pid_t pid, bool others, struct rtop_error *error)
{
  if (inject_has_channel(pid)) return true;
  if (!inject_allowed(pid, others, error) || !inject_run(pid, error)) return false;
  int64_t until_ms = clock_now_ms() + INJECT_START_MS;
  while (!inject_has_channel(pid))
    if (clock_now_ms() > until_ms) {
      rtop_error_set(error, RTOP_ERROR_NOT_FOUND, 0,
                     "process %d has been asked to load the profiler, and will when it next runs Ruby (or its standard"
                     " error says why not): then rperf-top -p %d",
                     (int)pid, (int)pid);
      return false;
    } else {
      usleep(INJECT_LOOK_US);
    }
  return true;
}
