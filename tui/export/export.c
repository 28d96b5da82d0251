/* SPDX-License-Identifier: MIT */
/* Writes a sum into a file: applies filters, label sets and compression, then calls the format's writer. */
#include "export.h"

#include "export_impl.h"
#include "tui/history/lens.h"
#include "tui/text/budget.h"
#include <errno.h>
#include <stdio_ext.h>
#include <string.h>

enum export_source { EXPORT_TABLE, EXPORT_STACKS };

static const struct {
  enum export_source made_from;
  bool labels; /* they want label sets on their stacks */
  bool (*write)(struct export_job *job);
} export_formats[RTOP_FILE_FORMATS] = {
#define FORMAT(id, name, ending, made_from, differences, labels, calls, function)                                      \
  { EXPORT_##made_from, labels, function },
#include "formats.def"
};

/* The threads of both sums are in the same order, so they are matched by index. */
void export_hide(const struct rtop_export *given, struct rtop_sum *sum)
{
  for (size_t i = 0, at = 0; i < sum->thread_count; i++) {
    while (at < given->sum->thread_count && given->sum->threads[at].thread != sum->threads[i].thread) at++;
    if (at == given->sum->thread_count) at = 0; /* not in it */
    else sum->threads[i].hidden = given->sum->threads[at].hidden;
  }
}

/* Makes the sum again with label sets. Threads that were removed from the given sum are removed again. */
static bool export_labelled(const struct rtop_export *given, struct rtop_sum *sum)
{
  struct rtop_lens *lens = rtop_profile_lens(given->profile);
  const struct rtop_lens_look look = *rtop_lens_look(lens);
  struct rtop_lens_look labelled = look;
  labelled.labels = true;
  bool fine = rtop_lens_set(lens, &labelled) && rtop_profile_sum(given->profile, given->sum->span, sum);
  fine = rtop_lens_set(lens, &look) && fine;
  if (fine) export_hide(given, sum);
  return fine;
}

static bool export_prepare(struct export_job *job, enum rtop_file_format format)
{
  const struct rtop_export *given = job->given;
  struct rtop_methods_options filter = *given->options;
  job->symbols = rtop_profile_symbols(given->profile);
  job->options = *given->options;
  job->differs = given->baseline != NULL;
  if (export_formats[format].made_from == EXPORT_TABLE) filter.filter = NULL;
  else job->options.filter = NULL;
  job->options.thread_filter = NULL;
  struct rtop_sum labelled = { 0 };
  bool made = given->labelled || given->calls; /* of calls no labels are known */
  bool labels = export_formats[format].labels && !made && rtop_symbols_labelled(job->symbols);
  bool fine = !labels || export_labelled(given, &labelled);
  fine = fine && export_select(&job->sum, labels ? &labelled : given->sum, job->symbols, job->symbols, &filter);
  rtop_sum_destroy(&labelled);
  if (!fine) return false;
  if (!job->differs) return true;
  const struct rtop_symbols *symbols = given->baseline_symbols ? given->baseline_symbols : job->symbols;
  return export_select(&job->baseline, given->baseline, symbols, job->symbols, &filter);
}

/* Writes the format. No other thread uses the stream meanwhile, so millions of short writes need no locking. */
static bool export_run(struct export_job *job, enum rtop_file_format format)
{
  int locking = __fsetlocking(job->out, FSETLOCKING_BYCALLER);
  bool fine = export_prepare(job, format) && export_formats[format].write(job);
  rtop_sum_destroy(&job->sum);
  rtop_sum_destroy(&job->baseline);
  __fsetlocking(job->out, locking);
  if (!fine) errno = ENOMEM;
  return fine;
}

/* Opens the output: compressed if requested, and limited by the budget of its sources. */
static bool export_open(struct export_job *job, bool gzip, FILE *out, FILE **packed)
{
  uint64_t bytes_max = rtop_budget_max(RTOP_BUDGET_OUTPUT, rtop_profile_source_bytes(job->given->profile));
  *packed = gzip ? export_gzip_open(out) : NULL;
  if (!gzip || *packed) job->out = export_limit_open(gzip ? *packed : out, bytes_max, &job->problem);
  if (!job->out && *packed) fclose(*packed);
  return job->out != NULL;
}

/* The first error determines errno. */
bool rtop_export_write(const struct rtop_export *export, struct rtop_file_kind kind, FILE *out)
{
  struct export_job job = { .given = export };
  FILE *packed;
  if (export->calls && !rtop_file_format_shows_calls(kind.format)) {
    errno = ENOTSUP;
    return false;
  }
  if (!export_open(&job, kind.gzip, out, &packed)) return false;
  int problem = export_run(&job, kind.format) ? 0 : errno;
  if (fclose(job.out) != 0 && !problem) problem = errno;
  problem = job.problem ? job.problem : problem;
  if (packed && fclose(packed) != 0 && !problem) problem = errno;
  if ((fflush(out) != 0 || ferror(out)) && !problem) problem = errno ? errno : EIO;
  errno = problem;
  return problem == 0;
}

const char *rtop_export_problem(int problem, const struct rtop_profile *profile)
{
  static char text[160];
  uint64_t bytes = rtop_profile_source_bytes(profile);
  if (problem == ENOTSUP) return "this format has no place for counts of calls";
  if (problem != EOVERFLOW) return strerror(problem);
  rtop_budget_say(RTOP_BUDGET_OUTPUT, bytes, text, sizeof text);
  return text;
}
