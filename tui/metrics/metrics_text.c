/* SPDX-License-Identifier: MIT */
/* Writes the page of metrics.def. */
#include "metrics_text.h"

#include "metrics.h"
#include "metrics_work.h"
#include "shm/base/clock.h"
#include "shm/base/version.h"
#include "tui/methods/states.h"
#include "tui/methods/work_figures.h"
#include <stdlib.h>
#include <string.h>

enum family_id {
#define FAMILY(id, ...) FAMILY_##id,
#define VALUE(...)
#include "metrics.def"
  FAMILIES
};

enum family_type { COUNTER, GAUGE, HISTOGRAM };
static const struct family {
  const char *name, *unit, *help;
  enum family_type type;
} families[] = {
#define FAMILY(id, name, type, unit, help) { name, unit, help, type },
#define VALUE(...)
#include "metrics.def"
};

enum value_kind { SECONDS, PLAIN };
static const struct value {
  enum family_id family;
  enum value_kind kind;
  int count;
  const char *labels;
} values[] = {
#define FAMILY(...)
#define VALUE(family, count, labels, kind) { FAMILY_##family, kind, count, labels },
#include "metrics.def"
};

struct page {
  const struct metrics *metrics;
  enum metrics_format format;
  FILE *out;
};

void metrics_quote(FILE *out, const char *text)
{
  putc('"', out);
  for (; *text; text++) {
    if (*text == '\\' || *text == '"') putc('\\', out);
    if (*text == '\n') fputs("\\n", out);
    else putc(*text, out);
  }
  putc('"', out);
}

static void page_seconds(const struct page *page, uint64_t ns)
{
  fprintf(page->out, " %llu.%09llu\n", (unsigned long long)(ns / 1000000000), (unsigned long long)(ns % 1000000000));
}

static void page_number(const struct page *page, uint64_t number)
{
  fprintf(page->out, " %llu\n", (unsigned long long)number);
}

static void page_value(const struct page *page, enum value_kind kind, uint64_t value)
{
  if (kind == SECONDS) page_seconds(page, value);
  else page_number(page, value);
}

static const char *family_suffix(const struct family *family)
{
  return family->type == COUNTER ? "_total" : "";
}

static void page_name(const struct page *page, const struct family *family)
{
  fprintf(page->out, "rperf_top_%s%s", family->name, family_suffix(family));
}

/* Writes the head of a family. In the older format, which has no families, the type belongs to the series. */
static void page_head(const struct page *page, const struct family *family)
{
  static const char *const types[] = { [COUNTER] = "counter", [GAUGE] = "gauge", [HISTOGRAM] = "histogram" };
  const char *suffix = page->format == METRICS_PLAIN ? family_suffix(family) : "";
  fprintf(page->out, "# HELP rperf_top_%s%s %s\n", family->name, suffix, family->help);
  fprintf(page->out, "# TYPE rperf_top_%s%s %s\n", family->name, suffix, types[family->type]);
  if (*family->unit && page->format == METRICS_OPEN)
    fprintf(page->out, "# UNIT rperf_top_%s %s\n", family->name, family->unit);
}

static void page_top(const struct page *page, const struct family *family, const struct metrics_process *process,
                     const struct metrics_top *top, int figure, const char *const names[2])
{
  enum value_kind kind = figure == METRICS_NAMED_RUNS ? PLAIN : SECONDS;
  for (const struct metrics_item *item = NULL; (item = metrics_top_next(top, item));) {
    page_name(page, family);
    fprintf(page->out, "{%s,%s=", process->labels, names[0]);
    metrics_quote(page->out, item->first);
    fprintf(page->out, ",%s=", names[1]);
    metrics_quote(page->out, item->second);
    putc('}', page->out);
    page_value(page, kind, metrics_item_value(item, figure));
  }
  page_name(page, family);
  fprintf(page->out, "{%s,%s=\"" METRICS_OTHER "\",%s=\"\"}", process->labels, names[0], names[1]);
  page_value(page, kind, top->other[figure]);
}

/* Writes the labels of a series, without the closing brace; NULL: of the names without a series. */
static void page_label(const struct page *page, const struct metrics_process *process, const struct metrics_item *item)
{
  fprintf(page->out, "{%s,key=", process->labels);
  metrics_quote(page->out, item ? item->first : METRICS_OTHER);
  fputs(",value=", page->out);
  metrics_quote(page->out, item ? item->second : "");
}

static void page_latency(const struct page *page, const struct family *family, const struct metrics_process *process,
                         const struct metrics_item *item)
{
  const struct metrics_top *top = &process->named;
  uint64_t count = 0;
  for (int i = 0; i < METRICS_BUCKETS; i++) {
    count += metrics_top_value(top, item, METRICS_NAMED_BUCKETS + i);
    fprintf(page->out, "rperf_top_%s_bucket", family->name);
    page_label(page, process, item);
    fprintf(page->out, ",le=\"%s\"}", metrics_bucket_bound(i));
    page_number(page, count);
  }
  fprintf(page->out, "rperf_top_%s_sum", family->name);
  page_label(page, process, item);
  putc('}', page->out);
  page_seconds(page, metrics_top_value(top, item, METRICS_NAMED_LATENCY));
  fprintf(page->out, "rperf_top_%s_count", family->name);
  page_label(page, process, item);
  putc('}', page->out);
  page_number(page, count);
}

static void page_causes(const struct page *page, const struct family *family, const struct metrics_process *process,
                        const struct metrics_item *item)
{
  for (enum rtop_work_cause cause = RTOP_WORK_RUNNING; cause < RTOP_WORK_CAUSES; cause++) {
    page_name(page, family);
    page_label(page, process, item);
    fprintf(page->out, ",cause=\"%s\"}", work_cause_name(cause));
    page_seconds(page, metrics_top_value(&process->named, item, metrics_named_time(cause)));
  }
}

static void page_open(const struct page *page, const struct family *family, const struct metrics_process *process,
                      const struct metrics_item *item)
{
  const struct metrics_open *open = item ? &item->open : &process->named.other_open;
  page_name(page, family);
  page_label(page, process, item);
  putc('}', page->out);
  if (family == &families[FAMILY_LABEL_OPEN]) page_number(page, open->count);
  else page_seconds(page, open->oldest_ns);
}

/* Writes a family of labelled work; a process without such work has no series. */
static void page_work(const struct page *page, const struct family *family, const struct metrics_process *process,
                      void (*write)(const struct page *page, const struct family *family,
                                    const struct metrics_process *process, const struct metrics_item *item))
{
  const struct metrics_top *top = &process->named;
  for (const struct metrics_item *item = NULL; (item = metrics_top_next(top, item));)
    if (item->worked) write(page, family, process, item);
  if (top->worked) write(page, family, process, NULL);
}

static void page_gauge(const struct page *page, const struct family *family, const struct metrics_process *process,
                       uint64_t value)
{
  if (value == 0) return;
  page_name(page, family);
  fprintf(page->out, "{%s}", process->labels);
  page_number(page, value);
}

static void page_threads(const struct page *page, const struct family *family, const struct metrics_process *process)
{
  for (int state = 0; state < RTOP_STATES; state++) {
    page_name(page, family);
    fprintf(page->out, "{%s,state=\"%s\"}", process->labels, state_key((enum rtop_state)state));
    page_number(page, process->threads[state]);
  }
}

static void page_process(const struct page *page, enum family_id id, const struct metrics_process *process)
{
  static const char *const methods[2] = { "method", "path" }, *const labels[2] = { "key", "value" };
  const struct family *family = &families[id];
  switch (id) {
  case FAMILY_PROCESS_INFO:
    page_name(page, family);
    fprintf(page->out, "{%s%s} 1\n", process->labels, process->about);
    break;
  case FAMILY_PROCESS_UP:
    page_name(page, family);
    fprintf(page->out, "{%s} %d\n", process->labels, process->up);
    break;
  case FAMILY_THREADS: page_threads(page, family, process); break;
  case FAMILY_RESIDENT: page_gauge(page, family, process, process->rss_bytes); break;
  case FAMILY_HEAP: page_gauge(page, family, process, process->heap_live_slots); break;
  case FAMILY_METHOD_BUSY: page_top(page, family, process, &process->methods, 0, methods); break;
  case FAMILY_LABEL_BUSY: page_top(page, family, process, &process->named, METRICS_NAMED_BUSY, labels); break;
  case FAMILY_LABEL_RUNS: page_top(page, family, process, &process->named, METRICS_NAMED_RUNS, labels); break;
  case FAMILY_LABEL_LATENCY: page_work(page, family, process, page_latency); break;
  case FAMILY_LABEL_TIME: page_work(page, family, process, page_causes); break;
  case FAMILY_LABEL_OPEN:
  case FAMILY_LABEL_OLDEST: page_work(page, family, process, page_open); break;
  default: break;
  }
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    if (values[i].family != id) continue;
    page_name(page, family);
    fprintf(page->out, "{%s%s}", process->labels, values[i].labels);
    page_value(page, values[i].kind, process->counts[values[i].count].told);
  }
}

static uint64_t page_processes(const struct metrics *metrics)
{
  uint64_t count = 0;
  for (uint32_t i = 0; i < RTOP_SOURCES_MAX; i++)
    count += metrics->processes[i] && !metrics->processes[i]->gone && metrics->processes[i]->up;
  return count;
}

/* False: the family is of processes. */
static bool page_agent(const struct page *page, enum family_id id)
{
  const struct metrics *metrics = page->metrics;
  if (id < FAMILY_AGENT_INFO || id >= FAMILIES) return false;
  page_name(page, &families[id]);
  switch (id) {
  case FAMILY_AGENT_INFO: fputs("{version=\"" RPERF_TOP_VERSION "\"} 1\n", page->out); break;
  case FAMILY_AGENT_PROCESSES: page_number(page, page_processes(metrics)); break;
  case FAMILY_AGENT_WITHOUT_PLACE: page_number(page, metrics->without_place); break;
  case FAMILY_AGENT_SAVES: page_number(page, metrics->saves); break;
  case FAMILY_AGENT_CPU: page_seconds(page, (uint64_t)clock_own_cpu_ns()); break;
  case FAMILY_AGENT_LATE: page_seconds(page, metrics->late_ns); break;
  case FAMILY_AGENT_SNAPSHOTS: page_number(page, metrics->snapshots); break;
  default: page_seconds(page, (uint64_t)metrics->real_ns); break;
  }
  return true;
}

const char *metrics_content_type(enum metrics_format format)
{
  return format == METRICS_OPEN ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                : "text/plain; version=0.0.4; charset=utf-8";
}

bool metrics_write(const struct metrics *metrics, enum metrics_format format, FILE *out)
{
  const struct page page = { metrics, format, out };
  for (int id = 0; id < FAMILIES; id++) {
    page_head(&page, &families[id]);
    if (page_agent(&page, (enum family_id)id)) continue;
    for (uint32_t i = 0; i < RTOP_SOURCES_MAX; i++)
      if (metrics->processes[i] && !metrics->processes[i]->gone)
        page_process(&page, (enum family_id)id, metrics->processes[i]);
  }
  if (format == METRICS_OPEN) fputs("# EOF\n", out);
  return !ferror(out);
}

char *metrics_page(const struct metrics *metrics, enum metrics_format format, size_t *bytes)
{
  char *text = NULL;
  FILE *out = open_memstream(&text, bytes);
  if (!out) return NULL;
  bool fine = metrics_write(metrics, format, out);
  if (fclose(out) == 0 && fine) return text;
  free(text);
  return NULL;
}
