/* SPDX-License-Identifier: MIT */
/* Writes what threads waited for. */
#include "waits_out.h"

#include "json_values.h"
#include "tui/stalls/wait_words.h"
#include "tui/text/text.h"

enum { WAITS_LINES = 24, WAITS_TEXT = 1100, WAITS_ROWS_MAX = 512, WAITS_BEHIND_MAX = 16 };

static void waits_line(FILE *out, int columns, const char *line)
{
  char cut[WAITS_TEXT];
  rtop_text_cut(cut, sizeof cut, line, columns);
  fprintf(out, "%s\n", cut);
}

void waits_write_kinds(const struct rtop_report *report, FILE *out, int columns)
{
  char words[WAITS_TEXT];
  wait_kinds_words(words, sizeof words, &report->waits);
  if (*words == 'b') *words = 'B';
  if (*words) waits_line(out, columns, words);
}

void waits_write_text(const struct rtop_report *report, FILE *out, int columns)
{
  struct wait_line lines[WAITS_LINES];
  size_t count = wait_lines(&report->waits, report->symbols, report->sum.length_ns / 100, lines, WAITS_LINES);
  if (count) waits_line(out, columns, wait_heading);
  for (size_t i = 0; i < count; i++) waits_line(out, columns, lines[i].text);
}

/* ---- JSON ------------------------------------------------------------------------------------------- */

static json_t *waits_label(const struct rtop_report *report, uint32_t frame)
{
  return frame ? json_text(rtop_symbols_get(report->symbols, frame)->label) : json_null();
}

static json_t *waits_thread(const struct rtop_report *report, const struct wait_behind *behind)
{
  uint64_t serial = behind->thread.serial;
  uint32_t source = behind->thread.source;
  if (!behind->known) return json_null();
  json_t *object = json_object();
  json_object_set_new(object, "id", json_integer(serial < INT64_MAX ? (json_int_t)serial : INT64_MAX));
  json_object_set_new(object, "name", json_text(behind->thread.name));
  if (report->source_count > 1 && source < (uint32_t)report->source_count)
    json_object_set_new(object, "pid", json_integer(report->source_pids[source]));
  return object;
}

static json_t *waits_behind(const struct rtop_report *report, const struct wait_behind *behind)
{
  json_t *object = json_object();
  json_object_set_new(object, "name", waits_label(report, behind->frame));
  json_object_set_new(object, "took", waits_label(report, behind->took));
  json_object_set_new(object, "thread", waits_thread(report, behind));
  json_object_set_new(object, "wait", json_seconds(behind->wait_ns));
  return object;
}

static json_t *waits_row(const struct rtop_report *report, const struct wait_row *row)
{
  json_t *object = json_object(), *behind = json_array();
  const struct rtop_symbol *place = rtop_symbols_get(report->symbols, row->place);
  json_object_set_new(object, "kind", json_text(wait_kind_key(row->kind)));
  json_object_set_new(object, "name", waits_label(report, row->place));
  json_object_set_new(object, "path", row->place ? json_text(place->path) : json_null());
  json_object_set_new(object, "line", row->place ? json_integer(place->line) : json_null());
  json_object_set_new(object, "wait", json_seconds(row->wait_ns));
  json_object_set_new(object, "threads", json_integer(row->threads));
  json_object_set_new(object, "longest", json_seconds(row->longest_ns));
  json_object_set_new(object, "seen", json_integer(row->seen));
  for (size_t i = 0; i < row->behind_count && i < WAITS_BEHIND_MAX; i++)
    json_array_append_new(behind, waits_behind(report, &wait_row_behind(&report->waits, row)[i]));
  json_object_set_new(object, "behind", behind);
  return object;
}

void waits_json(json_t *object, const struct rtop_report *report)
{
  const struct wait_sums *sums = &report->waits;
  json_t *kinds = json_object(), *waits = json_array();
  double least_ns = report->options->min_percent / 100 * (double)report->sum.length_ns;
  for (int kind = 0; kind < RTOP_WAIT_KINDS; kind++)
    json_object_set_new(kinds, wait_kind_key((enum rtop_wait_kind)kind), json_seconds(sums->kind_ns[kind]));
  json_object_set_new(object, "blocked_on", kinds);
  for (size_t i = 0; i < sums->count && json_array_size(waits) < WAITS_ROWS_MAX; i++)
    if ((double)sums->rows[i].wait_ns >= least_ns) json_array_append_new(waits, waits_row(report, &sums->rows[i]));
  json_object_set_new(object, "waits", waits);
}
