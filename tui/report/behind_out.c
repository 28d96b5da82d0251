/* SPDX-License-Identifier: MIT */
/* Writes whom labelled work waits behind. */
#include "behind_out.h"

#include "json_values.h"
#include "tui/text/text.h"

enum { BEHIND_TEXT = 1024, BEHIND_LABELS = 10, BEHIND_LEAST_PERCENT = 5 };

static bool behind_matters(const struct label_row *row, const struct behind_rows *behind)
{
  double waited = 0;
  for (size_t i = 0; i < behind->count; i++) waited += (double)behind->rows[i].wait_ns;
  return behind->count && 100 * waited >= BEHIND_LEAST_PERCENT * (double)rtop_cost_wall(&row->cost);
}

void behind_write_text(const struct rtop_report *report, FILE *out, int columns)
{
  int written = 0;
  if (!report->labels.behind.count) return;
  for (size_t i = 0; i < report->labels.count && written < BEHIND_LABELS; i++) {
    const struct label_row *row = report->labels.rows[i];
    char words[BEHIND_TEXT], line[2 * BEHIND_TEXT], cut[2 * BEHIND_TEXT];
    struct behind_rows behind;
    uint64_t ended = row->work ? row->work->ended : 0;
    label_row_behind(&report->labels, row, report->symbols, &behind);
    if (!behind_matters(row, &behind)) continue;
    behind_words(words, sizeof words, &behind, report->symbols, ended);
    snprintf(line, sizeof line, "%s waits behind%s: %s", row->name, ended ? ", mean of a block" : "", words);
    rtop_text_cut(cut, sizeof cut, line, columns > 40 ? columns - 4 : 36);
    if (written++ == 0) fprintf(out, "Labels that wait behind others:\n");
    fprintf(out, "    %s\n", cut);
  }
}

json_t *behind_json(const struct rtop_report *report, const struct label_row *row)
{
  json_t *array = json_array();
  struct behind_rows behind;
  label_row_behind(&report->labels, row, report->symbols, &behind);
  for (size_t i = 0; i < behind.count; i++) {
    const struct behind_row *from = &behind.rows[i];
    const char *place = from->place ? rtop_symbols_get(report->symbols, from->place)->label : NULL;
    json_t *object = json_object();
    json_object_set_new(object, "holder", from->holder[0] ? json_text(from->holder) : json_null());
    json_object_set_new(object, "cause", json_text(behind_cause_name(from->cause)));
    json_object_set_new(object, "place", place ? json_text(place) : json_null());
    json_object_set_new(object, "stretches", json_count(from->count));
    json_object_set_new(object, "time", json_seconds(from->wait_ns));
    json_array_append_new(array, object);
  }
  return array;
}
