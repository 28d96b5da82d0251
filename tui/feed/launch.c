/* SPDX-License-Identifier: MIT */
/* Starts, watches and ends a command. */
#include "launch.h"

#include "family.h"
#include "feed.h"
#include "shm/base/clock.h"
#include "shm/base/error.h"
#include "tui/text/signals.h"
#include "tui/text/temporary.h"
#include "tui/text/text.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  LAUNCH_DESCENDANTS_MAX = 1024,
  LAUNCH_PATIENCE_MS = 2000,
};

struct rtop_launch {
  pid_t pid, parent;
  bool ended, killed;
  bool own_group;
  int status;
  struct rusage usage;
  int64_t started_ns, ended_ns;
  int log_fd; /* -1: none */
  char log_path[PATH_MAX];
  char more_path[PATH_MAX]; /* addition to PATH for a command that was found only there; else "" */
  char note[512];
};

static bool launch_open_log(struct rtop_launch *launch, struct rtop_error *error)
{
  launch->log_fd = rtop_temporary_log("", launch->log_path, sizeof launch->log_path);
  if (launch->log_fd >= 0) return true;
  rtop_error_set(error, RTOP_ERROR_SYSTEM, errno,
                 "cannot make the log file %s for the command's output: %s"
                 " (TMPDIR names another folder)",
                 launch->log_path, strerror(errno));
  return false;
}

/* Is `value` one of the parts of the list, not just a prefix of one? */
static bool launch_lists(const char *list, const char *separator, const char *value)
{
  size_t bytes = strlen(value);
  for (const char *at = list;; at += strspn(at, separator)) {
    size_t length = strcspn(at, separator);
    if (length == bytes && memcmp(at, value, bytes) == 0) return true;
    if (!at[length]) return false;
    at += length;
  }
}

static void launch_append(const char *variable, const char *separator, const char *value)
{
  char *both = NULL;
  const char *old = getenv(variable);
  if (!old || !*old) setenv(variable, value, 1);
  else if (!launch_lists(old, separator, value) && asprintf(&both, "%s%s%s", old, separator, value) >= 0)
    setenv(variable, both, 1);
  free(both);
}

static bool launch_is_program(const char *folder, size_t length, const char *name)
{
  char path[PATH_MAX];
  int bytes = snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, name);
  return bytes > 0 && (size_t)bytes < sizeof path && access(path, X_OK) == 0;
}

/* Finds the command. The bin directory of the Ruby that `make deps` built is searched, too, since it is not in PATH. */
static void launch_find(struct rtop_launch *launch, const char *name, const char *extension_folder)
{
  char ruby[PATH_MAX], shown[128], place[256];
  const char *path = getenv("PATH");
  if (!path || strchr(name, '/') || !rtop_launch_own_ruby(extension_folder, ruby, sizeof ruby)) return;
  for (const char *at = path; *at; at += strspn(at, ":")) {
    size_t length = strcspn(at, ":");
    if (launch_is_program(at, length, name)) return;
    at += length;
  }
  size_t length = (size_t)(strrchr(ruby, '/') - ruby);
  if (!launch_is_program(ruby, length, name)) return;
  snprintf(launch->more_path, sizeof launch->more_path, "%.*s", (int)length, ruby);
  rtop_text_sanitize(shown, sizeof shown, name, strlen(name));
  rtop_text_sanitize(place, sizeof place, launch->more_path, length);
  snprintf(launch->note, sizeof launch->note,
           "'%s' is not in PATH: the one in %s is started, for whose Ruby the extension was built", shown, place);
}

/* Runs the command in the child; returns only if exec failed. */
static void launch_exec(const struct rtop_launch *launch, char *const *command, const char *folder)
{
  sigset_t none;
  /* The command must not outlive this program, however this program ends. */
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != launch->parent) _exit(126);
  sigemptyset(&none);
  signal(SIGPIPE, SIG_DFL); /* what we ignore the command should not */
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (launch->own_group) {
    setpgid(0, 0);
    int null = open("/dev/null", O_RDONLY);
    if (null > 0) {
      dup2(null, STDIN_FILENO);
      close(null);
    }
  }
  if (launch->log_fd >= 0) {
    dup2(launch->log_fd, STDOUT_FILENO);
    dup2(launch->log_fd, STDERR_FILENO);
  }
  if (folder) launch_append("RUBYLIB", ":", folder);
  launch_append("RUBYOPT", " ", "-rrperf_top");
  if (*launch->more_path) launch_append("PATH", ":", launch->more_path);
  execvp(command[0], command);
}

/* Forks. A pipe closes itself when exec succeeds, and carries errno if exec fails. Returns that errno. */
static int launch_fork(struct rtop_launch *launch, char *const *command, const char *folder)
{
  int report[2], problem = 0;
  if (pipe2(report, O_CLOEXEC) != 0) return errno;
  launch->parent = getpid();
  launch->pid = fork();
  if (launch->pid == 0) {
    launch_exec(launch, command, folder);
    problem = errno;
    if (write(report[1], &problem, sizeof problem) < 0) _exit(126);
    _exit(127);
  }
  if (launch->pid < 0) problem = errno;
  close(report[1]);
  while (launch->pid > 0 && read(report[0], &problem, sizeof problem) < 0 && errno == EINTR)
    ;
  close(report[0]);
  if (launch->pid > 0 && problem) waitpid(launch->pid, NULL, 0);
  return problem;
}

static void launch_say_problem(const char *name, int problem, int *exit_status, struct rtop_error *error)
{
  char text[200];
  rtop_text_sanitize(text, sizeof text, name, strlen(name));
  *exit_status = problem == ENOENT || problem == ENOTDIR ? 127 : 126;
  rtop_error_set(error, RTOP_ERROR_SYSTEM, problem, "'%s': %s", text, strerror(problem));
}

struct rtop_launch *rtop_launch_start(char *const *command, enum rtop_launch_kind kind, int *exit_status,
                                      struct rtop_error *error)
{
  char folder[PATH_MAX];
  const char *options = getenv("RUBYOPT");
  bool found = rtop_launch_extension_folder(folder, sizeof folder);
  struct rtop_launch *launch = calloc(1, sizeof *launch);
  *exit_status = 1;
  if (!launch) {
    rtop_error_set(error, RTOP_ERROR_SYSTEM, ENOMEM, "out of memory");
    return NULL;
  }
  launch->own_group = kind == RTOP_LAUNCH_SCREEN;
  launch->log_fd = -1;
  if (!found && !(options && strstr(options, "rperf_top"))) {
    rtop_error_set(error, RTOP_ERROR_NOT_FOUND, 0, RTOP_LAUNCH_NO_EXTENSION);
  } else if (kind == RTOP_LAUNCH_PLAIN || launch_open_log(launch, error)) {
    launch->started_ns = clock_now_ns();
    if (found) launch_find(launch, command[0], folder);
    int problem = launch_fork(launch, command, found ? folder : NULL);
    if (problem == 0) {
      signals_crash_group(launch->own_group ? launch->pid : 0);
      return launch;
    }
    launch_say_problem(command[0], problem, exit_status, error);
    launch->ended = true;
  }
  launch->ended = true;
  rtop_launch_close(&launch);
  return NULL;
}

void rtop_launch_close(struct rtop_launch **handle)
{
  struct rtop_launch *launch = *handle;
  struct stat log;
  *handle = NULL;
  if (!launch) return;
  rtop_launch_stop(launch);
  signals_crash_group(0);
  if (launch->log_fd >= 0) {
    if (fstat(launch->log_fd, &log) == 0 && log.st_size == 0) unlink(launch->log_path);
    close(launch->log_fd);
  }
  free(launch);
}

pid_t rtop_launch_pid(const struct rtop_launch *launch)
{
  return launch->pid;
}

bool rtop_launch_ended(struct rtop_launch *launch)
{
  int status;
  if (launch->ended) return true;
  pid_t got = wait4(launch->pid, &status, WNOHANG, &launch->usage);
  if (got == 0 || (got < 0 && errno == EINTR)) return false;
  launch->ended = true;
  launch->ended_ns = clock_now_ns();
  signals_crash_group(0); /* From now on the command's pid may belong to another process. */
  launch->killed = got == launch->pid && WIFSIGNALED(status);
  if (got == launch->pid) launch->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return true;
}

int rtop_launch_status(const struct rtop_launch *launch)
{
  return launch->status;
}

bool rtop_launch_killed(const struct rtop_launch *launch)
{
  return launch->killed;
}

int64_t rtop_launch_age_ns(const struct rtop_launch *launch)
{
  return (launch->ended ? launch->ended_ns : clock_now_ns()) - launch->started_ns;
}

bool rtop_launch_usage(const struct rtop_launch *launch, struct rusage *usage, int64_t *real_ns)
{
  if (!launch->ended) return false;
  *usage = launch->usage;
  *real_ns = launch->ended_ns - launch->started_ns;
  return true;
}

static bool launch_any_left(struct rtop_launch *launch, const pid_t *pids, size_t count)
{
  if (!rtop_launch_ended(launch)) return true;
  for (size_t i = 0; i < count; i++)
    if (rtop_family_start_ticks(pids[i])) return true;
  return false;
}

static void launch_signal(struct rtop_launch *launch, const pid_t *pids, size_t count, int signal_number)
{
  if (!rtop_launch_ended(launch)) kill(launch->pid, signal_number);
  for (size_t i = 0; i < count; i++) kill(pids[i], signal_number);
}

void rtop_launch_stop(struct rtop_launch *launch)
{
  static pid_t pids[LAUNCH_DESCENDANTS_MAX];
  const struct timespec pause = { 0, 10000000 };
  if (rtop_launch_ended(launch)) return;
  size_t count = rtop_family_descendants(launch->pid, pids, LAUNCH_DESCENDANTS_MAX);
  launch_signal(launch, pids, count, SIGTERM);
  kill(launch->pid, SIGCONT); /* a stopped one would never hear it */
  for (int waited_ms = 0; launch_any_left(launch, pids, count); waited_ms += 10) {
    if (waited_ms == LAUNCH_PATIENCE_MS) launch_signal(launch, pids, count, SIGKILL);
    if (waited_ms > LAUNCH_PATIENCE_MS && rtop_launch_ended(launch)) break;
    nanosleep(&pause, NULL);
  }
}

const char *rtop_launch_note(const struct rtop_launch *launch)
{
  return launch->note;
}

const char *rtop_launch_log_path(const struct rtop_launch *launch)
{
  return launch->log_path;
}

size_t rtop_launch_log_tail(const struct rtop_launch *launch, char *buffer, size_t buffer_bytes, off_t *total)
{
  struct stat log;
  off_t size = launch->log_fd >= 0 && fstat(launch->log_fd, &log) == 0 ? log.st_size : 0;
  off_t room = (off_t)buffer_bytes - 1;
  off_t from = size > room ? size - room : 0;
  ssize_t got = launch->log_fd < 0 ? 0 : pread(launch->log_fd, buffer, buffer_bytes - 1, from);
  if (total) *total = size;
  buffer[got > 0 ? got : 0] = '\0';
  return got > 0 ? (size_t)got : 0;
}

void rtop_launch_log_head(const struct rtop_launch *launch, char *buffer, size_t buffer_bytes)
{
  ssize_t got = launch->log_fd < 0 ? 0 : pread(launch->log_fd, buffer, buffer_bytes - 1, 0);
  buffer[got > 0 ? got : 0] = '\0';
}
