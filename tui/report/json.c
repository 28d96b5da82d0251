/* SPDX-License-Identifier: MIT */
/* One update as a line of JSON (-J). */
#include "json.h"

#include "json_values.h"
#include "behind_out.h"
#include "blocks_out.h"
#include "exact_out.h"
#include "locks_out.h"
#include "raised_out.h"
#include "sites_out.h"
#include "vm_missing.h"
#include "waits_out.h"
#include "whole_out.h"
#include "tui/methods/states.h"
#include "tui/tables/thread_words.h"
#include <stdio.h>
#include <string.h>

/* JSON_DIGITS: as many digits as a double can hold reliably, so 0.1 is written as 0.1. */
enum { JSON_DIGITS = 15, JSON_STACK_TEXT = 8400, JSON_VERDICT_COLUMNS = 1000 };

static uint64_t json_gc(const struct rtop_cost *cost)
{
  return cost->wall_ns[RTOP_STATE_MARKING] + cost->wall_ns[RTOP_STATE_SWEEPING];
}

static void json_state_range(json_t *object, const struct rtop_cost *cost, enum rtop_state from, enum rtop_state to)
{
  for (int state = (int)from; state <= (int)to; state++)
    json_object_set_new(object, state_key((enum rtop_state)state), json_seconds(cost->wall_ns[state]));
}

/* Adds the time by state, for methods and threads. */
static void json_states(json_t *object, const struct rtop_cost *cost)
{
  json_state_range(object, cost, RTOP_STATE_RUNNING, RTOP_STATE_BLOCKED);
  json_object_set_new(object, "gc", json_seconds(json_gc(cost)));
  json_object_set_new(object, "cpu", json_seconds(cost->cpu_ns));
}

static json_t *json_sampler(const struct rtop_sum *sum)
{
  const struct rtop_span_counters *counters = &sum->counters;
  double length_ns = sum->length_ns ? (double)sum->length_ns : 1;
  json_t *sampler = json_object();
  if (rtop_counters_rate_is_known(counters)) json_object_set_new(sampler, "hz", json_count(counters->rate_hz));
  json_object_set_new(sampler, "samples", json_count(counters->samples));
  json_object_set_new(sampler, "dropped", json_count(counters->samples_dropped));
  json_object_set_new(sampler, "cost", json_real((double)rtop_counters_cost_ns(counters) / length_ns));
  json_object_set_new(sampler, "governed", json_boolean(counters->rate_wanted_hz > counters->rate_hz));
  json_object_set_new(sampler, "releases", json_count(counters->gvl_releases));
  json_object_set_new(sampler, "storm", json_count(counters->gvl_coarse));
  return sampler;
}

static json_t *json_losses(const struct rtop_report *report)
{
  json_t *losses = json_object();
  for (int loss = 0; loss < RTOP_LOSSES; loss++)
    json_object_set_new(losses, rtop_loss_name((enum rtop_loss)loss), json_count(report->losses[loss]));
  return losses;
}

static json_t *json_missing(const struct rtop_sum *sum)
{
  unsigned from = 0;
  json_t *names = json_array();
  for (const char *name; (name = vm_missing_next(&sum->counters, &from)) != NULL;)
    json_array_append_new(names, json_text(name));
  return names;
}

/* null: not known */
static json_t *json_who(const struct rtop_report *report, const struct verdict_thread *thread)
{
  if (!thread->known) return json_null();
  json_t *object = json_object();
  json_object_set_new(object, "id", json_count(thread->serial));
  json_object_set_new(object, "name", json_text(thread->name));
  if (report->source_count > 1 && thread->source < (uint32_t)report->source_count)
    json_object_set_new(object, "pid", json_integer(report->source_pids[thread->source]));
  return object;
}

static json_t *json_gvl(const struct rtop_report *report)
{
  const struct rtop_sum *sum = &report->sum;
  const struct verdict_gvl *figures = &report->verdict.gvl;
  json_t *gvl = json_object();
  json_state_range(gvl, &sum->total, RTOP_STATE_RUNNING, RTOP_STATE_BLOCKED);
  json_object_set_new(gvl, "held", json_real(figures->held));
  json_object_set_new(gvl, "holder", json_who(report, &figures->holder));
  json_object_set_new(gvl, "waiters", json_count(figures->waiters));
  json_object_set_new(gvl, "wait", json_seconds(figures->wait_ns));
  return gvl;
}

static json_t *json_frame(const struct rtop_report *report, uint32_t frame)
{
  return frame ? json_text(rtop_symbols_get(report->symbols, frame)->label) : json_null();
}

/* Returns what caused most of the waiting for a lock; null: unknown. */
static json_t *json_behind(const struct rtop_report *report)
{
  const struct verdict_behind *behind = &report->verdict.behind;
  if (!behind->place.leaf) return json_null();
  json_t *object = json_object();
  json_object_set_new(object, "name", json_frame(report, behind->place.leaf));
  json_object_set_new(object, "took", json_frame(report, behind->place.caller));
  json_object_set_new(object, "thread", json_who(report, &behind->thread));
  json_object_set_new(object, "share", json_real(behind->share));
  return object;
}

static json_t *json_advice(const struct verdict_advice *advice)
{
  char text[VERDICT_ADVICE_TEXT];
  verdict_advice_words(text, sizeof text, advice);
  return *text ? json_text(text) : json_null();
}

/* Returns the verdict in the words of the screen, and the figures that it is based on. */
static json_t *json_verdict(const struct rtop_report *report)
{
  const struct verdict *verdict = &report->verdict;
  struct verdict_words words;
  if (verdict->kind == VERDICT_NONE) return json_null();
  json_t *object = json_object();
  rtop_report_verdict_words(report, &words, JSON_VERDICT_COLUMNS);
  json_object_set_new(object, "kind", json_text(verdict_kind_name(verdict->kind)));
  json_object_set_new(object, "text", json_text(words.text));
  json_object_set_new(object, "method", json_frame(report, verdict->place.leaf));
  json_object_set_new(object, "caller", json_frame(report, verdict->place.caller));
  json_object_set_new(object, "last_seen", json_boolean(verdict->last_seen));
  json_object_set_new(object, "share", json_real(verdict->share));
  json_object_set_new(object, "spread", json_count(verdict->spread));
  json_object_set_new(object, "thread", json_who(report, &verdict->thread));
  json_object_set_new(object, "owner", verdict->owner_elsewhere ? json_null() : json_who(report, &verdict->owner));
  json_object_set_new(object, "behind", json_behind(report));
  json_object_set_new(object, "since", json_seconds(verdict->since_ns));
  json_object_set_new(object, "lasts", json_seconds((uint64_t)report->verdict_ns));
  json_object_set_new(object, "threads_at_work", json_real(verdict->threads));
  json_object_set_new(object, "threads_resting", json_count(verdict->resting));
  json_object_set_new(object, "gc", json_real(verdict->gc));
  json_object_set_new(object, "objects", json_real(verdict->objects));
  json_object_set_new(object, "deadlock", locks_json_deadlock(report));
  json_object_set_new(object, "advice", json_advice(&verdict->advice));
  return object;
}

/* What changed since the last mark; as the words say, p50 or p99 of the label with the largest change. */
static json_t *json_since(const struct rtop_report *report)
{
  const struct since_mark *since = &report->since;
  json_t *object = json_object();
  json_object_set_new(object, "mark", json_text(since->mark));
  json_object_set_new(object, "time", json_real((double)((since->time_ns + report->clock_offset_ns) / 1000) / 1e6));
  json_object_set_new(object, "judged", json_count(since->judged));
  json_object_set_new(object, "changed", json_count(since->changed));
  if (since->changed == 0) return object;
  json_object_set_new(object, "label", json_text(since->label));
  json_object_set_new(object, "quantile", json_text(since->quantile == 0 ? "p50" : "p99"));
  json_object_set_new(object, "before", json_seconds(since->before_ns));
  json_object_set_new(object, "now", json_seconds(since->now_ns));
  json_object_set_new(object, "requests_before", json_count(since->before_count));
  json_object_set_new(object, "requests_now", json_count(since->now_count));
  json_object_set_new(object, "cause",
                      since->cause == RTOP_WORK_WHOLE ? json_null() : json_text(work_cause_name(since->cause)));
  json_object_set_new(object, "cause_change", json_real(since->cause_ns / 1e9));
  return object;
}

static json_t *json_collector(const struct rtop_sum *sum)
{
  json_t *gc = json_object();
  json_state_range(gc, &sum->total, RTOP_STATE_MARKING, RTOP_STATE_SWEEPING);
  json_object_set_new(gc, "minor", json_count(sum->counters.gc_minor));
  json_object_set_new(gc, "major", json_count(sum->counters.gc_major));
  return gc;
}

json_t *rtop_json_stack(const struct rtop_report *report, uint32_t node)
{
  json_t *stack = json_array();
  for (int i = 0; node != 0 && i < RTOP_JSON_STACK_MAX; i++) {
    const struct rtop_call_node *call = rtop_symbols_get_node(report->symbols, node);
    const struct rtop_symbol *symbol = rtop_symbols_get(report->symbols, call->frame);
    char text[JSON_STACK_TEXT], location[JSON_STACK_TEXT / 2];
    rtop_report_location(location, sizeof location, symbol, call->line, false);
    if (symbol->kind == RTOP_SYMBOL_C) strcpy(location, "C");
    snprintf(text, sizeof text, *location ? "%s (%s)" : "%s", symbol->label, location);
    json_array_append_new(stack, json_text(text));
    node = call->parent < node ? call->parent : 0;
  }
  return stack;
}

static const char *json_thread_state(const struct rtop_thread_row *thread)
{
  return thread->ended ? "ended" : state_key(thread->state);
}

static json_t *json_thread(const struct rtop_report *report, const struct rtop_thread_row *thread)
{
  json_t *object = json_object();
  json_object_set_new(object, "id", json_count(thread->serial));
  json_object_set_new(object, "name", json_text(thread->name));
  if (report->source_count > 1 && thread->source < (uint32_t)report->source_count)
    json_object_set_new(object, "pid", json_integer(report->source_pids[thread->source]));
  json_object_set_new(object, "native_id", json_count(thread->native_id));
  json_object_set_new(object, "state", json_text(json_thread_state(thread)));
  json_states(object, &thread->cost);
  json_object_set_new(object, "held", json_seconds(rtop_cost_held(&thread->cost)));
  json_object_set_new(object, "blame", json_seconds(thread->cost.blame_ns));
  json_object_set_new(object, "stack", rtop_json_stack(report, thread->ended ? 0 : thread->node));
  bool old = thread_stack_is_old(thread);
  json_object_set_new(object, "stack_current", json_boolean(!old));
  json_object_set_new(object, "stack_age",
                      old && !thread->stack_age_ns ? json_null() : json_seconds(old ? thread->stack_age_ns : 0));
  json_object_set_new(object, "lock", locks_json(report, thread));
  return object;
}

static const struct {
  const char *key;
  enum rtop_sort_key column;
} json_fields[] = {
#define JSON_FIELD(key, id) { key, RTOP_SORT_##id },
#include "tui/methods/columns.def"
};
enum { JSON_FIELDS = sizeof json_fields / sizeof json_fields[0] };

/* Returns changes: of shares of a frame, so that frames of different length can be compared; of counts, per second. */
static json_t *json_delta(const struct rtop_report *report, const struct rtop_method_row *row)
{
  const struct rtop_method_row *before = rtop_report_before(report, row->frame);
  json_t *object = json_object();
  for (size_t i = 0; i < JSON_FIELDS; i++)
    json_object_set_new(
        object, json_fields[i].key,
        json_real(rtop_method_delta(row, report->methods.length_ns, before, report->before_ns, json_fields[i].column)));
  return object;
}

static json_t *json_figure(const struct rtop_report *report, const struct rtop_method_row *row,
                           enum rtop_sort_key column)
{
  double value = rtop_method_value(row, column);
  switch (rtop_sort_key_figure(column)) {
  case RTOP_FIGURE_TIME: return json_seconds((uint64_t)value);
  case RTOP_FIGURE_RATIO: return json_real(rtop_method_ratio(row->most_ns, report->methods.length_ns));
  case RTOP_FIGURE_NONE: return json_real(value);
  default: return json_count((uint64_t)value);
  }
}

static json_t *json_method(const struct rtop_report *report, const struct rtop_method_row *row)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(report->symbols, row->frame);
  json_t *object = json_object();
  json_object_set_new(object, "name", json_text(symbol->label));
  json_object_set_new(object, "path", json_text(symbol->path));
  json_object_set_new(object, "line", json_count(symbol->line));
  if (symbol->process) json_object_set_new(object, "pid", json_integer(rtop_process_pid(symbol->process)));
  for (size_t i = 0; i < JSON_FIELDS; i++)
    json_object_set_new(object, json_fields[i].key, json_figure(report, row, json_fields[i].column));
  json_object_set_new(object, "samples", json_count(row->total.samples));
  if (row->traced) {
    json_object_set_new(object, "calls_rate", json_real(row->calls_per_s));
    json_object_set_new(object, "mean", json_seconds((uint64_t)row->mean_ns));
  }
  if (report->compared) json_object_set_new(object, "delta", json_delta(report, row));
  if (row->gone) json_object_set_new(object, "gone", json_true());
  return object;
}

static json_t *json_work_time(const struct work_figures *work, enum rtop_work_cause cause)
{
  const struct work_time *time = &work->of[cause];
  bool known = work->ended && (time->known || (cause != RTOP_WORK_WHOLE && !time->some));
  json_t *object = json_object();
  json_object_set_new(object, "sum", json_seconds(time->sum_ns));
  json_object_set_new(object, "mean", work->ended ? json_seconds(work_mean_ns(work, cause)) : json_null());
  json_object_set_new(object, "p50", known ? json_seconds(time->p50_ns) : json_null());
  json_object_set_new(object, "p90", known ? json_seconds(time->p90_ns) : json_null());
  json_object_set_new(object, "p99", known ? json_seconds(time->p99_ns) : json_null());
  json_object_set_new(object, "max", work->ended ? json_seconds(time->longest_ns) : json_null());
  return object;
}

/* Returns the figures of work that ended in the window, and of work open at its end. */
static json_t *json_work(const struct work_figures *work)
{
  json_t *object = json_work_time(work, RTOP_WORK_WHOLE), *causes = json_object();
  json_object_set_new(object, "ended", json_count(work->ended));
  json_object_set_new(object, "open", json_count(work->open));
  json_object_set_new(object, "oldest", work->open ? json_seconds(work->oldest_ns) : json_null());
  for (enum rtop_work_cause cause = RTOP_WORK_RUNNING; cause < RTOP_WORK_CAUSES; cause++)
    json_object_set_new(causes, work_cause_name(cause), json_work_time(work, cause));
  json_object_set_new(object, "causes", causes);
  return object;
}

static json_t *json_label(const struct rtop_report *report, const struct label_row *row)
{
  json_t *object = json_object();
  json_object_set_new(object, "key", json_stringn(row->name, row->key_bytes));
  json_object_set_new(object, "value", json_text(label_row_value(row)));
  json_object_set_new(object, "self", json_seconds(rtop_mode_clock(&row->cost, report->options->mode)));
  json_object_set_new(object, "total", json_seconds(rtop_cost_wall(&row->cost)));
  json_states(object, &row->cost);
  json_object_set_new(object, "allocations", json_count(row->cost.allocations));
  json_object_set_new(object, "samples", json_count(row->cost.samples));
  json_object_set_new(object, "count", report->labels.counted ? json_count(row->count) : json_null());
  bool each = report->labels.counted && row->count > 0;
  each = each || (report->labels.counted && row->work && row->work->ended);
  json_object_set_new(object, "each", each ? json_seconds(label_row_each_ns(row)) : json_null());
  if (report->labels.counted && row->work) json_object_set_new(object, "latency", json_work(row->work));
  if (report->labels.behind.count) json_object_set_new(object, "waits_behind", behind_json(report, row));
  return object;
}

static json_t *json_labels(const struct rtop_report *report)
{
  json_t *labels = json_array();
  for (size_t i = 0; i < report->labels.count; i++)
    json_array_append_new(labels, json_label(report, report->labels.rows[i]));
  return labels;
}

static json_t *json_fiber(const struct rtop_report *report, const struct fiber_row *row)
{
  json_t *object = json_object();
  const struct rtop_symbol *kind = rtop_symbols_get(report->symbols, row->kind);
  bool known = row->kind != 0;
  if (report->source_count > 1 && row->source < (uint32_t)report->source_count)
    json_object_set_new(object, "pid", json_integer(report->source_pids[row->source]));
  json_object_set_new(object, "thread", json_count(row->serial));
  json_object_set_new(object, "name", known ? json_text(kind->label) : json_null());
  json_object_set_new(object, "named", json_boolean(row->named));
  json_object_set_new(object, "path", known && kind->path[0] ? json_text(kind->path) : json_null());
  json_object_set_new(object, "line", known && kind->path[0] ? json_count(kind->line) : json_null());
  json_object_set_new(object, "alive", json_count(row->alive));
  json_object_set_new(object, "waiting", json_count(row->waiting));
  json_object_set_new(object, "wait", json_seconds(row->wait_ns));
  json_object_set_new(object, "share", json_real(row->share));
  json_object_set_new(object, "longest", json_seconds(row->longest_ns));
  json_object_set_new(object, "stack", rtop_json_stack(report, row->node));
  return object;
}

static json_t *json_fibers(const struct rtop_report *report)
{
  json_t *fibers = json_array();
  for (size_t i = 0; i < report->fibers.count; i++)
    json_array_append_new(fibers, json_fiber(report, &report->fibers.rows[i]));
  return fibers;
}

static void json_processes(json_t *object, const struct rtop_report *report)
{
  json_object_set_new(object, "pid", json_integer(report->source_count ? report->source_pids[0] : 0));
  if (report->source_count < 2) return;
  json_t *pids = json_array();
  for (int i = 0; i < report->source_count; i++) json_array_append_new(pids, json_integer(report->source_pids[i]));
  json_object_set_new(object, "pids", pids);
}

static json_t *json_end(const struct rtop_feed_end *end)
{
  json_t *object = json_object();
  int64_t real_us = end->real_ns / 1000;
  json_object_set_new(object, "time", json_real((double)real_us / 1e6));
  json_object_set_new(object, "lived", json_seconds((uint64_t)end->lived_ns));
  json_object_set_new(object, "cause", json_text(end->cause));
  json_object_set_new(object, "text", json_text(end->text));
  return object;
}

static json_t *json_one_process(const struct rtop_report_process *process)
{
  json_t *object = json_object();
  json_object_set_new(object, "pid", json_integer(process->pid));
  if (process->parent) json_object_set_new(object, "parent", json_integer(process->parent));
  if (process->host) json_object_set_new(object, "host", json_text(process->host));
  json_object_set_new(object, "state", json_text(rtop_feed_state_name(process->state)));
  json_object_set_new(object, "command", json_text(process->command));
  json_object_set_new(object, "ruby", json_text(process->ruby));
  json_states(object, &process->cost);
  json_object_set_new(object, "allocations", json_count(process->cost.allocations));
  json_object_set_new(object, "threads", json_count(process->threads));
  if (process->has_end) json_object_set_new(object, "end", json_end(&process->end));
  return object;
}

static json_t *json_hosts(const struct rtop_report *report)
{
  json_t *hosts = json_array();
  for (int i = 0; i < report->host_count; i++) {
    const struct rtop_host_look *host = &report->hosts[i];
    json_t *object = json_object();
    json_object_set_new(object, "host", json_text(host->name));
    json_object_set_new(object, "state", json_text(rtop_host_state_name(host->state)));
    json_object_set_new(object, "processes", json_integer(host->processes));
    if (*host->reason) json_object_set_new(object, "reason", json_text(host->reason));
    if (host->skew_known) json_object_set_new(object, "skew", json_real((double)host->skew_ns / 1e9));
    if (host->state == RTOP_HOST_THERE || host->state == RTOP_HOST_SILENT)
      json_object_set_new(object, "behind", json_seconds((uint64_t)host->behind_ns));
    json_object_set_new(object, "attempts", json_integer(host->attempts));
    json_array_append_new(hosts, object);
  }
  return hosts;
}

/* With several processes: which of them live, what each does, and how the others ended. */
json_t *rtop_json_processes(const struct rtop_report *report)
{
  json_t *processes = json_array();
  for (int i = 0; i < report->source_count; i++) {
    const struct rtop_report_process *process = &report->processes[i];
    if (!process->replaced) json_array_append_new(processes, json_one_process(process));
  }
  return processes;
}

/* Adds a summary of ended processes whose indexes were reused; nothing if there are none. */
void rtop_json_processes_gone(json_t *object, const struct rtop_report *report)
{
  json_t *gone = report->gone_count ? json_object() : NULL;
  if (!gone) return;
  json_object_set_new(gone, "count", json_integer(report->gone_count));
  json_states(gone, &report->gone);
  json_object_set_new(gone, "allocations", json_count(report->gone.allocations));
  json_object_set_new(object, "processes_gone", gone);
}

static json_t *json_baseline(const struct rtop_report *report)
{
  json_t *object = json_object();
  json_object_set_new(object, "frame", json_seconds(report->before_ns));
  json_object_set_new(object, "windows", json_count(report->before_sum.window_count));
  json_object_set_new(object, "gaps", json_count(report->before_sum.gap_count));
  return object;
}

/* jansson's setters treat a NULL value as an error and omit the key, so a single check suffices. */
json_t *rtop_json_build(const struct rtop_report *report)
{
  const struct rtop_sum *sum = &report->sum;
  json_t *object = json_object(), *threads = json_array(), *methods = json_array();
  int64_t end_us = (sum->span.end_ns + report->clock_offset_ns) / 1000;
  double end = (double)end_us / 1e6;
  json_object_set_new(object, "schema", json_text("rperf-top/1"));
  json_object_set_new(object, "time", json_real(end));
  json_processes(object, report);
  json_object_set_new(object, "command", json_text(report->command));
  json_object_set_new(object, "ruby", json_text(report->ruby));
  json_object_set_new(object, "state", json_text(rtop_feed_state_name(report->state)));
  if (report->has_end) json_object_set_new(object, "end", json_end(&report->end));
  if (report->source_count > 1 || report->host_count > 0)
    json_object_set_new(object, "processes", rtop_json_processes(report));
  rtop_json_processes_gone(object, report);
  if (report->host_count > 0) json_object_set_new(object, "hosts", json_hosts(report));
  json_object_set_new(object, "frame", json_seconds(sum->length_ns));
  json_object_set_new(object, "mode", json_text(rtop_mode_name(report->options->mode)));
  char states[64];
  rtop_states_text(report->states, states, sizeof states);
  if (*states) json_object_set_new(object, "states", json_text(states));
  json_object_set_new(object, "windows", json_count(sum->window_count));
  json_object_set_new(object, "gaps", json_count(sum->gap_count));
  if (report->compared) json_object_set_new(object, "baseline", json_baseline(report));
  json_object_set_new(object, "sampler", json_sampler(sum));
  if (report->tells_losses) json_object_set_new(object, "losses", json_losses(report));
  if (sum->counters.vm_unknown) json_object_set_new(object, "not_available", json_missing(sum));
  json_object_set_new(object, "verdict", json_verdict(report));
  if (report->since.judged > 0) json_object_set_new(object, "since_mark", json_since(report));
  json_object_set_new(object, "gvl", json_gvl(report));
  json_object_set_new(object, "gc", json_collector(sum));
  json_object_set_new(object, "allocations", json_count(sum->counters.allocations));
  json_object_set_new(object, "exceptions", json_count(sum->counters.exceptions));
  if (sum->counters.fibers_waiting)
    json_object_set_new(object, "fibers_waiting", json_count(sum->counters.fibers_waiting));
  json_object_set_new(object, "lock_waits", json_count(sum->counters.lock_waits));
  waits_json(object, report);
  for (size_t i = 0; i < sum->thread_count; i++) json_array_append_new(threads, json_thread(report, &sum->threads[i]));
  json_object_set_new(object, "threads", threads);
  for (size_t i = 0; i < report->methods.count; i++)
    json_array_append_new(methods, json_method(report, &report->methods.rows[i]));
  json_object_set_new(object, "methods", methods);
  if (report->labels.count) json_object_set_new(object, "labels", json_labels(report));
  blocks_json(object, report);
  if (report->fibers.count) json_object_set_new(object, "fibers", json_fibers(report));
  if (report->raised.count) {
    json_object_set_new(object, "raised", raised_json(report));
    json_object_set_new(object, "raised_untold", json_count(sum->counters.raises_untold));
  }
  if (report->exact.count) json_object_set_new(object, "traces", exact_json(report));
  if (report->whole.numbers.head.told)
    json_object_set_new(object, "whole", whole_json(&report->whole, report->symbols));
  if (report->sites.told) json_object_set_new(object, "allocation_sites", sites_json(&report->sites, report->symbols));
  return object;
}

bool rtop_json_write(const struct rtop_report *report, FILE *out)
{
  json_t *object = rtop_json_build(report);
  bool fine = object && json_dumpf(object, out, JSON_COMPACT | JSON_REAL_PRECISION(JSON_DIGITS)) == 0;
  json_decref(object);
  return fine && fputc('\n', out) != EOF && fflush(out) == 0;
}
