/* SPDX-License-Identifier: MIT */
/* Writes what is known of traced methods. */
#include "exact_out.h"

#include "json_values.h"
#include "slow_out.h"
#include "tui/text/text.h"

enum { EXACT_TEXT_CALLERS = 5, EXACT_TEXT = 512 };

static const double exact_shares[] = { 0.5, 0.9, 0.99 };
static const char *const exact_share_names[] = { "p50", "p90", "p99" };
enum { EXACT_SHARES = sizeof exact_shares / sizeof exact_shares[0] };

static void exact_duration(FILE *out, const char *name, uint64_t ns)
{
  char text[24];
  rtop_text_duration(text, sizeof text, (int64_t)ns);
  fprintf(out, "  %s %8s", name, text);
}

static void exact_text_times(const struct exact_row *row, enum exact_clock clock, const char *name, FILE *out)
{
  fprintf(out, "  %-6s", name);
  exact_duration(out, "mean", exact_row_mean_ns(row, clock));
  for (int i = 0; i < EXACT_SHARES; i++)
    exact_duration(out, exact_share_names[i], exact_row_share_ns(row, clock, exact_shares[i]));
  exact_duration(out, "max", row->times[clock].max_ns);
  putc('\n', out);
}

static double exact_percent(uint64_t part, uint64_t whole)
{
  return whole ? 100 * (double)part / (double)whole : 0;
}

static void exact_text_callers(const struct exact_row *row, const struct rtop_symbols *symbols, FILE *out, int columns)
{
  for (size_t i = 0; i < row->caller_count && i < EXACT_TEXT_CALLERS; i++) {
    const struct exact_caller *caller = &row->callers[i];
    char calls[16], name[EXACT_TEXT];
    rtop_text_count(calls, sizeof calls, (double)caller->calls);
    rtop_text_cut(name, sizeof name, caller->frame ? rtop_symbols_get(symbols, caller->frame)->label : "(elsewhere)",
                  columns > 40 ? columns - 24 : 16);
    fprintf(out, "  from %6s %5.1f%%  %s\n", calls, exact_percent(caller->calls, row->calls), name);
  }
  if (row->caller_count > EXACT_TEXT_CALLERS)
    fprintf(out, "  and from %zu more\n", row->caller_count - EXACT_TEXT_CALLERS);
}

static void exact_text_row(const struct rtop_report *report, const struct exact_row *row, FILE *out, int columns)
{
  const struct rtop_symbols *symbols = report->symbols;
  char name[EXACT_TEXT], rate[16], calls[16], state[EXACT_STATE_TEXT];
  exact_state_text(row, state);
  rtop_text_cut(name, sizeof name, exact_row_name(row, symbols), columns > 40 ? columns - 8 : 32);
  fprintf(out, "Traced %s\n", name);
  if (*state) fprintf(out, "  %s\n", state);
  if (!row->calls) return;
  rtop_text_count(rate, sizeof rate, exact_row_rate(row));
  rtop_text_count(calls, sizeof calls, (double)row->calls);
  fprintf(out, "  %s calls/s  %s calls  %llu raised", rate, calls, (unsigned long long)row->raised);
  fprintf(out, "  %.1f%% waiting for the GVL  %.1f%% off it", exact_percent(row->wait_ns, row->times[0].sum_ns),
          exact_percent(row->off_ns, row->times[0].sum_ns));
  if (row->untimed) fprintf(out, "  %llu not timed", (unsigned long long)row->untimed);
  putc('\n', out);
  if (row->returned) {
    exact_text_times(row, EXACT_TOTAL, "total", out);
    exact_text_times(row, EXACT_SELF, "self", out);
  }
  exact_text_callers(row, symbols, out, columns);
  slow_write_text(report, row, out, columns);
}

void exact_write_text(const struct rtop_report *report, FILE *out, int columns)
{
  for (size_t i = 0; i < report->exact.count; i++) exact_text_row(report, report->exact.rows[i], out, columns);
}

static void exact_seconds(json_t *object, const char *key, uint64_t ns)
{
  json_object_set_new(object, key, json_seconds(ns));
}

static void exact_count(json_t *object, const char *key, uint64_t count)
{
  json_object_set_new(object, key, json_count(count));
}

static void exact_text(json_t *object, const char *key, const char *text)
{
  json_object_set_new(object, key, json_text(text));
}

static void exact_method(json_t *object, const struct rtop_symbols *symbols, uint32_t frame, const char *name)
{
  const struct rtop_symbol *symbol = frame ? rtop_symbols_get(symbols, frame) : NULL;
  exact_text(object, "name", symbol ? symbol->label : name);
  exact_text(object, "path", symbol ? symbol->path : "");
  exact_count(object, "line", symbol ? symbol->line : 0);
}

static json_t *exact_json_times(const struct exact_row *row, enum exact_clock clock)
{
  json_t *object = json_object();
  exact_seconds(object, "sum", row->times[clock].sum_ns);
  exact_seconds(object, "mean", exact_row_mean_ns(row, clock));
  for (int i = 0; i < EXACT_SHARES; i++)
    exact_seconds(object, exact_share_names[i], exact_row_share_ns(row, clock, exact_shares[i]));
  exact_seconds(object, "max", row->times[clock].max_ns);
  return object;
}

static json_t *exact_json_callers(const struct exact_row *row, const struct rtop_symbols *symbols)
{
  json_t *callers = json_array();
  for (size_t i = 0; i < row->caller_count; i++) {
    json_t *caller = json_object();
    exact_method(caller, symbols, row->callers[i].frame, "");
    exact_count(caller, "calls", row->callers[i].calls);
    json_array_append_new(callers, caller);
  }
  return callers;
}

static json_t *exact_json_row(const struct rtop_report *report, const struct exact_row *row)
{
  const struct rtop_symbols *symbols = report->symbols;
  json_t *object = json_object();
  exact_method(object, symbols, row->frame, row->name ? row->name : "");
  exact_text(object, "state", exact_state_name(row));
  exact_seconds(object, "traced", row->traced_ns);
  exact_count(object, "calls", row->calls);
  json_object_set_new(object, "rate", json_real(exact_row_rate(row)));
  exact_count(object, "returned", row->returned);
  exact_count(object, "raised", row->raised);
  exact_count(object, "untimed", row->untimed);
  exact_seconds(object, "waiting", row->wait_ns);
  exact_seconds(object, "blocked", row->off_ns);
  json_object_set_new(object, "total", exact_json_times(row, EXACT_TOTAL));
  json_object_set_new(object, "self", exact_json_times(row, EXACT_SELF));
  json_object_set_new(object, "callers", exact_json_callers(row, symbols));
  if (row->too_many) exact_count(object, "too_many", row->too_many);
  slow_json(report, row, object);
  return object;
}

json_t *exact_json(const struct rtop_report *report)
{
  json_t *rows = json_array();
  for (size_t i = 0; i < report->exact.count; i++)
    json_array_append_new(rows, exact_json_row(report, report->exact.rows[i]));
  return rows;
}
