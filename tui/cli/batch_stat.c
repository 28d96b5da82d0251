/* SPDX-License-Identifier: MIT */
/* The summary of a whole run (--stat). */
#include "batch.h"

#include "batch_watch.h"
#include "shm/base/clock.h"
#include "tui/export/export.h"
#include "tui/report/report.h"
#include "tui/report/stat.h"
#include "tui/text/interrupt.h"
#include "tui/text/output_status.h"
#include "tui/text/text.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { STAT_COMMAND_BYTES = 2048 };

/* For processes that are watched, not started: counts of the kernel at the start of watching, and at the last check. */
struct stat_watch {
  struct batch_watch batch;
  int64_t start_ns;
  int64_t from_ns; /* start in the data */
  bool cut_short;  /* the time of -t ended before the command did */
  int count;
  struct rtop_stat_os before[RTOP_SESSION_FEEDS_MAX], now[RTOP_SESSION_FEEDS_MAX]; /* by source */
  uint64_t opened[RTOP_SESSION_FEEDS_MAX];                                         /* which one that is */
  struct rtop_stat_os gone; /* of processes whose places others have */
};

/* Does another source count the process already? The kernel's counts continue after exec. */
static bool stat_is_told(const struct rtop_session *session, int source)
{
  for (int i = 0; i < rtop_session_count(session); i++)
    if (rtop_session_process(session, i) == rtop_session_process(session, source) &&
        rtop_session_opened(session, i) < rtop_session_opened(session, source))
      return true;
  return false;
}

static void stat_look(struct stat_watch *watch, bool first)
{
  const struct rtop_session *session = watch->batch.session;
  if (watch->batch.options->action != RTOP_ACTION_WATCH) return;
  for (int i = 0; i < rtop_session_count(session); i++) {
    if (watch->opened[i] == rtop_session_opened(session, i)) continue;
    if (watch->opened[i]) rtop_stat_os_add(&watch->gone, &watch->before[i], &watch->now[i]);
    watch->opened[i] = rtop_session_opened(session, i);
    watch->before[i] = watch->now[i] = (struct rtop_stat_os){ 0 };
    if (first && !stat_is_told(session, i)) continue; /* unknown, unless it can be read now */
    rtop_stat_os_start(&watch->before[i]);
    rtop_stat_os_start(&watch->now[i]);
  }
  watch->count = rtop_session_count(session);
  for (int i = 0; i < watch->count; i++) {
    struct rtop_stat_os os;
    if (stat_is_told(session, i) || !rtop_stat_os_read(&os, rtop_session_info(session, i)->pid)) continue;
    watch->now[i] = os;
    if (first) watch->before[i] = os;
  }
}

static void stat_command(char *out, size_t bytes, char *const *command)
{
  size_t used = 0;
  out[0] = '\0';
  for (int i = 0; command[i] && used + 2 < bytes; i++) {
    if (i) out[used++] = ' ';
    used += rtop_text_sanitize(out + used, bytes - used, command[i], strlen(command[i]));
  }
}

/* Fills in the kernel's figures and the elapsed time. */
static void stat_fill(struct stat_watch *watch, struct rtop_stat *stat)
{
  const struct rtop_options *options = watch->batch.options;
  const struct rtop_launch *launch = rtop_session_launch(watch->batch.session);
  struct rusage usage;
  int64_t real_ns;
  stat->real_ns = stat->report ? stat->report->sum.length_ns : 0;
  stat->status = -1;
  if (options->action == RTOP_ACTION_WATCH) {
    stat->os = watch->gone;
    for (int i = 0; i < watch->count; i++) rtop_stat_os_add(&stat->os, &watch->before[i], &watch->now[i]);
    stat->real_ns = (uint64_t)(clock_now_ns() - watch->start_ns);
  } else if (launch && rtop_launch_usage(launch, &usage, &real_ns)) {
    rtop_stat_os_usage(&stat->os, &usage);
    stat->status = watch->cut_short ? -1 : rtop_launch_status(launch);
    stat->real_ns = (uint64_t)real_ns;
  }
}

/* Makes the report. For processes that ran before this program only later time counts, as in the kernel's figures. */
static bool stat_report(struct stat_watch *watch, struct rtop_report *report, struct rtop_span held)
{
  struct rtop_session *session = watch->batch.session;
  const struct rtop_options *options = watch->batch.options;
  struct rtop_span all = rtop_profile_bounds(rtop_session_profile(session));
  bool live = options->action == RTOP_ACTION_WATCH && all.end_ns > held.end_ns && held.end_ns > held.start_ns;
  if (live) all.start_ns = watch->from_ns < all.end_ns ? watch->from_ns : held.end_ns;
  return rtop_report_take_span(report, session, &options->methods, all);
}

/* False: writing failed, and errno says why. */
static bool stat_write_to(const struct rtop_options *options, const struct rtop_stat *stat, FILE *out)
{
  errno = 0;
  if (!options->json) rtop_stat_write_text(stat, out);
  return options->json ? rtop_stat_write_json(stat, out) : fflush(out) == 0 && !ferror(out);
}

static int stat_problem(const char *path)
{
  if (errno == EPIPE && rtop_export_file_is_stdout(path)) return 0;
  fprintf(stderr, "rperf-top: cannot write %s: %s\n", path, strerror(errno));
  return 1;
}

static int stat_write(struct stat_watch *watch, struct rtop_span held, struct rtop_export_file *file)
{
  const struct rtop_options *options = watch->batch.options;
  struct rtop_session *session = watch->batch.session;
  struct rtop_report report = { .slower_requests_ns = (uint64_t)options->stall.request_ns };
  struct rtop_stat stat = { 0 };
  char command[STAT_COMMAND_BYTES] = "";
  int status = 0;
  if (rtop_session_ready(session) && stat_report(watch, &report, held)) stat.report = &report;
  if (options->command) stat_command(command, sizeof command, options->command);
  stat.command = options->command ? command : stat.report ? report.command : "";
  stat_fill(watch, &stat);
  FILE *out = file->stream ? file->stream : options->json ? stdout : stderr;
  bool fine = stat_write_to(options, &stat, out);
  if (file->stream) {
    int problem = errno ? errno : ENOMEM;
    if (fine) fine = rtop_export_file_close(file, true);
    else rtop_export_file_close(file, false), errno = problem;
    status = fine ? 0 : stat_problem(options->stat_output);
  } else if (fine || ferror(out)) status = rtop_output_status(out);
  else status = 1;
  rtop_report_destroy(&report);
  return status;
}

int rtop_stat_run(const struct rtop_options *options)
{
  struct stat_watch watch = { .start_ns = clock_now_ns() };
  struct rtop_export_file file = { 0 };
  int status = 1;
  rtop_stat_os_start(&watch.gone);
  if (options->stat_output && !rtop_export_file_open_output(&file, options->stat_output))
    return stat_problem(options->stat_output);
  if (!batch_watch_open(&watch.batch, options, &status)) {
    if (file.stream) rtop_export_file_close(&file, false);
    return status;
  }
  struct rtop_session *session = watch.batch.session;
  rtop_session_poll(session);
  struct rtop_span held = rtop_profile_bounds(rtop_session_profile(session));
  const struct rtop_feed_info *info = rtop_session_info(session, 0);
  watch.from_ns = batch_watch_from(held.end_ns, clock_now_ns(), info ? (int64_t)info->window_ns : 0);
  stat_look(&watch, true);
  while (batch_watch_next(&watch.batch)) stat_look(&watch, false);
  rtop_session_poll(session);
  struct rtop_launch *launch = rtop_session_launch(session);
  if (launch && !rtop_launch_ended(launch)) {
    watch.cut_short = !interrupt_signal();
    rtop_launch_stop(launch); /* what it used is known only then */
  }
  status = stat_write(&watch, held, &file);
  int ended = batch_watch_close(&watch.batch, status);
  return watch.cut_short ? status : ended;
}
