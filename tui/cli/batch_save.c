/* SPDX-License-Identifier: MIT */
/* Saves a profile without a screen (-o FILE). */
#include "batch.h"

#include "batch_progress.h"
#include "batch_watch.h"
#include "batch_whole.h"
#include "tui/export/export.h"
#include "tui/report/report.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Reports a problem. A reader that closes the pipe has seen enough, which is not an error. */
static int save_problem(const char *path, int problem, const char *words)
{
  if (problem == EPIPE && rtop_export_file_is_stdout(path)) return 0;
  fprintf(stderr, "rperf-top: cannot write %s: %s\n", path, words);
  return 1;
}

static int save_failed(const char *path)
{
  return save_problem(path, errno, strerror(errno));
}

static void save_done(const char *path)
{
  if (!rtop_export_file_is_stdout(path)) fprintf(stderr, "rperf-top: wrote %s\n", path);
}

static struct rtop_export save_export(struct rtop_session *session, const struct rtop_options *options,
                                      const struct rtop_report *report)
{
  return (struct rtop_export){
    .profile = rtop_session_profile(session),
    .sum = &report->sum,
    .options = &options->methods,
    .clock_offset_ns = report->clock_offset_ns,
    .command = report->command,
    .ruby = report->ruby,
    .pids = report->source_pids,
    .pid_count = report->source_count,
    .labels = options->view == VIEW_LABELS,
  };
}

/* Writes the requested data of the session, compared with all data of the other one (NULL: not compared). */
static bool save_write(const struct batch_watch *watch, struct rtop_session *baseline, FILE *out)
{
  struct rtop_session *session = watch->session;
  const struct rtop_options *options = watch->options;
  struct rtop_report report = { 0 }, before = { 0 };
  struct batch_progress progress;
  const char *what = options->replay_count ? options->replays[options->replay_count - 1] : "";
  batch_progress_start(&progress, session, what, false);
  bool fine = rtop_report_take(&report, session, &options->methods, batch_watch_seconds(watch)) &&
              (!baseline || rtop_report_take(&before, baseline, &options->methods, 0));
  struct rtop_export export = save_export(session, options, &report);
  export.baseline = baseline ? &before.sum : NULL;
  export.baseline_symbols = before.symbols;
  if (fine) fine = rtop_export_write(&export, options->output_kind, out);
  else errno = ENOMEM;
  int problem = errno;
  batch_progress_end(&progress, session);
  rtop_report_destroy(&report);
  rtop_report_destroy(&before);
  errno = problem;
  return fine;
}

/* Writes counted calls. False: errno says why; 0: no call was counted, and a message was printed. */
static bool save_write_calls(const struct whole_watch *watch, FILE *out)
{
  struct rtop_session *session = watch->batch.session;
  struct rtop_profile *profile = rtop_session_profile(session);
  struct rtop_span span = whole_watch_span(watch);
  struct rtop_report report = { .whole.numbers.before = watch->before };
  struct rtop_sum sum = { 0 };
  struct rtop_methods_options methods = watch->options.methods;
  methods.thread_filter = NULL;
  bool fine = rtop_report_take_span(&report, session, &methods, span) &&
              whole_sum_build(&sum, &report.whole.numbers, profile, span, WHOLE_ALL_SOURCES);
  const char *why = whole_state_text(report.whole.numbers.head.state);
  struct rtop_export export = save_export(session, &watch->options, &report);
  export.options = &methods;
  export.sum = &sum;
  export.calls = &report.whole.numbers.head;
  errno = fine ? 0 : ENOMEM;
  if (fine && report.whole.numbers.count == 0) {
    fprintf(stderr, "rperf-top: no call was traced%s%s\n", *why ? ": " : "", why);
    fine = false;
  } else if (fine) fine = rtop_export_write(&export, watch->options.output_kind, out);
  int problem = errno;
  rtop_sum_destroy(&sum);
  rtop_report_destroy(&report);
  errno = problem;
  return fine;
}

static int save_calls(const struct rtop_options *options)
{
  struct whole_watch watch;
  struct rtop_export_file file;
  int status = 1;
  if (!rtop_export_file_open_output(&file, options->output)) return save_failed(options->output);
  if (!whole_watch_run(&watch, options, &status)) {
    rtop_export_file_close(&file, false);
    return status;
  }
  batch_watch_saves(&watch.batch);
  bool fine = rtop_session_ready(watch.batch.session) && save_write_calls(&watch, file.stream);
  int problem = errno;
  status = fine ? 0 : 1;
  if (!rtop_export_file_close(&file, fine)) status = save_failed(options->output);
  else if (fine) save_done(options->output);
  else if (problem)
    status =
        save_problem(options->output, problem, rtop_export_problem(problem, rtop_session_profile(watch.batch.session)));
  return batch_watch_close(&watch.batch, status);
}

int rtop_export_run(const struct rtop_options *options)
{
  struct batch_watch watch;
  struct rtop_export_file file;
  struct rtop_session *baseline = NULL;
  int status = 1;
  if (options->records) return rtop_record_run(options);
  if (options->whole) return save_calls(options);
  /* The file is opened first, so that an hour of watching does not end without a file to write. */
  if (!rtop_export_file_open_output(&file, options->output)) return save_failed(options->output);
  if (!batch_watch_before(options, &baseline) || !batch_watch_open(&watch, options, &status)) {
    rtop_session_close(&baseline);
    rtop_export_file_close(&file, false);
    return status;
  }
  status = 0;
  rtop_session_poll(watch.session);
  while (batch_watch_next(&watch))
    ;
  rtop_session_poll(watch.session);
  batch_watch_saves(&watch);
  struct rtop_span held = rtop_profile_bounds(rtop_session_profile(watch.session));
  bool any = held.end_ns > held.start_ns;
  bool fine = !any || save_write(&watch, baseline, file.stream);
  int problem = errno;
  if (!rtop_export_file_close(&file, any && fine)) status = save_failed(options->output);
  else if (!fine)
    status = save_problem(options->output, problem, rtop_export_problem(problem, rtop_session_profile(watch.session)));
  else if (!any) status = batch_watch_nothing(&watch);
  else save_done(options->output);
  rtop_session_close(&baseline);
  return batch_watch_close(&watch, status);
}
