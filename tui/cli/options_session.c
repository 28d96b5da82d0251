/* SPDX-License-Identifier: MIT */
/* Opens sessions as the command line asks. */
#include "options_session.h"

#include "death_action.h"
#include "tui/export/export.h"
#include "tui/feed/inject.h"
#include "tui/metrics/metrics.h"
#include "shm/base/error.h"
#include "tui/ssh/ssh.h"
#include <stdio.h>

size_t rtop_session_memory(const struct rtop_options *options)
{
  static const double short_seconds = 10;
  bool past = options->output || options->stat || options->save_on_stall || options->save_on_death ||
              options->frame_seconds <= 0 || options->frame_seconds > short_seconds;
  if (options->action == RTOP_ACTION_REPLAY) return RTOP_SESSION_REPLAY_BYTES;
  if (options->metrics || options->push) return RTOP_SESSION_METRICS_BYTES;
  return (options->batch || options->stream) && !past ? RTOP_SESSION_BATCH_BYTES : RTOP_SESSION_MEMORY_BYTES;
}

enum {
  METRICS_HZ = 100, /* default rate of a process, which metrics keep because they run permanently */
  SITES_HZ = 1000,  /* rate for allocation sites, which sample few of these intervals: more of them reduce the error */
};

/* Returns the rate to ask for; 0: the rate of the process stays unchanged. */
static uint32_t session_rate_hz(const struct rtop_options *options)
{
  if (options->rate_hz) return options->rate_hz;
  return options->metrics || options->push ? METRICS_HZ : options->sites ? SITES_HZ : 0;
}

double rtop_metrics_seconds(const struct rtop_options *options)
{
  static const double usual = 10;
  return options->given & RTOP_GIVEN_DELAY ? options->delay_seconds : usual;
}

/* Returns the time of history that a session must keep (ns): the frame, the previous one and windows still to come; the
 * sparklines of methods cover the last minute. */
static int64_t session_keep_ns(const struct rtop_options *options)
{
  static const int64_t second_ns = 1000000000;
  int64_t death_ns = options->save_on_death ? DEATH_SECONDS * second_ns : 0;
  if (options->metrics) return METRICS_LATE_NS + 5 * second_ns + death_ns;
  if (options->push) return (int64_t)((options->interval_seconds + 15) * 1e9) + death_ns;
  bool minute = options->methods.sort == RTOP_SORT_HISTORY || options->stream; /* an index needs a minute */
  if (rtop_session_memory(options) != RTOP_SESSION_BATCH_BYTES || options->on_stall) return 0;
  return (int64_t)(2e9 * options->frame_seconds) + (minute ? 80 : 5) * second_ns;
}

static enum rtop_launch_kind launch_kind(const struct rtop_options *options)
{
  /* the output of a server goes to its usual log, which people read */
  if (options->metrics || options->push) return RTOP_LAUNCH_PLAIN;
  const char *output = options->stat_output ? options->stat_output : options->json ? "-" : "";
  if (options->stat && !rtop_export_file_is_stdout(output))
    return RTOP_LAUNCH_PLAIN; /* the summary is printed after the command has ended,
                                 so it does not mix with the command's output */
  if (options->stat) return RTOP_LAUNCH_LOG;
  return options->batch || options->output || options->stream ? RTOP_LAUNCH_LOG : RTOP_LAUNCH_SCREEN;
}

/* May the history hold seconds instead of windows? Sums need no single windows, nor do stalls with the default limits
 * or higher ones. */
static bool session_by_seconds(const struct rtop_options *options)
{
  const struct stall_limits usual = STALL_LIMITS_USUAL, *limits = &options->stall;
  if (!options->metrics || options->on_stall || options->save_on_stall || options->save_on_death) return false;
  return (limits->gc_ns >= usual.gc_ns || limits->gc_ns == 0) &&
         (limits->no_safepoint_ns >= usual.gc_ns || limits->no_safepoint_ns == 0) &&
         (limits->waiting >= 1 || limits->waiting == 0) &&
         (limits->many_waits >= usual.many_waits || limits->many_waits == 0);
}

static bool session_add_option(char *line, size_t bytes, const char *option, const char *value)
{
  return rtop_ssh_add_word(line, bytes, option) && rtop_ssh_add_word(line, bytes, value);
}

/* What the hosts run: it writes a stream of the processes that are wanted. */
static bool session_host_command(const struct rtop_options *options, char *line, size_t bytes)
{
  char number[32];
  int used = snprintf(line, bytes, "%s --stream", options->ssh_command ? options->ssh_command : "rperf-top");
  bool fits = used > 0 && (size_t)used < bytes;
  snprintf(number, sizeof number, "%u", options->rate_hz);
  if (fits && options->rate_hz) fits = session_add_option(line, bytes, "--hz", number);
  if (fits && options->alone) fits = rtop_ssh_add_word(line, bytes, "--no-follow");
  for (int i = 0; fits && i < options->trace_count; i++)
    fits = session_add_option(line, bytes, "--trace", options->traces[i]);
  snprintf(number, sizeof number, "%u.%06u", options->slower_us / 1000000, options->slower_us % 1000000);
  if (fits && options->slower_us) fits = session_add_option(line, bytes, "--slower", number);
  for (int i = 0; fits && i < options->pid_count; i++) {
    snprintf(number, sizeof number, "%d", (int)options->pids[i]);
    fits = session_add_option(line, bytes, "-p", number);
  }
  for (int i = 0; fits && i < options->name_count; i++) fits = session_add_option(line, bytes, "-p", options->names[i]);
  return fits;
}

struct rtop_session *rtop_session_open(const struct rtop_options *options, int *exit_status, struct rtop_error *error)
{
  static char host_command[RTOP_SSH_COMMAND_BYTES_MAX];
  struct rtop_session_wish wish = {
    .kind = launch_kind(options),
    .hosts = options->hosts,
    .host_count = options->host_count,
    .host_command = host_command,
    .pids = options->pids,
    .pid_count = options->pid_count,
    .names = options->names,
    .name_count = options->name_count,
    .rate_hz = session_rate_hz(options),
    .memory_bytes = rtop_session_memory(options),
    .keep_ns = session_keep_ns(options),
    .lens = &options->lens,
    .needs_rights = options->output || options->stat_output || options->dump_screen || options->on_stall ||
                    options->save_on_stall || options->save_on_death || options->replay_count > 1,
    .skips_past = options->metrics || options->push ||
                  (options->output && options->time_seconds > 0 && !(options->given & RTOP_GIVEN_FRAME)),
    .alone = options->alone,
    .by_seconds = session_by_seconds(options),
    .keeps_sums =
        !options->metrics && !options->push && (options->output || options->stat || options->frame_seconds <= 0),
    .traces = options->traces,
    .trace_count = options->trace_count,
    .slower_us = options->slower_us,
    .whole_seconds = options->whole ? (uint32_t)(options->whole_seconds + 0.999) : 0,
    .whole = options->whole_how,
    .sites_seconds = options->sites ? (uint32_t)(options->whole_seconds + 0.999) : 0,
  };
  *exit_status = 1;
  if (options->host_count && !session_host_command(options, host_command, sizeof host_command)) {
    rtop_error_set(error, RTOP_ERROR_LIMIT, 0, "the command for the hosts would be too long");
    return NULL;
  }
  for (int i = 0; options->inject && i < options->pid_count; i++)
    if (!rtop_inject(options->pids[i], options->yes, error)) return NULL;
  if (options->action == RTOP_ACTION_RUN) wish.command = options->command;
  else if (options->action == RTOP_ACTION_REPLAY) wish.replay = options->replays[options->replay_count - 1];
  return rtop_session_begin(&wish, exit_status, error);
}

struct rtop_session *rtop_session_open_before(const struct rtop_options *options, struct rtop_error *error)
{
  struct rtop_options before = *options;
  int status;
  if (options->action != RTOP_ACTION_REPLAY || options->replay_count < 2) return NULL;
  before.replay_count--;
  struct rtop_session *session = rtop_session_open(&before, &status, error);
  while (session && rtop_session_poll(session) > 0)
    ;
  return session;
}
