/* SPDX-License-Identifier: MIT */
/* The report for people. */
#include "export_impl.h"

#include "tui/report/report.h"
#include "tui/text/text.h"
#include <inttypes.h>
#include <time.h>

enum { EXPORT_ROWS = 50, EXPORT_NAME_COLUMNS = 48, EXPORT_TEXT = 4200 };

static double text_seconds(uint64_t nanoseconds)
{
  return (double)nanoseconds / 1e9;
}

static void text_method(const struct export_job *job, uint32_t frame)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(job->symbols, frame);
  char name[EXPORT_TEXT], location[EXPORT_TEXT * 2];
  int used = rtop_text_cut(name, sizeof name, rtop_symbol_name(symbol, location, sizeof location), EXPORT_NAME_COLUMNS);
  rtop_report_location(location, sizeof location, symbol, 0, true);
  if (*location) fprintf(job->out, "  %s%*s  %s\n", name, EXPORT_NAME_COLUMNS - used, "", location);
  else fprintf(job->out, "  %s\n", name);
}

static void text_row(const struct export_job *job, const struct export_table *table, const struct rtop_method_row *row)
{
  fprintf(job->out, "%9.3f %5.1f%% %9.3f %5.1f%% %9.3f %9.3f %9.3f", text_seconds(row->self_ns),
          100 * (double)row->self_ns / table->now_ns, text_seconds(row->total_ns),
          100 * (double)row->total_ns / table->now_ns, text_seconds(row->self.cpu_ns),
          text_seconds(row->self.wall_ns[RTOP_STATE_WAITING]), text_seconds(row->self.wall_ns[RTOP_STATE_BLOCKED]));
  text_method(job, row->frame);
}

static void text_change(const struct export_job *job, const struct export_table *table,
                        const struct export_method *method, bool total)
{
  uint64_t now_ns = total ? method->now.total_ns : method->now.self_ns;
  uint64_t before_ns = total ? method->before.total_ns : method->before.self_ns;
  fprintf(job->out, "%9.3f %9.3f %5.1f%% %5.1f%% %+8.1f", text_seconds(before_ns), text_seconds(now_ns),
          100 * (double)before_ns / table->before_ns, 100 * (double)now_ns / table->now_ns,
          export_table_change(table, method, total));
  text_method(job, method->now.frame);
}

static bool text_table(const struct export_job *job, bool total)
{
  struct export_table table = { 0 };
  FILE *out = job->out;
  bool fine = export_table_build(&table, job, total ? RTOP_SORT_TOTAL : RTOP_SORT_SELF);
  size_t count = table.count < EXPORT_ROWS ? table.count : EXPORT_ROWS;
  if (job->differs) export_table_sort_changes(&table, total);
  fprintf(out, "\n%s, by %s%s: %zu of %zu methods\n", total ? "Cumulative" : "Flat", job->differs ? "change of " : "",
          total ? "total" : "self", count, table.count);
  if (job->differs)
    fprintf(out, "%9s %9s %6s %6s %8s  %-*s  %s\n", "BEFORE s", "NOW s", "BEFORE", "NOW", "CHANGE", EXPORT_NAME_COLUMNS,
            "METHOD", "LOCATION");
  else
    fprintf(out, "%9s %6s %9s %6s %9s %9s %9s  %-*s  %s\n", "SELF s", "SELF", "TOTAL s", "TOTAL", "CPU s", "WAIT s",
            "BLOCKED s", EXPORT_NAME_COLUMNS, "METHOD", "LOCATION");
  for (size_t i = 0; fine && i < count; i++)
    if (job->differs) text_change(job, &table, &table.methods[i], total);
    else text_row(job, &table, &table.methods[i].now);
  export_table_destroy(&table);
  return fine;
}

static void text_states(const struct rtop_sum *sum, FILE *out)
{
  const uint64_t *wall_ns = sum->total.wall_ns;
  fprintf(out,
          "thread-seconds: %.3f running, %.3f waiting for the GVL, %.3f blocked, %.3f marking,"
          " %.3f sweeping\n",
          text_seconds(wall_ns[RTOP_STATE_RUNNING]), text_seconds(wall_ns[RTOP_STATE_WAITING]),
          text_seconds(wall_ns[RTOP_STATE_BLOCKED]), text_seconds(wall_ns[RTOP_STATE_MARKING]),
          text_seconds(wall_ns[RTOP_STATE_SWEEPING]));
}

static void text_counters(const struct rtop_sum *sum, FILE *out)
{
  const struct rtop_span_counters *counters = &sum->counters;
  fprintf(out,
          "GC: %" PRIu64 " minor, %" PRIu64 " major; %" PRIu64 " objects allocated; CPU %.3f s;"
          " profiling cost %.4f s\n",
          counters->gc_minor, counters->gc_major, counters->allocations, text_seconds(counters->cpu_ns),
          text_seconds(rtop_counters_cost_ns(counters)));
}

static void text_header(const struct export_job *job)
{
  const struct rtop_export *given = job->given;
  const struct rtop_sum *sum = &job->sum;
  const struct rtop_span_counters *counters = &sum->counters;
  char clock[40] = "";
  time_t seconds = (time_t)((sum->span.end_ns + given->clock_offset_ns) / 1000000000);
  struct tm local;
  if (localtime_r(&seconds, &local)) strftime(clock, sizeof clock, "%Y-%m-%d %H:%M:%S", &local);
  fprintf(job->out, "rperf-top profile of process %d: %s\n", given->pid_count ? (int)given->pids[0] : 0,
          given->command);
  fprintf(job->out, "ruby %s, %.3f s up to %s, %u gaps, %" PRIu64 " samples, %" PRIu64 " dropped\n", given->ruby,
          text_seconds(sum->length_ns), clock, sum->gap_count, counters->samples, counters->samples_dropped);
  text_states(sum, job->out);
  text_counters(sum, job->out);
  if (job->differs) {
    fprintf(job->out, "compared with %.3f s before:\n", text_seconds(job->baseline.length_ns));
    text_states(&job->baseline, job->out);
    text_counters(&job->baseline, job->out);
  }
  static const char *const of[RTOP_MODES] = {
    [RTOP_MODE_WALL] = "",
    [RTOP_MODE_CPU] = " of CPU",
    [RTOP_MODE_BUSY] = " with the GVL",
  };
  fprintf(job->out, "Percentages are of all thread-seconds%s%s.\n", of[job->options.mode],
          job->differs ? " of each span, the change is in points" : "");
}

static void text_calls_header(const struct export_job *job)
{
  const struct rtop_export *given = job->given;
  const struct whole_head *head = given->calls;
  char own[24];
  rtop_text_duration(own, sizeof own, (int64_t)whole_own_ns(head));
  fprintf(job->out, "rperf-top, all calls of process %d: %s\n", given->pid_count ? (int)given->pids[0] : 0,
          given->command);
  fprintf(job->out, "ruby %s, exact: %.3f s, %" PRIu64 " calls, own cost of %s a call taken off the times\n",
          given->ruby, text_seconds(head->traced_ns), head->calls, own);
  if (head->untimed) fprintf(job->out, "%" PRIu64 " calls whose end was not seen\n", head->untimed);
  if (head->unnamed) fprintf(job->out, "%" PRIu64 " calls that found no room in the tables\n", head->unnamed);
}

static bool text_calls(const struct export_job *job, bool total)
{
  struct export_table table = { 0 };
  FILE *out = job->out;
  bool fine = export_table_build(&table, job, total ? RTOP_SORT_TOTAL : RTOP_SORT_SELF);
  size_t count = table.count < EXPORT_ROWS ? table.count : EXPORT_ROWS;
  fprintf(out, "\n%s, by %s: %zu of %zu methods\n", total ? "Cumulative" : "Flat", total ? "total" : "self", count,
          table.count);
  fprintf(out, "%12s %9s %6s %9s %6s %9s  %-*s  %s\n", "CALLS", "SELF s", "SELF", "TOTAL s", "TOTAL", "MEAN",
          EXPORT_NAME_COLUMNS, "METHOD", "LOCATION");
  for (size_t i = 0; fine && i < count; i++) {
    const struct rtop_method_row *row = &table.methods[i].now;
    char mean[24];
    rtop_text_duration(mean, sizeof mean, (int64_t)row->mean_ns);
    fprintf(out, "%12" PRIu64 " %9.3f %5.1f%% %9.3f %5.1f%% %9s", row->calls, text_seconds(row->self_ns),
            100 * (double)row->self_ns / table.now_ns, text_seconds(row->total_ns),
            100 * (double)row->total_ns / table.now_ns, mean);
    text_method(job, row->frame);
  }
  export_table_destroy(&table);
  return fine;
}

bool export_text(struct export_job *job)
{
  job->options.reverse = false;
  if (job->given->calls) {
    text_calls_header(job);
    return text_calls(job, false) && text_calls(job, true);
  }
  text_header(job);
  return text_table(job, false) && text_table(job, true);
}
