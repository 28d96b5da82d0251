/* SPDX-License-Identifier: MIT */
/* Writes exceptions. */
#include "raised_out.h"

#include "json.h"
#include "tui/text/text.h"

enum { RAISED_ROWS = 20, RAISED_TEXT = 1024, RAISED_FIGURES = 18 };

/* Number of exceptions that are not listed, from row `from` on. */
static uint64_t raised_rest(const struct rtop_report *report, size_t from)
{
  uint64_t sum = report->raised.rest + report->sum.counters.raises_untold;
  for (size_t i = from; i < report->raised.count; i++) sum += report->raised.rows[i].count;
  return sum;
}

static void raised_text_row(const struct rtop_report *report, const struct raised_row *row, FILE *out, int columns)
{
  char line[RAISED_TEXT], cut[RAISED_TEXT], place[RAISED_TEXT / 4] = "";
  const struct rtop_symbol *method = rtop_symbols_get(report->symbols, row->place.frame);
  const char *called = row->place.called ? rtop_symbols_get(report->symbols, row->place.called)->label : "";
  double seconds = (double)report->sum.length_ns / 1e9;
  if (row->place.frame) rtop_report_location(place, sizeof place, method, row->place.line, false);
  snprintf(line, sizeof line, "%s%s%s%s%s%s%s", raised_class(report->symbols, &row->place), *place ? " at " : "", place,
           row->place.frame ? " in " : "", row->place.frame ? method->label : "", *called ? ", by " : "", called);
  rtop_text_cut(cut, sizeof cut, line, columns > 2 * RAISED_FIGURES ? columns - RAISED_FIGURES : RAISED_FIGURES);
  fprintf(out, "%7llu %9.1f  %s\n", (unsigned long long)row->count, seconds > 0 ? (double)row->count / seconds : 0.0,
          cut);
}

void raised_write_text(const struct rtop_report *report, FILE *out, int columns)
{
  const struct raised_list *list = &report->raised;
  size_t shown = list->count < RAISED_ROWS ? list->count : RAISED_ROWS;
  if (!list->count) return;
  fprintf(out, "%7s %9s  EXCEPTION\n", "COUNT", "PER S");
  for (size_t i = 0; i < shown; i++) raised_text_row(report, &list->rows[i], out, columns);
  uint64_t rest = raised_rest(report, shown);
  if (rest) fprintf(out, "%7llu %9s  (elsewhere)\n", (unsigned long long)rest, "");
}

static json_t *raised_string(const char *text)
{
  json_t *string = json_string(text);
  return string ? string : json_null();
}

static json_t *raised_time(const struct rtop_report *report, int64_t mono_ns)
{
  int64_t real_us = (mono_ns + report->clock_offset_ns) / 1000;
  return json_real((double)real_us / 1e6);
}

static json_t *raised_json_row(const struct rtop_report *report, const struct raised_row *row)
{
  json_t *object = json_object();
  const struct raised_place *place = &row->place;
  const struct rtop_symbol *method = rtop_symbols_get(report->symbols, place->frame);
  const struct rtop_symbol *called = rtop_symbols_get(report->symbols, place->called);
  json_object_set_new(object, "class", raised_string(raised_class(report->symbols, place)));
  json_object_set_new(object, "name", place->frame ? raised_string(method->label) : json_null());
  json_object_set_new(object, "path", place->frame ? raised_string(method->path) : json_null());
  json_object_set_new(object, "line", place->frame ? json_integer(place->line) : json_null());
  json_object_set_new(object, "by", place->called ? raised_string(called->label) : json_null());
  json_object_set_new(object, "count", json_integer((json_int_t)row->count));
  json_object_set_new(object, "first", raised_time(report, row->first_ns));
  json_object_set_new(object, "last", raised_time(report, row->last_ns));
  return object;
}

json_t *raised_json(const struct rtop_report *report)
{
  json_t *raised = json_array();
  for (size_t i = 0; i < report->raised.count; i++)
    json_array_append_new(raised, raised_json_row(report, &report->raised.rows[i]));
  return raised;
}
