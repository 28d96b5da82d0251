/* SPDX-License-Identifier: MIT */
/* Collects the content of an update: sum, methods, counters, changes. */
#include "report.h"
#include "tui/methods/methods_impl.h"
#include "tui/methods/sum_translate.h"
#include "tui/text/text.h"
#include "tui/text/reserve.h"

#include <stdio.h>
#include <string.h>

bool rtop_report_take(struct rtop_report *report, struct rtop_session *session,
                      const struct rtop_methods_options *options, double frame_seconds)
{
  const struct rtop_profile *profile = rtop_session_profile(session);
  struct rtop_span span = rtop_profile_last(profile, (int64_t)(frame_seconds * 1e9));
  return rtop_report_take_span(report, session, options, span);
}

static void report_leave_out(const void *context, struct rtop_sum *sum)
{
  const struct methods_regex *wanted = context;
  for (size_t i = 0; wanted->text && i < sum->thread_count; i++)
    sum->threads[i].hidden = regexec(&wanted->compiled, sum->threads[i].name, 0, NULL, 0) != 0;
}

static void report_sort_by_history(struct rtop_report *report, struct rtop_profile *profile)
{
  const struct rtop_methods_options *options = report->options;
  struct methods_regex threads = { 0 };
  struct history_look look = { options->mode, 0, report_leave_out, &threads };
  methods_regex_use(&threads, options->thread_filter);
  while (history_update(&report->history, profile, report->sum.span.end_ns, &look))
    ;
  history_peaks(&report->history, report->sum.span.end_ns, &report->methods);
  rtop_methods_sort(&report->methods, report->symbols, options);
  methods_regex_free(&threads);
}

static void report_process(struct rtop_report *report, const struct rtop_session *session, int index)
{
  const struct rtop_feed_info *info = rtop_session_info(session, index);
  struct rtop_report_process *process = &report->processes[index];
  *process = (struct rtop_report_process){ .pid = info->pid,
                                           .process = rtop_session_process(session, index),
                                           .opened = rtop_session_opened(session, index),
                                           .state = rtop_session_feed_state(session, index),
                                           .parent = rtop_session_feed_parent(session, index),
                                           .command = info->command,
                                           .host = info->host,
                                           .ruby = info->ruby,
                                           .replaced = rtop_session_feed_replaced(session, index) };
  report->tells_losses = report->tells_losses || info->tells_losses;
  for (int loss = 0; loss < RTOP_LOSSES; loss++) report->losses[loss] += info->losses[loss];
  process->has_end = rtop_session_feed_end(session, index, &process->end);
  report->source_pids[index] = info->pid;
}

void rtop_report_who(const struct rtop_report *report, uint32_t source, char *out, size_t bytes)
{
  int columns;
  const char *host = rtop_text_host(report->processes[source].host ? report->processes[source].host : "", &columns);
  snprintf(out, bytes, "%d%s%.*s", (int)report->source_pids[source], *host ? "@" : "", columns, host);
}

/* The present source of the same process. */
static struct rtop_report_process *report_process_now(struct rtop_report *report, uint32_t source)
{
  uint32_t now = source;
  for (uint32_t i = 0; report->processes[now].replaced && i < (uint32_t)report->source_count; i++)
    if (i != source && report->processes[i].process == report->processes[source].process &&
        report->processes[i].opened > report->processes[now].opened)
      now = i;
  return &report->processes[now];
}

static void report_divide(struct rtop_report *report)
{
  for (size_t i = 0; i < report->sum.thread_count; i++) {
    const struct rtop_thread_row *thread = &report->sum.threads[i];
    if (thread->source >= RTOP_SOURCE_GONE) rtop_cost_add(&report->gone, &thread->cost);
    if (thread->source >= (uint32_t)report->source_count) continue;
    struct rtop_report_process *process = report_process_now(report, thread->source);
    rtop_cost_add(&process->cost, &thread->cost);
    process->threads += !thread->ended;
  }
}

bool rtop_report_judge(struct rtop_report *report, struct rtop_profile *profile)
{
  struct verdict before = report->verdict;
  bool follows = before.kind != VERDICT_NONE && report->sum.span.start_ns <= report->past.now.end_ns &&
                 report->sum.span.end_ns >= report->past.now.end_ns;
  if (!verdict_make(&report->maker, &report->sum, profile, VERDICT_ALL_SOURCES, follows ? &before : NULL,
                    &report->verdict))
    return false;
  report->verdict_ns = 0;
  if (report->verdict.kind == VERDICT_NONE) return true;
  report->verdict_ns =
      verdict_past_ns(&report->past, &report->maker, profile, VERDICT_ALL_SOURCES, &report->verdict, report->sum.span);
  report->verdict_longer = report->past.now.longer;
  return true;
}

void rtop_report_verdict_words(const struct rtop_report *report, struct verdict_words *words, int columns)
{
  char who[RTOP_REPORT_WHO_BYTES], process[RTOP_REPORT_WHO_BYTES + 2] = "";
  uint32_t source = report->verdict.source;
  if (source < (uint32_t)report->source_count) {
    rtop_report_who(report, source, who, sizeof who);
    snprintf(process, sizeof process, "%s: ", who);
  }
  struct verdict_say say = { .symbols = report->symbols,
                             .lasts_ns = report->verdict_ns,
                             .lasts_longer = report->verdict_longer,
                             .process = process };
  verdict_words(words, &report->verdict, &say, columns);
}

static bool report_labels(struct rtop_report *report, struct rtop_profile *profile, struct rtop_span span)
{
  const struct label_table_options options = { .sort = RTOP_SORT_SELF,
                                               .mode = report->options->mode,
                                               .slower_ns = report->slower_requests_ns };
  if (!rtop_symbols_labelled(report->symbols)) return true;
  if (!rtop_profile_sum_sets(profile, span, &report->sets_sum)) return false;
  if (!rtop_methods_leave_out(report->options->thread_filter, &report->sets_sum)) return false;
  return label_table_build(&report->labels, profile, &report->sets_sum, &options);
}

static bool report_exact(struct rtop_report *report, const struct rtop_session *session,
                         const struct rtop_profile *profile, struct rtop_span span)
{
  const char *names[RTOP_SESSION_TRACES_MAX];
  size_t count = 0;
  while (count < RTOP_SESSION_TRACES_MAX && rtop_session_traced(session, (int)count)) {
    names[count] = rtop_session_traced(session, (int)count);
    count++;
  }
  size_t methods = 0;
  for (size_t i = 0; i < count; i++)
    if (names[i][0] != RTOP_TRACE_WHOLE && names[i][0] != RTOP_TRACE_SITES) names[methods++] = names[i];
  report->slower_us = rtop_session_slower_us(session);
  if (!exact_table_build(&report->exact, profile, span, names, methods) ||
      !slow_list_build(&report->slow, profile, span) || !whole_table_build(&report->whole, profile, span) ||
      !sites_table_build(&report->sites, profile, span, report->sites_order))
    return false;
  exact_table_tell(&report->exact, report->symbols, &report->methods);
  if (rtop_sort_key_figure(report->options->sort) == RTOP_FIGURE_EXACT)
    rtop_methods_sort(&report->methods, report->symbols, report->options);
  return true;
}

/* Returns the feed that continues the first source's process, which may have become another program with a channel
 * of its own. */
static const struct rtop_feed_info *report_first(const struct rtop_session *session)
{
  int newest = 0;
  for (int i = 1; i < rtop_session_count(session); i++)
    if (rtop_session_process(session, i) == rtop_session_process(session, 0) &&
        rtop_session_opened(session, i) > rtop_session_opened(session, newest))
      newest = i;
  return rtop_session_info(session, newest);
}

bool rtop_report_take_span(struct rtop_report *report, struct rtop_session *session,
                           const struct rtop_methods_options *options, struct rtop_span span)
{
  struct rtop_profile *profile = rtop_session_profile(session);
  const struct rtop_feed_info *info = report_first(session);
  report->options = options;
  report->profile = profile;
  report->symbols = rtop_profile_symbols(profile);
  report->state = rtop_session_state(session);
  report->states = rtop_lens_look(rtop_profile_lens(profile))->states;
  report->has_end = rtop_session_end(session, &report->end);
  report->clock_offset_ns = rtop_session_clock_offset_ns(session);
  report->command = info ? info->command : "";
  report->ruby = info ? info->ruby : "";
  report->source_count = rtop_session_count(session);
  report->gone_count = rtop_session_gone(session);
  report->gone = (struct rtop_cost){ 0 };
  report->tells_losses = false;
  memset(report->losses, 0, sizeof report->losses);
  for (int i = 0; i < report->source_count; i++) report_process(report, session, i);
  report->host_count = rtop_session_hosts(session);
  for (int i = 0; i < report->host_count; i++) rtop_session_host(session, i, &report->hosts[i]);
  if (!rtop_profile_sum(profile, span, &report->sum) ||
      !rtop_methods_build(&report->methods, &report->sum, report->symbols, options))
    return false;
  rtop_profile_open_blame(profile, &report->sum);
  if (!rtop_report_judge(report, profile) || !report_labels(report, profile, span) ||
      !since_mark_update(&report->since, profile, span.end_ns) ||
      !fiber_table_build(&report->fibers, profile, &report->sum) || !report_exact(report, session, profile, span) ||
      !raised_list_build(&report->raised, profile, span) || !wait_sums_build(&report->waits, &report->sum, profile))
    return false;
  report_divide(report);
  if (options->sort == RTOP_SORT_HISTORY) report_sort_by_history(report, profile);
  return true;
}

static bool report_sum_before(struct rtop_report *report, struct rtop_profile *profile, struct rtop_profile *other)
{
  struct rtop_span now = report->sum.span;
  struct rtop_span frame = { now.start_ns - (now.end_ns - now.start_ns), now.start_ns };
  if (!other) return rtop_profile_sum(profile, frame, &report->before_sum);
  return rtop_profile_sum(other, rtop_profile_bounds(other), &report->before_sum) &&
         rtop_sum_translate(&report->before_sum, rtop_profile_symbols(other), rtop_profile_symbols(profile));
}

static bool report_make_before(struct rtop_report *report, struct rtop_profile *profile, struct rtop_profile *other)
{
  struct rtop_methods_options all = *report->options;
  all.min_percent = 0;
  all.sort = RTOP_SORT_NAME;
  if (other && report->before_of == other) return true;
  bool fine = report_sum_before(report, profile, other) &&
              rtop_methods_build(&report->before, &report->before_sum, report->symbols, &all);
  report->before_ns = fine ? report->before_sum.length_ns : 0;
  report->before_of = fine ? other : NULL;
  return fine;
}

/* Copies the rows of the comparison, since the report owns its rows. */
static bool report_take_changes(struct rtop_report *report)
{
  struct rtop_methods *methods = &report->methods;
  const struct rtop_changes *changes = &report->changes;
  if (!rtop_reserve(&methods->rows, &methods->capacity, changes->count, sizeof *methods->rows)) return false;
  memcpy(methods->rows, changes->rows, changes->count * sizeof *methods->rows);
  methods->count = changes->count;
  /* other rows stay in order, and methods that no longer occur come last */
  if (!rtop_changes_has(report->options->sort)) rtop_methods_sort(methods, report->symbols, report->options);
  return true;
}

bool rtop_report_compare(struct rtop_report *report, struct rtop_profile *profile, struct rtop_profile *other)
{
  const struct rtop_methods_options *options = report->options;
  struct rtop_methods_options uncut = *options;
  uncut.min_percent = 0;
  report->change_of = rtop_changes_has(options->sort) ? options->sort : RTOP_SORT_SELF;
  if (!report_make_before(report, profile, other)) return false;
  report->compared = report->before_ns > 0;
  if (!report->compared) return true;
  if (options->min_percent > 0 && !rtop_methods_build(&report->methods, &report->sum, report->symbols, &uncut))
    return false;
  if (options->min_percent > 0 && options->sort == RTOP_SORT_HISTORY) report_sort_by_history(report, profile);
  return rtop_changes_join(&report->changes, &report->methods, &report->before,
                           rtop_symbols_frame_count(report->symbols), report->change_of, options->min_percent) &&
         report_take_changes(report);
}

const struct rtop_method_row *rtop_report_before(const struct rtop_report *report, uint32_t frame)
{
  return rtop_changes_before(&report->changes, &report->before, frame);
}

void rtop_report_destroy(struct rtop_report *report)
{
  rtop_sum_destroy(&report->sum);
  rtop_sum_destroy(&report->sets_sum);
  label_table_destroy(&report->labels);
  fiber_table_destroy(&report->fibers);
  exact_table_destroy(&report->exact);
  slow_list_destroy(&report->slow);
  whole_table_destroy(&report->whole);
  raised_list_destroy(&report->raised);
  wait_sums_destroy(&report->waits);
  sites_table_destroy(&report->sites);
  rtop_methods_destroy(&report->methods);
  history_destroy(&report->history);
  rtop_sum_destroy(&report->before_sum);
  rtop_methods_destroy(&report->before);
  rtop_changes_destroy(&report->changes);
  verdict_maker_destroy(&report->maker);
  verdict_past_destroy(&report->past);
}

void rtop_report_location(char *out, size_t out_bytes, const struct rtop_symbol *symbol, uint32_t line, bool whole_path)
{
  const char *slash = strrchr(symbol->path, '/');
  const char *path = slash && !whole_path ? slash + 1 : symbol->path;
  uint32_t shown = line ? line : symbol->line;
  *out = '\0';
  if (symbol->kind == RTOP_SYMBOL_C) snprintf(out, out_bytes, "<C>");
  else if (rtop_symbol_has_source(symbol) && shown) snprintf(out, out_bytes, "%s:%u", path, shown);
  else if (rtop_symbol_has_source(symbol)) snprintf(out, out_bytes, "%s", path);
}
