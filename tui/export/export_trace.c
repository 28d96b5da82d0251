/* SPDX-License-Identifier: MIT */
/* A timeline in Chrome's trace event format, for Perfetto. */
#include "export_impl.h"

#include "export_slices.h"
#include "tui/report/report.h"
#include "shm/base/version.h"
#include "tui/methods/states.h"
#include "tui/text/reserve.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Chrome's trace events, which Perfetto (https://ui.perfetto.dev), chrome://tracing and speedscope open: counters for
 * every window, slices for every thread (export_slices.h), marks and gaps. Preferred to the Firefox profiler's
 * format, because any counter can have its own track and the format does not change between versions. Times are
 * microseconds since the start of the span. */

enum { TRACE_MARKS_MAX = 65536, TRACE_LOCATION = 4200 };

struct trace {
  struct export_job *job;
  int64_t start_ns;
  uint32_t *tids; /* by row of the sum */
  bool first;
};

/* Converts to whole microseconds, since readers add times as doubles, and the end of a slice must equal the start
   of the next. */
static int64_t trace_us(const struct trace *trace, int64_t time_ns)
{
  return time_ns > trace->start_ns ? (time_ns - trace->start_ns) / 1000 : 0;
}

static FILE *trace_event(struct trace *trace, const char *phase, int pid, uint32_t tid, int64_t time_ns)
{
  FILE *out = trace->job->out;
  fprintf(out, "%s{\"ph\":\"%s\",\"pid\":%d,\"tid\":%" PRIu32 ",\"ts\":%" PRId64, trace->first ? "" : ",\n", phase, pid,
          tid, trace_us(trace, time_ns));
  trace->first = false;
  return out;
}

static int trace_pid(const struct trace *trace, uint32_t source)
{
  const struct rtop_export *given = trace->job->given;
  return source < (uint32_t)given->pid_count ? (int)given->pids[source] : 0;
}

static void trace_duration(const struct trace *trace, int64_t start_ns, int64_t end_ns)
{
  fprintf(trace->job->out, ",\"dur\":%" PRId64, trace_us(trace, end_ns) - trace_us(trace, start_ns));
}

static void trace_meta(struct trace *trace, const char *what, int pid, uint32_t tid, const char *name)
{
  FILE *out = trace_event(trace, "M", pid, tid, trace->start_ns);
  export_json_key_text(out, false, "name", what);
  fputs(",\"args\":{", out);
  export_json_key_text(out, true, "name", name);
  fputs("}}", out);
}

/* Numbers the threads: by the native id if it is unique, to help people; else by an unused number. */
static void trace_number_threads(struct trace *trace)
{
  const struct rtop_sum *sum = &trace->job->sum;
  for (size_t i = 0; i < sum->thread_count; i++) {
    uint32_t tid = sum->threads[i].native_id;
    bool taken = tid == 0;
    for (size_t k = i < 256 ? 0 : i - 256; k < i && !taken; k++) taken = trace->tids[k] == tid;
    trace->tids[i] = taken ? (UINT32_C(1) << 23) + (uint32_t)i : tid;
  }
}

static void trace_names(struct trace *trace)
{
  const struct export_job *job = trace->job;
  for (int i = 0; i < job->given->pid_count; i++)
    trace_meta(trace, "process_name", (int)job->given->pids[i], 0, i ? "ruby" : job->given->command);
  for (size_t i = 0; i < job->sum.thread_count; i++) {
    const struct rtop_thread_row *thread = &job->sum.threads[i];
    char name[600];
    if (rtop_cost_wall(&thread->cost) == 0) continue;
    snprintf(name, sizeof name, "%.500s%s#%" PRIu64, thread->name, *thread->name ? " " : "", thread->serial);
    trace_meta(trace, "thread_name", trace_pid(trace, thread->source), trace->tids[i], name);
  }
}

struct trace_figure {
  const char *name;
  double value;
};

static void trace_counter(struct trace *trace, const struct rtop_window_summary *window, const char *name,
                          const struct trace_figure *figures, size_t count)
{
  FILE *out = trace_event(trace, "C", trace_pid(trace, 0), 0, window->start_ns);
  export_json_key_text(out, false, "name", name);
  fputs(",\"args\":{", out);
  for (size_t i = 0; i < count; i++)
    fprintf(out, "%s\"%s\":%.6g", i ? "," : "", figures[i].name, window->gap ? 0 : figures[i].value);
  fputs("}}", out);
}

#define TRACE_COUNTER(trace, window, name, ...)                                                                        \
  trace_counter(trace, window, name, (const struct trace_figure[]){ __VA_ARGS__ },                                     \
                sizeof((const struct trace_figure[]){ __VA_ARGS__ }) / sizeof(struct trace_figure))

static void trace_gap(struct trace *trace, const struct rtop_window_summary *window)
{
  FILE *out = trace_event(trace, "X", trace_pid(trace, 0), 0, window->start_ns);
  trace_duration(trace, window->start_ns, window->end_ns);
  fputs(",\"name\":\"gap: nothing is known\"}", out);
}

static void trace_window(struct trace *trace, const struct rtop_window_summary *window)
{
  const struct rtop_span_counters *counters = &window->counters;
  const uint64_t *wall_ns = window->wall_ns;
  double length_ns = (double)(window->end_ns - window->start_ns), seconds = length_ns / 1e9;
  if (length_ns <= 0) return;
  if (window->gap) trace_gap(trace, window);
  TRACE_COUNTER(trace, window, "GVL, threads",
                { state_key(RTOP_STATE_RUNNING), (double)wall_ns[RTOP_STATE_RUNNING] / length_ns },
                { state_key(RTOP_STATE_WAITING), (double)wall_ns[RTOP_STATE_WAITING] / length_ns },
                { state_key(RTOP_STATE_BLOCKED), (double)wall_ns[RTOP_STATE_BLOCKED] / length_ns });
  TRACE_COUNTER(trace, window, "GC, threads",
                { state_key(RTOP_STATE_MARKING), (double)wall_ns[RTOP_STATE_MARKING] / length_ns },
                { state_key(RTOP_STATE_SWEEPING), (double)wall_ns[RTOP_STATE_SWEEPING] / length_ns });
  TRACE_COUNTER(trace, window, "GC runs", { "minor", (double)counters->gc_minor },
                { "major", (double)counters->gc_major });
  TRACE_COUNTER(trace, window, "CPU, cores", { "cpu", (double)counters->cpu_ns / length_ns });
  TRACE_COUNTER(trace, window, "allocations, per second", { "objects", (double)counters->allocations / seconds });
  TRACE_COUNTER(trace, window, "exceptions, per second", { "raised", (double)counters->exceptions / seconds });
  TRACE_COUNTER(trace, window, "memory, MB", { "rss", (double)counters->rss_bytes / 1e6 },
                { "malloc", (double)counters->malloc_bytes / 1e6 });
  TRACE_COUNTER(trace, window, "heap, live slots", { "slots", (double)counters->heap_live_slots });
  TRACE_COUNTER(trace, window, "threads", { "alive", (double)window->thread_count });
}

static void trace_slice(void *context, const struct export_slice *slice)
{
  struct trace *trace = context;
  const struct rtop_symbol *symbol = rtop_symbols_get(trace->job->symbols, slice->frame);
  size_t row = (size_t)(slice->thread - trace->job->sum.threads);
  FILE *out = trace_event(trace, "X", trace_pid(trace, slice->thread->source), trace->tids[row], slice->start_ns);
  trace_duration(trace, slice->start_ns, slice->end_ns);
  export_json_key_text(out, false, "name", slice->depth ? symbol->label : state_name(slice->state));
  if (slice->depth == 0) {
    for (int i = 0; i < RTOP_STATES; i++)
      fprintf(out, "%s\"%s_ms\":%.6f", i ? "," : ",\"args\":{", state_key((enum rtop_state)i),
              (double)slice->cost.wall_ns[i] / 1e6);
    fprintf(out, ",\"cpu_ms\":%.6f}}", (double)slice->cost.cpu_ns / 1e6);
    return;
  }
  char location[TRACE_LOCATION * 2];
  rtop_report_location(location, sizeof location, symbol, 0, true);
  if (*location) {
    fputs(",\"args\":{", out);
    export_json_key_text(out, true, "at", location);
    fputs("}", out);
  }
  fputs("}", out);
}

static bool trace_marks(struct trace *trace)
{
  struct rtop_profile_mark *marks = calloc(TRACE_MARKS_MAX, sizeof *marks);
  size_t count =
      marks ? rtop_profile_marks(trace->job->given->profile, trace->job->sum.span, marks, TRACE_MARKS_MAX) : 0;
  for (size_t i = 0; i < count; i++) {
    FILE *out = trace_event(trace, "i", trace_pid(trace, marks[i].source), 0, marks[i].time_ns);
    export_json_key_text(out, false, "name", *marks[i].name ? marks[i].name : "mark");
    fputs(",\"s\":\"p\"}", out);
  }
  free(marks);
  return marks != NULL;
}

static void trace_head(const struct trace *trace)
{
  const struct rtop_export *given = trace->job->given;
  FILE *out = trace->job->out;
  int64_t real_ns = trace->start_ns + given->clock_offset_ns;
  fputs("{\"displayTimeUnit\":\"ms\",\"otherData\":{", out);
  export_json_key_text(out, true, "program", "rperf-top " RPERF_TOP_VERSION);
  export_json_key_text(out, false, "command", given->command);
  export_json_key_text(out, false, "ruby", given->ruby);
  fprintf(out, ",\"start\":\"%" PRId64 ".%09d\"},\n\"traceEvents\":[\n", real_ns / 1000000000,
          (int)(real_ns % 1000000000));
}

bool export_trace(struct export_job *job)
{
  struct trace trace = { .job = job, .start_ns = job->sum.span.start_ns, .first = true };
  size_t count = 0;
  struct rtop_window_summary *windows = export_windows(job, &count);
  trace.tids = calloc(job->sum.thread_count + 1, sizeof *trace.tids);
  bool fine = windows && trace.tids;
  if (fine) {
    trace_number_threads(&trace);
    trace_head(&trace);
    trace_names(&trace);
    for (size_t i = 0; i < count; i++) trace_window(&trace, &windows[i]);
    fine = export_slices(job, windows, count, trace_slice, &trace) && trace_marks(&trace);
    fputs("\n]}\n", job->out);
  }
  free(windows);
  free(trace.tids);
  return fine;
}
