#include "export.h"

#include "export_impl.h"
#include <errno.h>

typedef bool export_format(struct export_job *job);

static export_format *const export_formats[RTOP_FILE_FORMATS] = {
  [RTOP_FILE_TEXT] = export_text,
  [RTOP_FILE_COLLAPSED] = export_collapsed,
  [RTOP_FILE_CSV] = export_csv,
  [RTOP_FILE_PPROF] = export_pprof,
  [RTOP_FILE_SPEEDSCOPE] = export_speedscope,
  [RTOP_FILE_RPERF] = export_rperf,
};

static bool export_is_table(enum rtop_file_format format)
{
  return format == RTOP_FILE_TEXT || format == RTOP_FILE_CSV;
}

static bool export_prepare(struct export_job *job, enum rtop_file_format format)
{
  const struct rtop_export *given = job->given;
  struct rtop_methods_options filter = *given->options;
  job->symbols = rtop_profile_symbols(given->profile);
  job->options = *given->options;
  job->differs = given->baseline != NULL;
  if (export_is_table(format))
    filter.filter = NULL;
  else
    job->options.filter = NULL;
  job->options.thread_filter = NULL;
  if (!export_select(&job->sum, given->sum, job->symbols, job->symbols, &filter))
    return false;
  if (!job->differs)
    return true;
  const struct rtop_symbols *symbols = given->baseline_symbols ? given->baseline_symbols : job->symbols;
  return export_select(&job->baseline, given->baseline, symbols, job->symbols, &filter);
}

static bool export_run(struct export_job *job, enum rtop_file_format format)
{
  bool fine = export_prepare(job, format) && export_formats[format](job);
  rtop_sum_destroy(&job->sum);
  rtop_sum_destroy(&job->baseline);
  if (!fine)
    errno = ENOMEM;
  return fine;
}

/* The first thing that went wrong decides errno. */
bool rtop_export_write(const struct rtop_export *export, struct rtop_file_kind kind, FILE *out)
{
  struct export_job job = {.given = export, .out = kind.gzip ? export_gzip_open(out) : out};
  if (!job.out)
    return false;
  bool fine = export_run(&job, kind.format);
  if (fine && fflush(job.out) != 0)
    fine = false;
  int problem = fine ? 0 : errno;
  if (kind.gzip && fclose(job.out) != 0 && fine) {
    problem = errno;
    fine = false;
  }
  if (fine && (fflush(out) != 0 || ferror(out))) {
    problem = errno ? errno : EIO;
    fine = false;
  }
  if (!fine)
    errno = problem;
  return fine;
}
