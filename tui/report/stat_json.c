/* SPDX-License-Identifier: MIT */
/* The summary of a whole run as JSON. */
#include "json.h"
#include "json_values.h"
#include "blocks_out.h"
#include "exact_out.h"
#include "sites_out.h"
#include "waits_out.h"
#include "whole_out.h"
#include "stat.h"
#include "tui/methods/states.h"

#include <jansson.h>

/* as many digits as a double can hold reliably, so that 0.1 is written as 0.1 */
enum { STAT_DIGITS = 15 };

static void stat_seconds(json_t *object, const char *key, uint64_t nanoseconds)
{
  json_object_set_new(object, key, json_seconds(nanoseconds));
}

static void stat_number(json_t *object, const char *key, uint64_t number)
{
  json_object_set_new(object, key, json_count(number));
}

static void stat_two(json_t *object, const char *key, const char *first_name, uint64_t first, const char *second_name,
                     uint64_t second)
{
  json_t *two = json_object();
  stat_number(two, first_name, first);
  stat_number(two, second_name, second);
  json_object_set_new(object, key, two);
}

static void stat_os(json_t *object, const struct rtop_stat_os *os)
{
  if (os->has_times) {
    stat_seconds(object, "user", os->user_ns);
    stat_seconds(object, "sys", os->sys_ns);
    stat_two(object, "page_faults", "minor", os->faults_minor, "major", os->faults_major);
  }
  if (os->has_memory) stat_number(object, "max_rss", os->rss_max_bytes);
  if (os->has_switches)
    stat_two(object, "context_switches", "voluntary", os->voluntary, "involuntary", os->involuntary);
  if (os->has_disk) stat_two(object, "disk", "read", os->disk_read_bytes, "written", os->disk_written_bytes);
}

static void stat_json_ruby(json_t *object, const struct rtop_stat *stat)
{
  const struct rtop_report *report = stat->report;
  const struct rtop_span_counters *counters = &report->sum.counters;
  const uint64_t *wall_ns = report->sum.total.wall_ns;
  json_t *sampler = json_object();
  json_object_set_new(object, "pid", json_integer(report->source_count ? report->source_pids[0] : 0));
  json_object_set_new(object, "ruby", json_string(report->ruby));
  if (report->source_count > 1) json_object_set_new(object, "processes", rtop_json_processes(report));
  rtop_json_processes_gone(object, report);
  for (int state = 0; state < RTOP_STATES; state++)
    stat_seconds(object, state_key((enum rtop_state)state), wall_ns[state]);
  waits_json(object, report);
  stat_seconds(object, "cpu", counters->cpu_ns);
  stat_two(object, "gc", "minor", counters->gc_minor, "major", counters->gc_major);
  stat_number(object, "allocations", counters->allocations);
  stat_number(object, "exceptions", counters->exceptions);
  stat_number(object, "threads", stat_threads(stat));
  if (rtop_counters_rate_is_known(counters)) stat_number(sampler, "hz", counters->rate_hz);
  stat_number(sampler, "samples", counters->samples);
  stat_number(sampler, "ticks", counters->ticks);
  stat_number(sampler, "ticks_missed", counters->ticks_missed);
  stat_number(sampler, "dropped", counters->samples_dropped);
  stat_number(sampler, "gaps", report->sum.gap_count);
  stat_seconds(sampler, "cost", rtop_counters_cost_ns(counters));
  stat_seconds(sampler, "sampling", counters->cost_ns);
  stat_seconds(sampler, "publisher", counters->publisher_cpu_ns);
  json_object_set_new(object, "sampler", sampler);
  blocks_json(object, report);
  if (report->exact.count) json_object_set_new(object, "traces", exact_json(report));
  if (report->whole.numbers.head.told)
    json_object_set_new(object, "whole", whole_json(&report->whole, report->symbols));
  if (report->sites.told) json_object_set_new(object, "allocation_sites", sites_json(&report->sites, report->symbols));
}

bool rtop_stat_write_json(const struct rtop_stat *stat, FILE *out)
{
  json_t *object = json_object();
  json_object_set_new(object, "schema", json_string("rperf-top-stat/1"));
  json_object_set_new(object, "command", json_text(stat->command));
  if (stat->status >= 0) json_object_set_new(object, "status", json_integer(stat->status));
  stat_seconds(object, "real", stat->real_ns);
  stat_os(object, &stat->os);
  if (stat->report) stat_json_ruby(object, stat);
  bool fine = object && json_dumpf(object, out, JSON_COMPACT | JSON_REAL_PRECISION(STAT_DIGITS)) == 0;
  json_decref(object);
  return fine && fputc('\n', out) != EOF && fflush(out) == 0;
}
