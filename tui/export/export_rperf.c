/* SPDX-License-Identifier: MIT */
/* The JSON that rperf saves and loads. */
#include "export_impl.h"

#include "shm/base/label_text.h"
#include "shm/base/version.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->lost = true)
#include <uthash.h>

/* The format of rperf (https://github.com/ko1/rperf), saved as .json.gz and loaded with Rperf.load: meta and summary,
 * then stacks, each [[[path, label], … leaf first], nanoseconds, thread, label set]. In wall time a stack occurs once
 * per state, written in labels, as rperf does: %GVL blocked or wait, %GC mark or sweep, none while running. Labels
 * %thread and, with several processes, %pid identify the thread. rperf's modes are wall and cpu; busy time is wall time
 * without blocked, which meta mentions ("counted").
 */

#define RPERF_VERSION "0.11.1" /* whose format this is */

enum { RPERF_TOP_METHODS = 50 };

struct rperf_labels { /* one label set */
  UT_hash_handle hh;
  struct rperf_who {
    uint32_t thread_index;
    uint32_t labels; /* frame of the program's own label set; 0: none */
    uint32_t state;
  } who;
  size_t number;              /* from 1: 0 is the empty one */
  struct rperf_labels *after; /* in order of their numbers */
  bool lost;
};

struct rperf {
  struct export_job *job;
  char **frames;             /* by frame: its JSON */
  struct rperf_labels *sets; /* hash */
  struct rperf_labels *oldest, **newest;
  bool first;
};

static const char *rperf_frame(struct rperf *rperf, uint32_t frame)
{
  if (!rperf->frames[frame]) {
    const struct rtop_symbol *symbol = rtop_symbols_get(rperf->job->symbols, frame);
    json_t *pair = json_pack("[ss]", symbol->kind == RTOP_SYMBOL_C ? "<C method>" : symbol->path, symbol->label);
    rperf->frames[frame] = pair ? json_dumps(pair, JSON_COMPACT) : NULL;
    json_decref(pair);
  }
  return rperf->frames[frame];
}

/* Returns the number of a label set; 0: memory ran out. */
static size_t rperf_set(struct rperf *rperf, const struct rperf_who *who)
{
  struct rperf_labels *set = NULL;
  HASH_FIND(hh, rperf->sets, who, sizeof *who, set);
  if (set) return set->number;
  set = calloc(1, sizeof *set);
  if (!set) return 0;
  set->who = *who;
  set->number = HASH_COUNT(rperf->sets) + 1;
  HASH_ADD(hh, rperf->sets, who, sizeof *who, set);
  if (set->lost) {
    free(set);
    return 0;
  }
  *rperf->newest = set;
  rperf->newest = &set->after;
  return set->number;
}

/* Depth of a stack without its label set, which is the outermost frame here, but not a call. */
static size_t rperf_depth(const struct rperf *rperf, const struct export_walk *stack, uint32_t *labels)
{
  uint32_t last = stack->frames[stack->depth - 1];
  bool labelled = rtop_symbol_is_labels(rtop_symbols_get(rperf->job->symbols, last));
  *labels = labelled ? last : 0;
  return stack->depth - labelled;
}

static bool rperf_sample(struct rperf *rperf, const struct export_walk *stack, int state, uint64_t weight)
{
  FILE *out = rperf->job->out;
  struct rperf_who who = { .thread_index = stack->thread_index, .state = (uint32_t)state };
  size_t depth = rperf_depth(rperf, stack, &who.labels);
  size_t set = rperf_set(rperf, &who);
  if (set == 0) return false;
  fputs(rperf->first ? "[[" : ",\n[[", out);
  rperf->first = false;
  for (size_t i = 0; i < depth || i == 0; i++) {
    const char *frame = rperf_frame(rperf, depth ? stack->frames[i] : 0);
    if (!frame) return false;
    fputs(i ? "," : "", out);
    fputs(frame, out);
  }
  fprintf(out, "],%" PRIu64 ",%" PRIu32 ",%zu]", weight, stack->thread_index + 1, set);
  return true;
}

static bool rperf_stack(void *context, const struct export_walk *stack)
{
  struct rperf *rperf = context;
  bool fine = true;
  if (rperf->job->options.mode == RTOP_MODE_CPU)
    return stack->cost->cpu_ns == 0 || rperf_sample(rperf, stack, RTOP_STATE_RUNNING, stack->cost->cpu_ns);
  for (int state = 0; fine && state < RTOP_STATES; state++)
    if (stack->cost->wall_ns[state] && rtop_mode_counts(rperf->job->options.mode, (enum rtop_state)state))
      fine = rperf_sample(rperf, stack, state, stack->cost->wall_ns[state]);
  return fine;
}

/* Writes the program's own labels, without rperf's keys and duplicates, since a JSON object has each key once. */
static void rperf_write_user_labels(const struct rperf *rperf, uint32_t labels)
{
  const char *text = rtop_symbols_get(rperf->job->symbols, labels)->label;
  size_t bytes = labels ? strlen(text) : 0, at = 0;
  struct rtop_label_buffer label;
  char before[sizeof label.key] = "";
  while (rtop_label_text_next(text, bytes, &at, &label)) {
    if (*label.key != '%' && strcmp(label.key, before) > 0)
      export_json_key_text(rperf->job->out, false, label.key, label.value);
    if (strcmp(label.key, before) > 0) memcpy(before, label.key, sizeof before);
  }
}

static void rperf_write_set(const struct rperf *rperf, const struct rperf_who *who)
{
  static const char *const labels[RTOP_STATES][2] = {
    [RTOP_STATE_WAITING] = { "%GVL", "wait" },
    [RTOP_STATE_BLOCKED] = { "%GVL", "blocked" },
    [RTOP_STATE_MARKING] = { "%GC", "mark" },
    [RTOP_STATE_SWEEPING] = { "%GC", "sweep" },
  };
  const struct rtop_export *given = rperf->job->given;
  const struct rtop_thread_row *thread = &rperf->job->sum.threads[who->thread_index];
  FILE *out = rperf->job->out;
  char text[40];
  fputs(",\n{", out);
  snprintf(text, sizeof text, "thread %" PRIu64, thread->serial);
  export_json_key_text(out, true, "%thread", *thread->name ? thread->name : text);
  if (labels[who->state][0]) export_json_key_text(out, false, labels[who->state][0], labels[who->state][1]);
  if (given->pid_count > 1 && thread->source < (uint32_t)given->pid_count) {
    snprintf(text, sizeof text, "%d", (int)given->pids[thread->source]);
    export_json_key_text(out, false, "%pid", text);
  }
  rperf_write_user_labels(rperf, who->labels);
  fputc('}', out);
}

static void rperf_write_sets(const struct rperf *rperf)
{
  fputs("],\n\"label_sets\":[{}", rperf->job->out);
  for (const struct rperf_labels *set = rperf->oldest; set; set = set->after) rperf_write_set(rperf, &set->who);
  fputs("]}\n", rperf->job->out);
}

static void rperf_free_sets(struct rperf *rperf)
{
  HASH_CLEAR(hh, rperf->sets);
  for (struct rperf_labels *set = rperf->oldest, *after; set; set = after) {
    after = set->after;
    free(set);
  }
}

static void rperf_meta(const struct export_job *job, const char *mode)
{
  char created[40] = "";
  time_t seconds = (time_t)((job->sum.span.end_ns + job->given->clock_offset_ns) / 1000000000);
  struct tm utc;
  if (gmtime_r(&seconds, &utc)) strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
  fputs("{\"meta\":{\"format_version\":1", job->out);
  export_json_key_text(job->out, false, "created_at", created);
  export_json_key_text(job->out, false, "ruby_version", job->given->ruby);
  export_json_key_text(job->out, false, "rperf_version", RPERF_VERSION);
  export_json_key_text(job->out, false, "mode", mode);
  export_json_key_text(job->out, false, "counted", job->options.mode == RTOP_MODE_BUSY ? "busy" : mode);
  export_json_key_text(job->out, false, "exporter", "rperf-top " RPERF_TOP_VERSION);
  export_json_key_text(job->out, false, "command", job->given->command);
  fputs("},\n", job->out);
}

static bool rperf_top_methods(const struct export_job *job)
{
  struct export_table table = { 0 };
  bool fine = export_table_build(&table, job, RTOP_SORT_SELF);
  for (size_t i = 0; fine && i < table.count && i < RPERF_TOP_METHODS; i++) {
    const struct rtop_method_row *row = &table.methods[i].now;
    fputs(i ? ",\n{" : "\n{", job->out);
    export_json_key_text(job->out, true, "name", rtop_symbols_get(job->symbols, row->frame)->label);
    fprintf(job->out, ",\"self_pct\":%.1f,\"total_pct\":%.1f}", 100 * (double)row->self_ns / table.now_ns,
            100 * (double)row->total_ns / table.now_ns);
  }
  export_table_destroy(&table);
  return fine;
}

static bool rperf_summary(const struct export_job *job)
{
  const struct rtop_span_counters *counters = &job->sum.counters;
  const uint64_t *wall_ns = job->sum.total.wall_ns;
  double gc_ms = (double)(wall_ns[RTOP_STATE_MARKING] + wall_ns[RTOP_STATE_SWEEPING]) / 1e6;
  fprintf(job->out,
          "\"summary\":{\"total_ms\":%.1f,\"cpu_ms\":%.1f,\"gc_count_minor\":%" PRIu64 ",\"gc_count_major\":%" PRIu64
          ",\"gc_ms\":%.1f,\"allocated_objects\":%" PRIu64,
          (double)job->sum.length_ns / 1e6, (double)counters->cpu_ns / 1e6, counters->gc_minor, counters->gc_major,
          gc_ms, counters->allocations);
  if (counters->rss_bytes) fprintf(job->out, ",\"maxrss_mb\":%" PRIu64, counters->rss_bytes >> 20);
  fprintf(job->out, ",\"samples\":%" PRIu64 ",\"top_methods\":[", counters->samples);
  bool fine = rperf_top_methods(job);
  fputs("]},\n", job->out);
  return fine;
}

static void rperf_counters(const struct export_job *job, const char *mode)
{
  const struct rtop_sum *sum = &job->sum;
  const struct rtop_span_counters *counters = &sum->counters;
  size_t threads = 0;
  for (size_t i = 0; i < sum->thread_count; i++) threads += rtop_cost_wall(&sum->threads[i].cost) > 0;
  export_json_key_text(job->out, true, "mode", mode);
  export_json_key_text(job->out, false, "rperf_version", RPERF_VERSION);
  fprintf(job->out,
          ",\"pid\":%d,\"frequency\":%" PRIu64 ",\"trigger_count\":%" PRIu64 ",\"sampling_count\":%" PRIu64
          ",\"sampling_time_ns\":%" PRIu64 ",\"dropped_samples\":%" PRIu64
          ",\"detected_thread_count\":%zu,\"start_time_ns\":%" PRId64 ",\"duration_ns\":%" PRIu64
          ",\n\"aggregated_samples\":[",
          job->given->pid_count ? (int)job->given->pids[0] : 0, counters->rate_hz, counters->ticks, counters->samples,
          counters->cost_ns, counters->samples_dropped, threads, sum->span.start_ns + job->given->clock_offset_ns,
          sum->length_ns);
}

bool export_rperf(struct export_job *job)
{
  const char *mode = job->options.mode == RTOP_MODE_CPU ? "cpu" : "wall";
  size_t frames = rtop_symbols_frame_count(job->symbols);
  struct rperf rperf = { .job = job, .first = true, .frames = calloc(frames, sizeof *rperf.frames) };
  bool fine = rperf.frames != NULL;
  rperf.newest = &rperf.oldest;
  if (fine) {
    rperf_meta(job, mode);
    fine = rperf_summary(job);
    rperf_counters(job, mode);
    fine = fine && export_walk(job, &job->sum, rperf_stack, &rperf);
    rperf_write_sets(&rperf);
  }
  rperf_free_sets(&rperf);
  for (size_t i = 0; rperf.frames && i < frames; i++) free(rperf.frames[i]);
  free(rperf.frames);
  return fine;
}
