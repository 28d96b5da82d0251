/* SPDX-License-Identifier: MIT */
/* Acts on stalls: runs a command, or saves a recording. */
#include "stall_action.h"

#include "options.h"
#include "shm/base/error.h"
#include "tui/feed/session.h"
#include "tui/text/temporary.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ACTION_FILES_MAX = 100 };
static const int64_t action_before_ns = INT64_C(5000000000), action_after_ns = INT64_C(1000000000);
static const int64_t action_patience_ns = INT64_C(30000000000);

void stall_action_open(struct stall_action *action, const struct rtop_options *options)
{
  *action = (struct stall_action){ .command = options->on_stall, .folder = options->save_on_stall, .log_fd = -1 };
}

static const struct stall *action_find(const struct stalls *stalls, uint64_t id)
{
  for (size_t i = stalls->count; i-- > 0;)
    if (stalls->list[i].id == id) return &stalls->list[i];
  return NULL;
}

static pid_t action_pid(const struct rtop_session *session, const struct stall *stall)
{
  const struct rtop_feed_info *info = rtop_session_info(session, (int)stall->source);
  return info ? info->pid : 0;
}

static int action_log(struct stall_action *action)
{
  if (action->log_fd < 0) action->log_fd = rtop_temporary_log("stall", action->log_path, sizeof action->log_path);
  return action->log_fd;
}

static void action_number(const char *name, const char *format, double number)
{
  char value[64];
  snprintf(value, sizeof value, format, number);
  setenv(name, value, 1);
}

static void action_environment(const struct stall *stall, const struct rtop_session *session)
{
  char words[400], culprit[300];
  struct rtop_profile *profile = rtop_session_profile((struct rtop_session *)session);
  const struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  int64_t start_ns = stall->start_ns + rtop_session_clock_offset_ns(session);
  stall_words(stall, symbols, words, sizeof words);
  stall_culprit(stall, symbols, culprit, sizeof culprit);
  setenv("RPERF_TOP_STALL_CAUSE", stall_cause_name(stall->cause), 1);
  setenv("RPERF_TOP_STALL_CULPRIT", culprit, 1);
  setenv("RPERF_TOP_STALL_THREAD", stall->thread, 1);
  setenv("RPERF_TOP_STALL_WORDS", words, 1);
  action_number("RPERF_TOP_STALL_SECONDS", "%.1f", (double)(stall->end_ns - stall->start_ns) / 1e9);
  action_number("RPERF_TOP_STALL_START", "%.3f", (double)start_ns / 1e9);
  action_number("RPERF_TOP_STALL_PID", "%.0f", (double)action_pid(session, stall));
}

/* Runs in the child: resets signals, terminal and files for the command. */
static void action_become(const struct stall_action *action, const struct stall *stall,
                          const struct rtop_session *session)
{
  sigset_t none;
  int empty = open("/dev/null", O_RDWR);
  int out = action->log_fd >= 0 ? action->log_fd : empty;
  setsid();
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  dup2(empty, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  action_environment(stall, session);
  execl("/bin/sh", "sh", "-c", action->command, (char *)NULL);
  _exit(127);
}

static void action_run(struct stall_action *action, const struct stall *stall, const struct rtop_session *session)
{
  if (!action->command || action->running) return;
  action_log(action);
  pid_t pid = fork();
  if (pid == 0) action_become(action, stall, session);
  action->running = pid > 0 ? pid : 0;
  snprintf(action->said, sizeof action->said,
           pid > 0 ? "%s: the command of --on-stall was started" : "%s: the command of --on-stall cannot be started",
           stall_cause_name(stall->cause));
}

static void action_save(struct stall_action *action, struct rtop_session *session, const struct stall *stall)
{
  char path[PATH_MAX], stamp[32] = "";
  struct rtop_error error = { 0 };
  struct tm parts;
  time_t start = (time_t)((stall->start_ns + rtop_session_clock_offset_ns(session)) / 1000000000);
  struct rtop_span span = { stall->start_ns - action_before_ns, stall->end_ns + action_after_ns };
  if (action->saved >= ACTION_FILES_MAX) return;
  if (localtime_r(&start, &parts)) strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &parts);
  snprintf(path, sizeof path, "%s/stall-%d-%s-%s-%llu.rpt", action->folder, (int)action_pid(session, stall), stamp,
           stall_cause_name(stall->cause), (unsigned long long)stall->id);
  if (rtop_session_save_span(session, span, path, &error)) {
    action->saved++;
    snprintf(action->said, sizeof action->said, "saved %.200s", path);
  } else {
    snprintf(action->said, sizeof action->said, "%.250s", error.text);
  }
}

static void action_wait_for(struct stall_action *action, uint64_t id)
{
  for (int i = 0; action->folder && i < STALL_ACTION_PENDING; i++)
    if (!action->pending[i]) {
      action->pending[i] = id;
      return;
    }
}

static void action_save_pending(struct stall_action *action, struct rtop_session *session, const struct stalls *stalls,
                                bool at_once)
{
  int64_t now_ns = rtop_profile_bounds(rtop_session_profile(session)).end_ns;
  for (int i = 0; i < STALL_ACTION_PENDING; i++) {
    const struct stall *stall = action->pending[i] ? action_find(stalls, action->pending[i]) : NULL;
    bool over = stall && !stall->open && now_ns >= stall->end_ns + action_after_ns;
    bool long_enough = stall && stall->end_ns - stall->start_ns >= action_patience_ns;
    if (stall && !at_once && !over && !long_enough) continue;
    if (stall) action_save(action, session, stall);
    action->pending[i] = 0;
  }
}

static void action_reap(struct stall_action *action)
{
  if (action->running && waitpid(action->running, NULL, WNOHANG) != 0) action->running = 0;
}

void stall_action_poll(struct stall_action *action, struct rtop_session *session, const struct stalls *stalls,
                       bool more)
{
  action_reap(action);
  if ((!action->command && !action->folder) || !session) return;
  if (stalls->found < action->seen) { /* another target */
    action->seen = 0;
    action->armed = false;
    memset(action->pending, 0, sizeof action->pending);
  }
  for (size_t i = 0; action->armed && i < stalls->count; i++) {
    const struct stall *stall = &stalls->list[i];
    if (stall->id <= action->seen || stall->cause >= STALL_REQUEST) continue;
    action_wait_for(action, stall->id);
    action_run(action, stall, session);
  }
  action->seen = stalls->found;
  action->armed = action->armed || (!more && rtop_session_ready(session));
  action_save_pending(action, session, stalls, false);
}

void stall_action_close(struct stall_action *action, struct rtop_session *session, const struct stalls *stalls)
{
  struct stat log;
  if (session && stalls) action_save_pending(action, session, stalls, true);
  action_reap(action);
  if (action->log_fd >= 0) {
    if (!action->running && fstat(action->log_fd, &log) == 0 && log.st_size == 0) unlink(action->log_path);
    close(action->log_fd);
  }
  action->log_fd = -1;
}
