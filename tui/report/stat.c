/* SPDX-License-Identifier: MIT */
/* The summary of a whole run: collects it, and writes it as text. */
#include "stat.h"

#include "blocks_out.h"
#include "exact_out.h"
#include "sites_out.h"
#include "waits_out.h"
#include "whole_out.h"
#include "tui/text/text.h"
#include <inttypes.h>
#include <string.h>

enum { STAT_TEXT = 48, STAT_COMMAND = 256, STAT_COMMAND_COLUMNS = 60, STAT_COLUMNS = 80 };

/* "1,234,567" */
static const char *stat_grouped(char *out, size_t bytes, uint64_t number)
{
  char digits[24];
  int count = snprintf(digits, sizeof digits, "%" PRIu64, number);
  size_t used = 0;
  for (int i = 0; i < count && used + 2 < bytes; i++) {
    if (i && (count - i) % 3 == 0) out[used++] = ',';
    out[used++] = digits[i];
  }
  out[used] = '\0';
  return out;
}

static void stat_count(FILE *out, uint64_t number, const char *what)
{
  char text[STAT_TEXT];
  fprintf(out, "%16s             %s\n", stat_grouped(text, sizeof text, number), what);
}

static void stat_milliseconds(FILE *out, uint64_t nanoseconds)
{
  char text[STAT_TEXT];
  uint64_t tenths = (nanoseconds + 50000) / 100000;
  fprintf(out, "%14s.%" PRIu64 " ms", stat_grouped(text, sizeof text, tenths / 10), tenths % 10);
}

static void stat_time(FILE *out, uint64_t nanoseconds, const char *what)
{
  stat_milliseconds(out, nanoseconds);
  fprintf(out, "          %s\n", what);
}

static void stat_share(FILE *out, uint64_t nanoseconds, uint64_t all_ns, const char *what)
{
  stat_milliseconds(out, nanoseconds);
  fprintf(out, " %6.1f%%  %s\n", all_ns ? 100 * (double)nanoseconds / (double)all_ns : 0, what);
}

/* Writes two counts in a line: `what` names their sum, first_name and second_name the parts. */
static void stat_pair(FILE *out, const char *what, uint64_t first, const char *first_name, uint64_t second,
                      const char *second_name)
{
  char sum[STAT_TEXT], left[STAT_TEXT], right[STAT_TEXT];
  fprintf(out, "%16s             %s (%s %s, %s %s)\n", stat_grouped(sum, sizeof sum, first + second), what,
          stat_grouped(left, sizeof left, first), first_name, stat_grouped(right, sizeof right, second), second_name);
}

static void stat_megabytes(FILE *out, uint64_t bytes, const char *what)
{
  char text[STAT_TEXT];
  uint64_t tenths = (bytes + 50000) / 100000;
  fprintf(out, "%14s.%" PRIu64 " MB          %s", stat_grouped(text, sizeof text, tenths / 10), tenths % 10, what);
}

uint64_t stat_threads(const struct rtop_stat *stat)
{
  const struct rtop_sum *sum = &stat->report->sum;
  uint64_t all = 0, last = 0;
  for (size_t i = 0; i < sum->thread_count; i++) {
    bool other = i == 0 || sum->threads[i].source != sum->threads[i - 1].source;
    all += other ? last : 0;
    last = other || sum->threads[i].serial > last ? sum->threads[i].serial : last;
  }
  return all + last;
}

static void stat_states(const struct rtop_sum *sum, FILE *out)
{
  const uint64_t *wall_ns = sum->total.wall_ns;
  uint64_t all_ns = rtop_cost_wall(&sum->total);
  fprintf(out, "\n");
  stat_share(out, wall_ns[RTOP_STATE_RUNNING], all_ns, "running: holding the GVL");
  stat_share(out, wall_ns[RTOP_STATE_WAITING], all_ns, "waiting for the GVL");
  stat_share(out, wall_ns[RTOP_STATE_BLOCKED], all_ns, "blocked: I/O, sleep, locks, C without the GVL");
  stat_share(out, wall_ns[RTOP_STATE_MARKING], all_ns, "marking (GC)");
  stat_share(out, wall_ns[RTOP_STATE_SWEEPING], all_ns, "sweeping (GC)");
}

static void stat_waits(const struct rtop_report *report, FILE *out)
{
  if (report->waits.blocked_ns) fprintf(out, "\n");
  waits_write_kinds(report, out, STAT_COLUMNS);
  waits_write_text(report, out, STAT_COLUMNS);
}

static void stat_ruby(const struct rtop_stat *stat, FILE *out)
{
  const struct rtop_span_counters *counters = &stat->report->sum.counters;
  fprintf(out, "\n");
  stat_pair(out, "GC runs", counters->gc_minor, "minor", counters->gc_major, "major");
  stat_count(out, counters->allocations, "objects allocated");
  stat_count(out, counters->exceptions, "exceptions raised");
  stat_count(out, stat_threads(stat), "threads");
}

static void stat_process(const struct rtop_cost *cost, FILE *out)
{
  fprintf(out, "%13.1f ms %9.1f ms %9.1f ms %9.1f ms  ", (double)cost->wall_ns[RTOP_STATE_RUNNING] / 1e6,
          (double)cost->wall_ns[RTOP_STATE_WAITING] / 1e6, (double)cost->wall_ns[RTOP_STATE_BLOCKED] / 1e6,
          (double)cost->cpu_ns / 1e6);
}

/* Writes, with several processes, a line for each with its part of the total. */
static void stat_processes(const struct rtop_stat *stat, FILE *out)
{
  const struct rtop_report *report = stat->report;
  int count = report->gone_count;
  for (int i = 0; i < report->source_count; i++) count += !report->processes[i].replaced;
  if (count < 2) return;
  fprintf(out, "\n%16s %12s %12s %12s  %d processes\n", "running", "waiting", "blocked", "CPU", count);
  for (int i = 0; i < report->source_count; i++) {
    const struct rtop_report_process *process = &report->processes[i];
    char command[STAT_COMMAND];
    if (process->replaced) continue;
    rtop_text_cut(command, sizeof command, process->command, STAT_COMMAND_COLUMNS);
    stat_process(&process->cost, out);
    fprintf(out, "%d %s%s%s\n", (int)process->pid, command, process->has_end ? ": " : "",
            process->has_end ? process->end.text : "");
  }
  if (report->gone_count == 0) return;
  stat_process(&report->gone, out);
  fprintf(out, "%d that ended before\n", report->gone_count);
}

static void stat_kernel(const struct rtop_stat *stat, FILE *out)
{
  const struct rtop_stat_os *os = &stat->os;
  fprintf(out, "\n");
  if (os->has_memory) stat_megabytes(out, os->rss_max_bytes, "resident memory at most\n");
  else if (stat->report && stat->report->sum.counters.rss_bytes)
    stat_megabytes(out, stat->report->sum.counters.rss_bytes, "resident memory at the end\n");
  if (os->has_times) stat_pair(out, "page faults", os->faults_minor, "minor", os->faults_major, "major");
  if (os->has_switches) stat_pair(out, "context switches", os->voluntary, "voluntary", os->involuntary, "involuntary");
  if (os->has_disk) {
    stat_megabytes(out, os->disk_read_bytes + os->disk_written_bytes, "disk I/O");
    fprintf(out, " (%.1f MB read, %.1f MB written)\n", (double)os->disk_read_bytes / 1e6,
            (double)os->disk_written_bytes / 1e6);
  }
}

static void stat_cost(const struct rtop_stat *stat, FILE *out)
{
  const struct rtop_sum *sum = &stat->report->sum;
  const struct rtop_span_counters *counters = &sum->counters;
  uint64_t cost_ns = rtop_counters_cost_ns(counters);
  uint64_t measured_ns = counters->cost_ns + counters->publisher_cpu_ns;
  char samples[STAT_TEXT], ticks[STAT_TEXT];
  fprintf(out, "\n  %s samples", stat_grouped(samples, sizeof samples, counters->samples));
  if (rtop_counters_rate_is_known(counters))
    fprintf(out, ", %s ticks at %" PRIu64 " Hz", stat_grouped(ticks, sizeof ticks, counters->ticks), counters->rate_hz);
  if (counters->rate_wanted_hz > counters->rate_hz) fprintf(out, " (of %" PRIu64 ": budget)", counters->rate_wanted_hz);
  if (counters->ticks_missed) fprintf(out, ", %" PRIu64 " ticks missed", counters->ticks_missed);
  if (counters->samples_dropped) fprintf(out, ", %" PRIu64 " samples dropped", counters->samples_dropped);
  if (sum->gap_count) fprintf(out, ", %u gaps", sum->gap_count);
  fprintf(out, "\n  profiling took %.1f ms in the program and %.1f ms beside it", (double)counters->cost_ns / 1e6,
          (double)counters->publisher_cpu_ns / 1e6);
  if (cost_ns > measured_ns)
    fprintf(out, ", and about %.1f ms in interruptions%s", (double)(cost_ns - measured_ns) / 1e6,
            stat->report->exact.count ? " and traced calls" : "");
  if (counters->cpu_ns) fprintf(out, ": %.2f%% of its CPU time", 100 * (double)cost_ns / (double)counters->cpu_ns);
  fprintf(out, "\n");
}

void rtop_stat_write_text(const struct rtop_stat *stat, FILE *out)
{
  fprintf(out, "\n rperf-top stat: %s\n\n", stat->command);
  stat_time(out, stat->real_ns, "real");
  if (stat->os.has_times) {
    stat_time(out, stat->os.user_ns, "user");
    stat_time(out, stat->os.sys_ns, "sys");
  } else if (stat->report) {
    stat_time(out, stat->report->sum.counters.cpu_ns, "CPU");
  }
  if (stat->report) {
    stat_states(&stat->report->sum, out);
    stat_waits(stat->report, out);
    stat_ruby(stat, out);
    stat_processes(stat, out);
    if (stat->report->exact.count) fprintf(out, "\n");
    blocks_write_text(stat->report, out, STAT_COLUMNS);
    exact_write_text(stat->report, out, STAT_COLUMNS);
    if (stat->report->whole.numbers.head.told) fprintf(out, "\n");
    whole_write_text(&stat->report->whole, stat->report->symbols, WHOLE_LEAST, out, STAT_COLUMNS);
    if (stat->report->sites.told) fprintf(out, "\n");
    sites_write_text(&stat->report->sites, stat->report->symbols, out, STAT_COLUMNS);
  }
  stat_kernel(stat, out);
  if (stat->report) stat_cost(stat, out);
  fprintf(out, "\n");
}
