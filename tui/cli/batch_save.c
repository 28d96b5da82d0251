/* Saving a profile without a screen (-o FILE). */
#include "batch.h"

#include "batch_progress.h"
#include "batch_watch.h"
#include "tui/export/export.h"
#include "tui/report/report.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int save_problem(const char *path, const char *problem)
{
  fprintf(stderr, "rperf-top: cannot write %s: %s\n", path, problem);
  return 1;
}

/* What is wanted of the session, compared with everything that the other one holds (NULL: not). */
static bool save_write(const struct batch_watch *watch, struct rtop_session *baseline, FILE *out)
{
  struct rtop_session *session = watch->session;
  const struct rtop_options *options = watch->options;
  struct rtop_report report = { 0 }, before = { 0 };
  struct rtop_file_kind kind = { .format = RTOP_FILE_TEXT };
  rtop_file_kind(options->output, &kind);
  struct batch_progress progress;
  const char *what = options->replay_count ? options->replays[options->replay_count - 1] : "";
  batch_progress_start(&progress, session, what, false);
  bool fine = rtop_report_take(&report, session, &options->methods, batch_watch_seconds(watch)) &&
              (!baseline || rtop_report_take(&before, baseline, &options->methods, 0));
  struct rtop_export export = {
    .profile = rtop_session_profile(session),
    .sum = &report.sum,
    .options = &options->methods,
    .baseline = baseline ? &before.sum : NULL,
    .baseline_symbols = before.symbols,
    .clock_offset_ns = report.clock_offset_ns,
    .command = report.command,
    .ruby = report.ruby,
    .pids = report.source_pids,
    .pid_count = report.source_count,
    .labels = options->view == VIEW_LABELS,
  };
  if (fine) fine = rtop_export_write(&export, kind, out);
  else errno = ENOMEM;
  int problem = errno;
  batch_progress_end(&progress, session);
  rtop_report_destroy(&report);
  rtop_report_destroy(&before);
  errno = problem;
  return fine;
}

int rtop_export_run(const struct rtop_options *options)
{
  struct batch_watch watch;
  struct rtop_export_file file;
  struct rtop_session *baseline = NULL;
  int status = 1;
  if (rtop_file_is_recording(options->output)) return rtop_record_run(options);
  /* Before anything else: an hour of watching that cannot be saved would be a pity. */
  if (!rtop_export_file_open(&file, options->output)) return save_problem(options->output, strerror(errno));
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
  if (!rtop_export_file_close(&file, any && fine)) status = save_problem(options->output, strerror(errno));
  else if (!fine)
    status = save_problem(options->output, rtop_export_problem(problem, rtop_session_profile(watch.session)));
  else if (!any) status = batch_watch_nothing(&watch);
  else fprintf(stderr, "rperf-top: wrote %s\n", options->output);
  rtop_session_close(&baseline);
  return batch_watch_close(&watch, status);
}
