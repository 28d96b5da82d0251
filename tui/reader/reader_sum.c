/* SPDX-License-Identifier: MIT */
/* Costs of a span: sums, copied so that they do not depend on the reader. */
#include "reader_sum.h"
#include "tui/history/lens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUM_CHUNK_BYTES = 16384, SUM_NAME_BYTES = 8192 };

struct sum_chunk {
  struct sum_chunk *next;
  size_t used, bytes;
  char text[];
};

static_assert(sizeof(struct rperf_top_cost) == sizeof(struct rtop_cost) &&
                  offsetof(struct rperf_top_cost, cpu_ns) == offsetof(struct rtop_cost, cpu_ns) &&
                  offsetof(struct rperf_top_cost, blame_ns) == offsetof(struct rtop_cost, blame_ns) &&
                  offsetof(struct rperf_top_cost, allocations) == offsetof(struct rtop_cost, allocations) &&
                  offsetof(struct rperf_top_cost, samples) == offsetof(struct rtop_cost, samples),
              "costs are copied whole");

static struct rperf_top_cost sum_cost(const struct rtop_cost *cost)
{
  struct rperf_top_cost copy;
  memcpy(&copy, cost, sizeof copy);
  return copy;
}

/* ---- strings ---------------------------------------------------------------------------------------- */

const char *sum_text(struct rperf_top_sum *sum, const char *text)
{
  size_t bytes = strlen(text) + 1;
  struct sum_chunk *chunk = sum->chunks;
  if (!chunk || chunk->bytes - chunk->used < bytes) {
    size_t room = bytes > SUM_CHUNK_BYTES ? bytes : SUM_CHUNK_BYTES;
    chunk = malloc(sizeof *chunk + room);
    if (!chunk) return NULL;
    *chunk = (struct sum_chunk){ .next = sum->chunks, .bytes = room };
    sum->chunks = chunk;
  }
  char *copy = chunk->text + chunk->used;
  memcpy(copy, text, bytes);
  chunk->used += bytes;
  return copy;
}

void rperf_top_sum_free(struct rperf_top_sum *sum)
{
  if (!sum) return;
  while (sum->chunks) {
    struct sum_chunk *next = sum->chunks->next;
    free(sum->chunks);
    sum->chunks = next;
  }
  free(sum->methods);
  free(sum->threads);
  free(sum->labels);
  free(sum->latencies);
  free(sum->requests);
  free(sum->behind);
  free(sum);
}

/* ---- what is asked for ------------------------------------------------------------------------------ */

static bool sum_refuse(struct rperf_top_error *error, const char *member, const char *text)
{
  reader_refuse(error, RPERF_TOP_ERROR_ARGUMENT, "%s: '%.200s' means nothing", member, text);
  return false;
}

static bool sum_copy(char *to, size_t bytes, const char *member, const char *text, struct rperf_top_error *error)
{
  if (!text) return true;
  if (strlen(text) < bytes) {
    memcpy(to, text, strlen(text) + 1);
    return true;
  }
  reader_refuse(error, RPERF_TOP_ERROR_ARGUMENT, "%s: more than %zu bytes", member, bytes - 1);
  return false;
}

static bool sum_look(struct sum_work *work, struct rperf_top_error *error)
{
  const struct rperf_top_filter *filter = &work->filter;
  struct rtop_lens *lens = rtop_profile_lens(work->profile);
  struct rtop_lens_look look = {
    .only_mine = filter->flags & RPERF_TOP_ONLY_MINE,
    .no_c = filter->flags & RPERF_TOP_NO_C,
    .processes = filter->flags & RPERF_TOP_PROCESSES,
  };
  if (filter->merge && !rtop_merge_parse(filter->merge, &look.merge)) return sum_refuse(error, "merge", filter->merge);
  if (!sum_copy(look.exclude, sizeof look.exclude, "exclude", filter->exclude, error) ||
      !sum_copy(look.label, sizeof look.label, "label", filter->label, error))
    return false;
  const char *why = rtop_lens_check(look.exclude);
  if (why) reader_refuse(error, RPERF_TOP_ERROR_ARGUMENT, "exclude: %s", why);
  if (why) return false;
  if (rtop_lens_set(lens, &look)) return true;
  reader_refuse(error, RPERF_TOP_ERROR_SYSTEM, "out of memory");
  return false;
}

static bool sum_expressions(struct sum_work *work, struct rperf_top_error *error)
{
  struct rperf_top_filter *filter = &work->filter;
  struct reader_pattern methods, threads;
  bool fine = reader_pattern_open(&methods, filter->methods, error);
  fine = fine && reader_pattern_open(&threads, filter->threads ? filter->threads : "", error);
  if (fine) {
    work->options.filter = filter->methods ? filter->methods + methods.invert : NULL;
    work->options.filter_invert = methods.invert;
    reader_pattern_close(&threads);
  }
  reader_pattern_close(&methods);
  return fine;
}

/* Finds the process to sum up: of several processes with this pid, the newest one. */
static bool sum_process(struct sum_work *work, struct rperf_top_error *error)
{
  work->source = -1;
  if (!work->filter.pid) return true;
  for (int i = 0; i < rtop_session_count(work->reader->session); i++) {
    const struct rtop_feed_info *info = rtop_session_info(work->reader->session, i);
    bool later = work->source < 0 || rtop_session_opened(work->reader->session, i) >
                                         rtop_session_opened(work->reader->session, work->source);
    if (info->pid == work->filter.pid && later) work->source = i;
  }
  if (work->source < 0)
    reader_refuse(error, RPERF_TOP_ERROR_ARGUMENT, "process %d is not followed", (int)work->filter.pid);
  return work->source >= 0;
}

static bool sum_options(struct sum_work *work, struct rperf_top_error *error)
{
  const struct rperf_top_filter *filter = &work->filter;
  const char *sort = filter->sort ? filter->sort : "self";
  work->options.min_percent = filter->min_percent > 0 ? filter->min_percent : 0;
  if (filter->mode && !rtop_mode_parse(filter->mode, &work->options.mode))
    return sum_refuse(error, "mode", filter->mode);
  if (!rtop_sort_key_parse(sort, &work->options.sort) || work->options.sort == RTOP_SORT_DELTA ||
      work->options.sort == RTOP_SORT_HISTORY)
    return sum_refuse(error, "sort", sort);
  return sum_expressions(work, error) && sum_process(work, error) && sum_look(work, error);
}

/* ---- adding up -------------------------------------------------------------------------------------- */

static bool sum_leave_out(struct sum_work *work, struct rtop_sum *sum)
{
  for (size_t i = 0; work->source >= 0 && i < sum->thread_count; i++)
    if (sum->threads[i].source != (uint32_t)work->source) sum->threads[i].hidden = true;
  return rtop_methods_leave_out(work->filter.threads, sum);
}

static bool sum_labels(struct sum_work *work, struct rtop_span span)
{
  const struct label_table_options options = {
    .sort = RTOP_SORT_TOTAL,
    .mode = work->options.mode,
    .only_source = (uint32_t)(work->source + 1),
    .slower_ns = work->filter.slower_ns,
  };
  if (!rtop_symbols_labelled(work->symbols)) return true;
  return rtop_profile_sum_sets(work->profile, span, &work->sets_sum) && sum_leave_out(work, &work->sets_sum) &&
         label_table_build(&work->labels, work->profile, &work->sets_sum, &options);
}

static bool sum_add_up(struct sum_work *work, struct rtop_span span)
{
  const struct thread_table_options by_blame = { .sort = RTOP_SORT_SELF };
  if (!rtop_profile_sum(work->profile, span, &work->sum)) return false;
  if (work->source >= 0) rtop_profile_alone(work->profile, (uint32_t)work->source, &work->sum);
  if (!sum_leave_out(work, &work->sum) ||
      !rtop_methods_build(&work->methods, &work->sum, work->symbols, &work->options))
    return false;
  rtop_profile_open_blame(work->profile, &work->sum);
  return thread_table_build(&work->threads, &work->sum, work->symbols, &by_blame) && sum_labels(work, span);
}

/* ---- copying ---------------------------------------------------------------------------------------- */

static void sum_copy_totals(struct rperf_top_totals *totals, const struct rtop_sum *sum)
{
  const struct rtop_span_counters *counters = &sum->counters;
  struct rtop_cost cost = { 0 };
  for (size_t i = 0; i < sum->thread_count; i++)
    if (!sum->threads[i].hidden) rtop_cost_add(&cost, &sum->threads[i].cost);
  *totals = (struct rperf_top_totals){
    .span = { sum->span.start_ns, sum->span.end_ns },
    .length_ns = sum->length_ns,
    .windows = sum->window_count,
    .gaps = sum->gap_count,
    .cost = sum_cost(&cost),
    .gc_minor = counters->gc_minor,
    .gc_major = counters->gc_major,
    .exceptions = counters->exceptions,
    .allocations = counters->allocations,
    .cpu_ns = counters->cpu_ns,
    .gvl_releases = counters->gvl_releases,
    .profiling_ns = rtop_counters_cost_ns(counters),
    .rate_hz = counters->rate_hz,
    .heap_live_slots = counters->heap_live_slots,
    .malloc_bytes = counters->malloc_bytes,
    .rss_bytes = counters->rss_bytes,
  };
}

static bool sum_copy_methods(struct rperf_top_sum *to, const struct sum_work *work)
{
  char name[SUM_NAME_BYTES];
  for (size_t i = 0; i < work->methods.count; i++) {
    const struct rtop_method_row *row = &work->methods.rows[i];
    const struct rtop_symbol *symbol = rtop_symbols_get(work->symbols, row->frame);
    struct rperf_top_method *method = &to->methods[to->method_count++];
    *method = (struct rperf_top_method){
      .name = sum_text(to, rtop_symbol_name(symbol, name, sizeof name)),
      .path = sum_text(to, symbol->path),
      .line = symbol->line,
      .kind = (uint32_t)symbol->kind,
      .threads = row->threads,
      .self_ns = row->self_ns,
      .total_ns = row->total_ns,
      .most_ns = row->most_ns,
      .self = sum_cost(&row->self),
      .total = sum_cost(&row->total),
    };
    if (!method->name || !method->path) return false;
  }
  return true;
}

static bool sum_copy_thread(struct rperf_top_sum *to, const struct sum_work *work, const struct rtop_thread_row *row)
{
  const struct rtop_feed_info *info = rtop_session_info(work->reader->session, (int)row->source);
  uint32_t frame = rtop_symbols_get_node(work->symbols, row->node)->frame;
  struct rperf_top_thread *thread = &to->threads[to->thread_count++];
  *thread = (struct rperf_top_thread){
    .name = sum_text(to, row->name),
    .where = sum_text(to, frame ? rtop_symbols_get(work->symbols, frame)->label : ""),
    .serial = row->serial,
    .pid = info ? info->pid : 0,
    .native_id = row->native_id,
    .state = (uint32_t)row->state,
    .is_main = row->is_main,
    .ended = row->ended,
    .stale = row->stale,
    .state_age_ns = row->state_age_ns,
    .cost = sum_cost(&row->cost),
  };
  return thread->name && thread->where;
}

static bool sum_copy_threads(struct rperf_top_sum *to, const struct sum_work *work)
{
  for (size_t i = 0; i < work->threads.count; i++) {
    const struct rtop_thread_row *row = &work->sum.threads[work->threads.rows[i]];
    if (!row->hidden && !sum_copy_thread(to, work, row)) return false;
  }
  return true;
}

static bool sum_copy_labels(struct rperf_top_sum *to, const struct sum_work *work)
{
  for (size_t i = 0; i < work->labels.count; i++) {
    const struct label_row *row = work->labels.rows[i];
    char key[sizeof row->name];
    if (!row->key_bytes) continue;
    snprintf(key, sizeof key, "%.*s", (int)row->key_bytes, row->name);
    struct rperf_top_label *label = &to->labels[to->label_count++];
    *label = (struct rperf_top_label){
      .key = sum_text(to, key),
      .value = sum_text(to, label_row_value(row)),
      .count = row->count,
      .cost = sum_cost(&row->cost),
    };
    if (!label->key || !label->value || !sum_copy_latency(to, work, row, label)) return false;
  }
  return true;
}

static bool sum_copy_all(struct rperf_top_sum *to, const struct sum_work *work)
{
  sum_copy_totals(&to->totals, &work->sum);
  to->methods = calloc(work->methods.count + 1, sizeof *to->methods);
  to->threads = calloc(work->threads.count + 1, sizeof *to->threads);
  to->labels = calloc(work->labels.count + 1, sizeof *to->labels);
  to->latencies = calloc((work->labels.count + 1) * RPERF_TOP_CAUSES, sizeof *to->latencies);
  return to->methods && to->threads && to->labels && to->latencies && sum_copy_methods(to, work) &&
         sum_copy_threads(to, work) && sum_copy_labels(to, work) && sum_copy_requests(to, work);
}

struct rperf_top_sum *rperf_top_sum_make(struct rperf_top_reader *reader, const struct rperf_top_span *given,
                                         const struct rperf_top_filter *filter, struct rperf_top_error *error)
{
  struct sum_work work = { .reader = reader, .profile = rtop_session_profile(reader->session) };
  struct rtop_span span = rtop_profile_bounds(work.profile);
  if (given) span = (struct rtop_span){ given->start_ns, given->end_ns };
  work.symbols = rtop_profile_symbols(work.profile);
  if (error) *error = (struct rperf_top_error){ 0 };
  if (!reader_take(&work.filter, sizeof work.filter, filter, error) || !sum_options(&work, error)) return NULL;
  struct rperf_top_sum *sum = calloc(1, sizeof *sum);
  if (!sum || !sum_add_up(&work, span) || !sum_copy_all(sum, &work)) {
    rperf_top_sum_free(sum);
    sum = NULL;
    reader_refuse(error, RPERF_TOP_ERROR_SYSTEM, "out of memory");
  }
  thread_table_destroy(&work.threads);
  label_table_destroy(&work.labels);
  rtop_methods_destroy(&work.methods);
  rtop_sum_destroy(&work.sets_sum);
  rtop_sum_destroy(&work.sum);
  return sum;
}

const struct rperf_top_totals *rperf_top_sum_totals(const struct rperf_top_sum *sum)
{
  return &sum->totals;
}

size_t rperf_top_sum_method_count(const struct rperf_top_sum *sum)
{
  return sum->method_count;
}

const struct rperf_top_method *rperf_top_sum_method(const struct rperf_top_sum *sum, size_t index)
{
  return index < sum->method_count ? &sum->methods[index] : NULL;
}

size_t rperf_top_sum_thread_count(const struct rperf_top_sum *sum)
{
  return sum->thread_count;
}

const struct rperf_top_thread *rperf_top_sum_thread(const struct rperf_top_sum *sum, size_t index)
{
  return index < sum->thread_count ? &sum->threads[index] : NULL;
}

size_t rperf_top_sum_label_count(const struct rperf_top_sum *sum)
{
  return sum->label_count;
}

const struct rperf_top_label *rperf_top_sum_label(const struct rperf_top_sum *sum, size_t index)
{
  return index < sum->label_count ? &sum->labels[index] : NULL;
}
