#include "export.h"

#include "batch.h"
#include "batch_watch.h"
#include "interrupt.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int export_problem(const char *path, int problem)
{
  fprintf(stderr, "rperf-top: cannot write %s: %s\n", path, strerror(problem));
  return 1;
}

static bool export_write(struct rtop_session *session, const struct rtop_options *options, FILE *out)
{
  struct rtop_report report = {0};
  enum rtop_export_format format = RTOP_EXPORT_TEXT;
  rtop_export_format(options->output, &format);
  bool fine = rtop_report_take(&report, session, &options->methods, 0);
  if (fine && format == RTOP_EXPORT_COLLAPSED)
    rtop_export_collapsed(rtop_profile_symbols(rtop_session_profile(session)), &report.sum,
                          options->methods.mode, out);
  else if (fine)
    fine = rtop_export_text(&report, out);
  rtop_report_destroy(&report);
  if (!fine)
    errno = ENOMEM;
  return fine;
}

int rtop_export_run(const struct rtop_options *options)
{
  struct batch_watch watch;
  struct rtop_export_file file;
  int status = 1;
  /* Before anything else: an hour of watching that cannot be saved would be a pity. */
  if (!rtop_export_file_open(&file, options->output))
    return export_problem(options->output, errno);
  if (!batch_watch_open(&watch, options, &status)) {
    rtop_export_file_close(&file, false);
    return status;
  }
  status = 0;
  rtop_session_poll(watch.session);
  while (batch_watch_next(&watch))
    ;
  rtop_session_poll(watch.session);
  bool ready = rtop_session_ready(watch.session);
  bool fine = !ready || export_write(watch.session, options, file.stream);
  if (!rtop_export_file_close(&file, ready && fine) || !fine)
    status = export_problem(options->output, errno);
  else if (ready)
    fprintf(stderr, "rperf-top: wrote %s\n", options->output);
  return batch_watch_close(&watch, status);
}
