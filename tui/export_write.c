#include "export.h"

#include "text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EXPORT_ROWS = 50, EXPORT_NAME_COLUMNS = 48, EXPORT_TEXT = 4200 };

struct collapsed {
  struct rtop_symbols *symbols;
  uint32_t *merged;                    /* by node: the same stack without lines; 0: not known yet */
  uint64_t *weight_ns;                 /* by merged node */
  uint32_t node_count;                 /* before merging */
  uint32_t path[65536];
};

/* The node of the same frames with line 0. Ancestors have smaller ids: what is missing is found by going
 * up once, and made on the way down. */
static uint32_t collapsed_merge(struct collapsed *work, uint32_t node)
{
  size_t depth = 0;
  for (; node != 0 && !work->merged[node] && depth < sizeof work->path / sizeof work->path[0];
       node = rtop_symbols_get_node(work->symbols, node)->parent)
    work->path[depth++] = node;
  uint32_t merged = node ? work->merged[node] : 0;
  while (depth > 0) {
    uint32_t at = work->path[--depth];
    merged = rtop_symbols_node(work->symbols, merged, rtop_symbols_get_node(work->symbols, at)->frame, 0);
    work->merged[at] = merged;
  }
  return merged;
}

/* ';' parts frames and the last blank parts the number: the first is replaced, the second may stay. */
static void collapsed_label(const char *label, FILE *out)
{
  for (; *label; label++)
    fputc(*label == ';' ? ':' : *label, out);
}

static void collapsed_line(struct collapsed *work, uint32_t node, uint64_t microseconds, FILE *out)
{
  size_t depth = 0;
  for (uint32_t at = node; at != 0; at = rtop_symbols_get_node(work->symbols, at)->parent)
    work->path[depth++] = rtop_symbols_get_node(work->symbols, at)->frame;
  if (depth == 0)
    work->path[depth++] = 0;
  while (depth > 0) {
    collapsed_label(rtop_symbols_get(work->symbols, work->path[--depth])->label, out);
    if (depth)
      fputc(';', out);
  }
  fprintf(out, " %" PRIu64 "\n", microseconds);
}

static bool collapsed_weigh(struct collapsed *work, const struct rtop_sum *sum, enum rtop_mode mode)
{
  work->merged = calloc(work->node_count, sizeof *work->merged);
  for (size_t i = 0; work->merged && i < sum->cell_count; i++)
    collapsed_merge(work, sum->cells[i].node < work->node_count ? sum->cells[i].node : 0);
  work->weight_ns = calloc(rtop_symbols_node_count(work->symbols), sizeof *work->weight_ns);
  if (!work->merged || !work->weight_ns)
    return false;
  for (size_t i = 0; i < sum->cell_count; i++) {
    const struct rtop_sum_cell *cell = &sum->cells[i];
    uint32_t node = cell->node < work->node_count ? work->merged[cell->node] : 0;
    work->weight_ns[node] += mode == RTOP_MODE_CPU ? cell->cost.cpu_ns : rtop_cost_wall(&cell->cost);
  }
  return true;
}

void rtop_export_collapsed(struct rtop_symbols *symbols, const struct rtop_sum *sum, enum rtop_mode mode,
                           FILE *out)
{
  struct collapsed *work = calloc(1, sizeof *work);
  if (!work)
    return;
  work->symbols = symbols;
  work->node_count = rtop_symbols_node_count(symbols);
  if (collapsed_weigh(work, sum, mode)) {
    uint32_t count = rtop_symbols_node_count(symbols);
    for (uint32_t node = 0; node < count; node++) {
      uint64_t microseconds = (work->weight_ns[node] + 500) / 1000;
      if (microseconds)
        collapsed_line(work, node, microseconds, out);
    }
  }
  free(work->merged);
  free(work->weight_ns);
  free(work);
}

static void text_row(const struct rtop_report *report, const struct rtop_method_row *row, double all_ns,
                     FILE *out)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(report->symbols, row->frame);
  char name[EXPORT_TEXT], location[EXPORT_TEXT * 2];
  int used = rtop_text_cut(name, sizeof name, symbol->label, EXPORT_NAME_COLUMNS);
  rtop_report_location(location, sizeof location, symbol, 0, true);
  fprintf(out, "%9.3f %5.1f%% %9.3f %5.1f%% %9.3f %9.3f %9.3f  %s%*s  %s\n", (double)row->self_ns / 1e9,
          100 * (double)row->self_ns / all_ns, (double)row->total_ns / 1e9,
          100 * (double)row->total_ns / all_ns, (double)row->self.cpu_ns / 1e9,
          (double)row->self.wall_ns[RTOP_STATE_WAITING] / 1e9,
          (double)row->self.wall_ns[RTOP_STATE_BLOCKED] / 1e9, name, EXPORT_NAME_COLUMNS - used, "",
          location);
}

static bool text_table(struct rtop_report *report, enum rtop_sort_key sort, const char *title, FILE *out)
{
  struct rtop_methods_options options = *report->options;
  options.sort = sort;
  options.reverse = false;
  if (!rtop_methods_build(&report->methods, &report->sum, report->symbols, &options))
    return false;
  const struct rtop_cost *total = &report->sum.total;
  uint64_t all = options.mode == RTOP_MODE_CPU ? total->cpu_ns : rtop_cost_wall(total);
  size_t count = report->methods.count < EXPORT_ROWS ? report->methods.count : EXPORT_ROWS;
  fprintf(out, "\n%s: %zu of %zu methods\n", title, count, report->methods.count);
  fprintf(out, "%9s %6s %9s %6s %9s %9s %9s  %-*s  %s\n", "SELF s", "SELF", "TOTAL s", "TOTAL", "CPU s",
          "WAIT s", "BLOCKED s", EXPORT_NAME_COLUMNS, "METHOD", "LOCATION");
  for (size_t i = 0; i < count; i++)
    text_row(report, &report->methods.rows[i], all ? (double)all : 1, out);
  return true;
}

static void text_header(const struct rtop_report *report, FILE *out)
{
  const struct rtop_sum *sum = &report->sum;
  const struct rtop_span_counters *counters = &sum->counters;
  const uint64_t *wall_ns = sum->total.wall_ns;
  char clock[40] = "";
  time_t seconds = (time_t)((sum->span.end_ns + report->clock_offset_ns) / 1000000000);
  struct tm local;
  if (localtime_r(&seconds, &local))
    strftime(clock, sizeof clock, "%Y-%m-%d %H:%M:%S", &local);
  fprintf(out, "rperf-top profile of process %d: %s\n",
          report->source_count ? (int)report->source_pids[0] : 0, report->command);
  fprintf(out, "ruby %s, %.3f s up to %s, %u gaps, %" PRIu64 " samples, %" PRIu64 " dropped\n",
          report->ruby, (double)sum->length_ns / 1e9, clock, sum->gap_count, counters->samples,
          counters->samples_dropped);
  fprintf(out, "thread-seconds: %.3f running, %.3f waiting for the GVL, %.3f blocked, %.3f marking,"
          " %.3f sweeping\n", (double)wall_ns[RTOP_STATE_RUNNING] / 1e9,
          (double)wall_ns[RTOP_STATE_WAITING] / 1e9, (double)wall_ns[RTOP_STATE_BLOCKED] / 1e9,
          (double)wall_ns[RTOP_STATE_MARKING] / 1e9, (double)wall_ns[RTOP_STATE_SWEEPING] / 1e9);
  fprintf(out, "GC: %" PRIu64 " minor, %" PRIu64 " major; %" PRIu64 " objects allocated; CPU %.3f s;"
          " sampling cost %.4f s\n", counters->gc_minor, counters->gc_major, counters->allocations,
          (double)counters->cpu_ns / 1e9, (double)counters->cost_ns / 1e9);
  fprintf(out, "Percentages are of all thread-seconds%s.\n",
          report->options->mode == RTOP_MODE_CPU ? " of CPU" : "");
}

bool rtop_export_text(struct rtop_report *report, FILE *out)
{
  text_header(report, out);
  return text_table(report, RTOP_SORT_SELF, "Flat, by self", out) &&
         text_table(report, RTOP_SORT_TOTAL, "Cumulative, by total", out);
}
