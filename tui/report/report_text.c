/* SPDX-License-Identifier: MIT */
/* One refresh as text (-b). */
#include "report.h"

#include "behind_out.h"
#include "blocks_out.h"
#include "exact_out.h"
#include "locks_out.h"
#include "raised_out.h"
#include "sites_out.h"
#include "vm_missing.h"
#include "waits_out.h"
#include "whole_out.h"
#include "tui/tables/columns.h"
#include "tui/tables/order.h"
#include "tui/tables/thread_words.h"
#include "tui/text/text.h"
#include <inttypes.h>
#include <string.h>
#include <time.h>

enum { TEXT_OLD_STACKS = 3 }; /* told by name */
enum {
  TEXT_FIXED_COLUMNS = 32,
  TEXT_METHOD_MIN = 12,
  TEXT_LABEL_COLUMNS = 49,
  TEXT_FIBERS_COLUMNS = 34,
  TEXT_BUFFER = 2100
};

static double text_share(const struct rtop_report *report, uint64_t part_ns)
{
  return report->sum.length_ns ? (double)part_ns / (double)report->sum.length_ns : 0;
}

/* How many there are besides the first. */
static int text_others(const struct rtop_report *report)
{
  int others = report->gone_count - 1;
  for (int i = 0; i < report->source_count; i++) others += !report->processes[i].replaced;
  return others;
}

/* The answer first. */
static void text_verdict(const struct rtop_report *report, FILE *out, int columns)
{
  struct verdict_words words;
  rtop_report_verdict_words(report, &words, columns);
  if (*words.text) fprintf(out, "%s\n", words.text);
}

static void text_since(const struct rtop_report *report, FILE *out, int columns)
{
  char text[SINCE_MARK_TEXT], cut[SINCE_MARK_TEXT];
  since_mark_words(text, sizeof text, &report->since, report->sum.span.end_ns);
  rtop_text_cut(cut, sizeof cut, text, columns);
  if (*cut) fprintf(out, "%s\n", cut);
}

static void text_title(const struct rtop_report *report, FILE *out, int columns)
{
  char left[TEXT_BUFFER], more[16] = "", right[160], clock[16] = "", cut[TEXT_BUFFER];
  time_t seconds = (time_t)((report->sum.span.end_ns + report->clock_offset_ns) / 1000000000);
  struct tm local;
  if (localtime_r(&seconds, &local)) strftime(clock, sizeof clock, "%H:%M:%S", &local);
  char mode[96], states[64];
  rtop_states_text(report->states, states, sizeof states);
  snprintf(mode, sizeof mode, "%s%s%s", rtop_mode_name(report->options->mode), *states ? ": " : "", states);
  int others = text_others(report);
  if (others > 0) snprintf(more, sizeof more, " (+%d)", others);
  char who[RTOP_REPORT_WHO_BYTES] = "0";
  if (report->source_count) rtop_report_who(report, 0, who, sizeof who);
  snprintf(left, sizeof left, "rperf-top  %s%s %s  ruby %s", who, more, report->command, report->ruby);
  snprintf(right, sizeof right, "  %s  %s  [%s]", mode, clock, rtop_feed_state_name(report->state));
  int room = columns - (int)strlen(right);
  int used = rtop_text_cut(cut, sizeof cut, left, room > 0 ? room : 0);
  fprintf(out, "%s%*s%s\n", cut, room > used ? room - used : 0, "", right);
}

static void text_one_end(const struct rtop_feed_end *end, const char *who, FILE *out)
{
  char when[32] = "", lived[24];
  time_t seconds = (time_t)(end->real_ns / 1000000000);
  struct tm local;
  if (localtime_r(&seconds, &local)) strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &local);
  rtop_text_duration(lived, sizeof lived, end->lived_ns);
  fprintf(out, "END %s%s  last window %s, after %s\n", who, end->text, when, lived);
}

/* Writes, with several processes, a line for each that has ended, even if others are alive. */
static void text_ends(const struct rtop_report *report, FILE *out)
{
  if (report->source_count < 2 && report->has_end) text_one_end(&report->end, "", out);
  for (int i = 0; report->source_count > 1 && i < report->source_count; i++) {
    const struct rtop_report_process *process = &report->processes[i];
    char who[RTOP_REPORT_WHO_BYTES], words[RTOP_REPORT_WHO_BYTES + 1];
    rtop_report_who(report, (uint32_t)i, who, sizeof who);
    snprintf(words, sizeof words, "%s ", who);
    if (process->has_end && !process->replaced) text_one_end(&process->end, words, out);
  }
  if (report->gone_count) fprintf(out, "END %d earlier processes, not listed\n", report->gone_count);
}

/* Hosts whose processes are not in the figures, or not to their end. */
static void text_hosts(const struct rtop_report *report, FILE *out)
{
  for (int i = 0; i < report->host_count; i++) {
    const struct rtop_host_look *host = &report->hosts[i];
    if (host->state == RTOP_HOST_THERE || host->state == RTOP_HOST_OVER) continue;
    fprintf(out, "HOST %s is %s%s%s\n", host->name, rtop_host_state_name(host->state), *host->reason ? ": " : "",
            host->reason);
  }
}

static void text_gvl(const struct rtop_report *report, FILE *out)
{
  const uint64_t *wall_ns = report->sum.total.wall_ns;
  const struct rtop_span_counters *counters = &report->sum.counters;
  char length[24];
  rtop_text_duration(length, sizeof length, (int64_t)report->sum.length_ns);
  fprintf(out, "GVL held %.0f%%  %.2f running  %.2f waiting  %.2f blocked  threads on average over %s\n",
          100 * report->verdict.gvl.held, text_share(report, wall_ns[RTOP_STATE_RUNNING]),
          text_share(report, wall_ns[RTOP_STATE_WAITING]), text_share(report, wall_ns[RTOP_STATE_BLOCKED]), length);
  fprintf(out, "GC  %.1f%% marking  %.1f%% sweeping  %" PRIu64 " minor  %" PRIu64 " major",
          100 * text_share(report, wall_ns[RTOP_STATE_MARKING]), 100 * text_share(report, wall_ns[RTOP_STATE_SWEEPING]),
          counters->gc_minor, counters->gc_major);
  if (counters->exceptions) fprintf(out, "  %" PRIu64 " exceptions raised", counters->exceptions);
  putc('\n', out);
}

static void text_threads(const struct rtop_report *report, FILE *out)
{
  const struct rtop_span_counters *counters = &report->sum.counters;
  unsigned states[RTOP_STATES] = { 0 }, alive = 0;
  char memory[16];
  for (size_t i = 0; i < report->sum.thread_count; i++)
    if (!report->sum.threads[i].ended) {
      alive++;
      states[report->sum.threads[i].state]++;
    }
  rtop_text_bytes(memory, sizeof memory, counters->rss_bytes);
  fprintf(out, "Thr %u: %u running  %u waiting  %u blocked", alive,
          states[RTOP_STATE_RUNNING] + states[RTOP_STATE_MARKING] + states[RTOP_STATE_SWEEPING],
          states[RTOP_STATE_WAITING], states[RTOP_STATE_BLOCKED]);
  if (counters->fibers_waiting) fprintf(out, "  %" PRIu64 " fibers wait", counters->fibers_waiting);
  if (counters->lock_waits) fprintf(out, "  %" PRIu64 " waits for locks", counters->lock_waits);
  fprintf(out, "   %" PRIu64 " samples", counters->samples);
  if (rtop_counters_rate_is_known(counters)) fprintf(out, " at %" PRIu64 " Hz", counters->rate_hz);
  if (counters->rate_wanted_hz > counters->rate_hz) fprintf(out, " (of %" PRIu64 ": budget)", counters->rate_wanted_hz);
  if (counters->samples_dropped) fprintf(out, "  %" PRIu64 " dropped", counters->samples_dropped);
  if (counters->gvl_coarse) fprintf(out, "  storm: %" PRIu64 " GVL releases timed by ticks", counters->gvl_coarse);
  fprintf(out, "\nCost %.2f%%", 100 * text_share(report, rtop_counters_cost_ns(counters)));
  if (counters->rss_bytes) fprintf(out, "  memory %s", memory);
  if (report->sum.gap_count)
    fprintf(out, "  %u gap%s: nothing is known there", report->sum.gap_count, report->sum.gap_count == 1 ? "" : "s");
  fprintf(out, "\n");
  char missing[VM_MISSING_BYTES];
  if (vm_missing_words(counters, missing)) fprintf(out, "Not available on this Ruby: %s\n", missing);
}

/* Writes threads whose stacks are out of date, running threads first; nothing if there are none. */
static void text_old_stacks(const struct rtop_report *report, FILE *out, int columns)
{
  unsigned count = 0, told = 0;
  for (size_t i = 0; i < report->sum.thread_count; i++) count += thread_stack_is_old(&report->sum.threads[i]);
  for (int off = 0; off < 2; off++)
    for (size_t i = 0; i < report->sum.thread_count && told < TEXT_OLD_STACKS; i++) {
      const struct rtop_thread_row *thread = &report->sum.threads[i];
      char leaf[TEXT_BUFFER], line[TEXT_BUFFER * 2], cut[TEXT_BUFFER * 2];
      bool is_off = thread->state == RTOP_STATE_BLOCKED || thread->state == RTOP_STATE_WAITING;
      if (!thread_stack_is_old(thread) || is_off != (off == 1)) continue;
      told++;
      thread_stack_leaf(leaf, sizeof leaf, thread, report->symbols, false);
      snprintf(line, sizeof line, "Old %s (%u): %s", *thread->name ? thread->name : "-", thread->native_id, leaf);
      rtop_text_cut(cut, sizeof cut, line, columns);
      fprintf(out, "%s\n", cut);
    }
  if (count > told) fprintf(out, "Old stacks of %u more thread%s\n", count - told, count - told == 1 ? "" : "s");
}

/* Writes losses; dropped samples are those of the frame. */
static void text_losses(const struct rtop_report *report, FILE *out)
{
  bool any = false;
  for (int loss = 0; loss < RTOP_LOSSES; loss++) {
    if (!report->losses[loss] || loss == RTOP_LOSS_SAMPLES) continue;
    fprintf(out, "%s%" PRIu64 " %s", any ? ", " : "No room since the start for: ", report->losses[loss],
            rtop_loss_name((enum rtop_loss)loss));
    any = true;
  }
  if (any) fprintf(out, "\n");
}

/* Extra columns: DELTA in a comparison, and the sort figure if no other column shows it. */
struct text_extra {
  int count, columns;
  enum rtop_sort_key at[2];
};

static struct text_extra text_extras(const struct rtop_report *report)
{
  struct text_extra extra = { 0 };
  enum rtop_sort_key sort = report->options->sort;
  bool usual = sort == RTOP_SORT_SELF || sort == RTOP_SORT_TOTAL || sort == RTOP_SORT_WAITING ||
               sort == RTOP_SORT_ALLOC || sort == RTOP_SORT_NAME || sort == RTOP_SORT_LOCATION;
  if (report->compared || sort == RTOP_SORT_DELTA) extra.at[extra.count++] = RTOP_SORT_DELTA;
  if (!usual && sort != RTOP_SORT_DELTA) extra.at[extra.count++] = sort;
  for (int i = 0; i < extra.count; i++) extra.columns += columns_info(extra.at[i])->columns;
  return extra;
}

static void text_heading(const struct rtop_report *report, const struct text_extra *extra, FILE *out,
                         int method_columns)
{
  enum rtop_sort_key sort = report->options->sort;
  char mark = report->options->reverse ? '^' : 'v';
  fprintf(out, "%7s%c%7s%c%6s%c%7s%c", "SELF%", sort == RTOP_SORT_SELF ? mark : ' ', "TOTAL%",
          sort == RTOP_SORT_TOTAL ? mark : ' ', "WAIT%", sort == RTOP_SORT_WAITING ? mark : ' ', "ALLOC/s",
          sort == RTOP_SORT_ALLOC ? mark : ' ');
  for (int i = 0; i < extra->count; i++) {
    const struct column_info *info = columns_info(extra->at[i]);
    const char *title = extra->at[i] == RTOP_SORT_HISTORY ? "PEAK%" : info->title;
    fprintf(out, "%*s%c", info->columns - 1, title, extra->at[i] == sort ? mark : ' ');
  }
  fprintf(out, " %-*s %s\n", method_columns, "METHOD", "LOCATION");
}

static void text_extra(const struct rtop_report *report, const struct rtop_method_row *row, enum rtop_sort_key column,
                       char *out, size_t bytes)
{
  const struct column_info *info = columns_info(column);
  double value = rtop_method_value(row, column);
  double length = report->sum.length_ns ? (double)report->sum.length_ns : 1;
  if (column == RTOP_SORT_DELTA && !report->compared) snprintf(out, bytes, "-");
  else if (column == RTOP_SORT_DELTA) rtop_changes_text(out, bytes, value, report->change_of);
  else if (info->figure == RTOP_FIGURE_EXACT) columns_exact_text(row, column, out, bytes);
  else if (info->figure == RTOP_FIGURE_RATE) rtop_text_count(out, bytes, 1e9 * value / length);
  else if (info->figure == RTOP_FIGURE_COUNT || info->figure == RTOP_FIGURE_NOW) rtop_text_count(out, bytes, value);
  else if (info->figure == RTOP_FIGURE_RATIO)
    snprintf(out, bytes, "%.1f", 100 * rtop_method_ratio(row->most_ns, report->sum.length_ns));
  else snprintf(out, bytes, "%.1f", 100 * (info->figure == RTOP_FIGURE_TIME ? value / length : value));
}

static void report_text_row(const struct rtop_report *report, const struct text_extra *extra,
                            const struct rtop_method_row *row, FILE *out, int method_columns, int location_columns)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(report->symbols, row->frame);
  char figure[16], method[TEXT_BUFFER], location[TEXT_BUFFER], path[TEXT_BUFFER * 2];
  double seconds = (double)report->sum.length_ns / 1e9;
  rtop_text_count(figure, sizeof figure,
                  seconds > 0 ? (double)(uint64_t)((double)row->self.allocations / seconds + 0.5) : 0);
  int used = rtop_text_cut(method, sizeof method, rtop_symbol_name(symbol, path, sizeof path), method_columns);
  rtop_report_location(path, sizeof path, symbol, 0, true);
  rtop_text_cut_left(location, sizeof location, path, location_columns);
  if (row->gone) fprintf(out, "%7s %7s %6s %7s ", "-", "-", "-", "-");
  else
    fprintf(out, "%7.1f %7.1f %6.1f %7s ", 100 * text_share(report, row->self_ns),
            100 * text_share(report, row->total_ns), 100 * text_share(report, row->self.wall_ns[RTOP_STATE_WAITING]),
            figure);
  for (int i = 0; i < extra->count; i++) {
    text_extra(report, row, extra->at[i], figure, sizeof figure);
    fprintf(out, "%*s ", columns_info(extra->at[i])->columns - 1, figure);
  }
  fprintf(out, " %s", method);
  if (*location) fprintf(out, "%*s %s", method_columns - used, "", location);
  fprintf(out, "\n");
}

/* Is the method one without busy time? Such methods are combined at the end. */
static bool text_is_off(const struct rtop_report *report, const struct rtop_method_row *row)
{
  const struct rtop_methods_options *options = report->options;
  enum rtop_sort_key sort = options->sort;
  if (options->mode != RTOP_MODE_BUSY || row->gone || sort == RTOP_SORT_BLOCKED || sort == RTOP_SORT_TOTAL_BLOCKED)
    return false;
  double least_ns = options->min_percent / 100 * (double)report->sum.length_ns;
  bool small = (double)row->total_ns < least_ns && (double)row->total.wall_ns[RTOP_STATE_WAITING] < least_ns;
  return row->total.wall_ns[RTOP_STATE_BLOCKED] > 0 && (small || order_is_off(row));
}

static void text_off(const struct rtop_report *report, FILE *out)
{
  uint64_t off_ns = 0;
  size_t count = 0;
  if (report->options->mode != RTOP_MODE_BUSY) return;
  for (size_t i = 0; i < report->methods.count; i++) {
    const struct rtop_method_row *row = &report->methods.rows[i];
    off_ns += row->gone ? 0 : row->self.wall_ns[RTOP_STATE_BLOCKED];
    count += text_is_off(report, row) || (!row->gone && row->self.wall_ns[RTOP_STATE_BLOCKED] > 0);
  }
  if (count)
    fprintf(out, "(off the GVL: %.1f%% in %zu method%s; -m wall tells them)\n", 100 * text_share(report, off_ns), count,
            count == 1 ? "" : "s");
}

static void text_label(const struct rtop_report *report, const struct label_row *row, FILE *out, int columns)
{
  const uint64_t *wall_ns = row->cost.wall_ns;
  char count[16] = "-", each[24] = "-", name[TEXT_BUFFER];
  if (report->labels.counted) rtop_text_count(count, sizeof count, (double)row->count);
  if (report->labels.counted && row->count) rtop_text_duration(each, sizeof each, (int64_t)label_row_each_ns(row));
  rtop_text_cut(name, sizeof name, row->name, columns > TEXT_METHOD_MIN ? columns : TEXT_METHOD_MIN);
  fprintf(out, "%7.1f %7.1f %6.1f %7.1f %7s %8s  %s\n",
          100 * text_share(report, rtop_mode_clock(&row->cost, report->options->mode)),
          100 * text_share(report, rtop_cost_wall(&row->cost)), 100 * text_share(report, wall_ns[RTOP_STATE_WAITING]),
          100 * text_share(report, wall_ns[RTOP_STATE_BLOCKED]), count, each, name);
}

/* Writes labels of every key, as in JSON; labels that began in the window have rows however small. */
static void text_labels(const struct rtop_report *report, FILE *out, int columns)
{
  double least = report->options->min_percent / 100 * (double)report->sum.length_ns;
  bool any = false;
  for (size_t i = 0; i < report->labels.count; i++) {
    const struct label_row *row = report->labels.rows[i];
    if ((double)rtop_cost_wall(&row->cost) < least && !row->count) continue;
    if (!any) fprintf(out, "%7s %7s %6s %7s %7s %8s  LABEL\n", "SELF%", "TOTAL%", "WAIT%", "BLOCK%", "COUNT", "EACH");
    text_label(report, row, out, columns - TEXT_LABEL_COLUMNS);
    any = true;
  }
}

static void text_fibers_row(const struct rtop_report *report, const struct fiber_row *row, FILE *out, int columns)
{
  char name[TEXT_BUFFER], place[TEXT_BUFFER], location[TEXT_BUFFER], wait[TEXT_BUFFER], longest[24];
  int name_columns = columns * 2 / 5, place_columns = columns / 4;
  int named = rtop_text_cut(name, sizeof name, fiber_row_name(row, report->symbols), name_columns);
  rtop_report_location(location, sizeof location, rtop_symbols_get(report->symbols, row->kind), 0, false);
  int placed = rtop_text_cut_left(place, sizeof place, row->kind ? location : "", place_columns);
  rtop_text_cut(wait, sizeof wait, fiber_row_wait(row, report->symbols), columns - name_columns - place_columns - 2);
  rtop_text_duration(longest, sizeof longest, (int64_t)row->longest_ns);
  fprintf(out, "%7u %7u %7.1f %8s  %s%*s %s%*s %s\n", row->alive, row->waiting, 100 * row->share, longest, name,
          name_columns - named, "", place, place_columns - placed, "", wait);
}

/* Writes a heading for each thread that has fibers in a scheduler. */
static void text_fibers(const struct rtop_report *report, FILE *out, int columns)
{
  const struct fiber_table *fibers = &report->fibers;
  int room = columns > 3 * TEXT_METHOD_MIN ? columns : 3 * TEXT_METHOD_MIN;
  for (size_t i = 0; i < fibers->count; i++) {
    const struct fiber_row *row = &fibers->rows[i], *before = i ? row - 1 : NULL;
    if (!before || before->serial != row->serial || before->source != row->source)
      fprintf(out, "%7s %7s %7s %8s  FIBERS OF %s\n", "ALIVE", "WAITING", "SHARE%", "LONGEST",
              row->thread[0] ? row->thread : "-");
    text_fibers_row(report, row, out, room);
  }
}

void rtop_report_write_text(const struct rtop_report *report, FILE *out, int columns)
{
  struct text_extra extra = text_extras(report);
  int room = columns - TEXT_FIXED_COLUMNS - extra.columns - 1;
  int method_columns = room * 5 / 8;
  if (method_columns < TEXT_METHOD_MIN) method_columns = TEXT_METHOD_MIN;
  int location_columns = room > method_columns ? room - method_columns : 0;
  text_verdict(report, out, columns);
  text_since(report, out, columns);
  text_title(report, out, columns);
  text_ends(report, out);
  text_hosts(report, out);
  text_gvl(report, out);
  text_threads(report, out);
  waits_write_kinds(report, out, columns);
  text_old_stacks(report, out, columns);
  locks_write_text(report, out, columns);
  text_losses(report, out);
  text_heading(report, &extra, out, method_columns);
  for (size_t i = 0; i < report->methods.count; i++)
    if (!text_is_off(report, &report->methods.rows[i]))
      report_text_row(report, &extra, &report->methods.rows[i], out, method_columns, location_columns);
  text_off(report, out);
  waits_write_text(report, out, columns);
  text_labels(report, out, columns);
  behind_write_text(report, out, columns);
  blocks_write_text(report, out, columns);
  text_fibers(report, out, columns - TEXT_FIBERS_COLUMNS);
  raised_write_text(report, out, columns);
  exact_write_text(report, out, columns);
  whole_write_text(&report->whole, report->symbols, WHOLE_LEAST, out, columns);
  sites_write_text(&report->sites, report->symbols, out, columns);
  fprintf(out, "\n");
}
