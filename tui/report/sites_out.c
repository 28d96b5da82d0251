/* SPDX-License-Identifier: MIT */
/* Writes what is known of allocation sites. */
#include "sites_out.h"

#include "json_values.h"
#include "report.h"
#include "tui/text/text.h"

enum { SITES_ROWS = 40, SITES_TEXT = 512, SITES_FIGURE = 24, SITES_FIGURES_COLUMNS = 56, SITES_CLASS_COLUMNS = 24 };

static double sites_cost(const struct sites_table *table)
{
  return table->time_ns ? (double)table->own_ns / (double)table->time_ns : 0;
}

static void sites_text_head(const struct sites_table *table, FILE *out)
{
  const char *text = sites_state_text(table->state);
  fprintf(out, "Allocation sites: %.1f s, %llu objects, %llu samples", (double)table->time_ns / 1e9,
          (unsigned long long)table->objects, (unsigned long long)table->samples);
  if (table->samples == table->objects) fprintf(out, " (of every object)");
  else if (table->samples) fprintf(out, " (one of %.1f objects)", table->distance);
  fprintf(out, ", own cost %.2f%% of the time\n", 100 * sites_cost(table));
  if (*text) fprintf(out, "  %s\n", text);
  if (table->full) fprintf(out, "  %llu samples of sites that found no room\n", (unsigned long long)table->full);
}

static void sites_text_figures(const struct sites_row *row, FILE *out)
{
  char error[SITES_FIGURE] = "exact", bytes[SITES_FIGURE], live[SITES_FIGURE] = "-", live_bytes[SITES_FIGURE] = "-";
  rtop_text_bytes(bytes, sizeof bytes, (uint64_t)row->bytes);
  if (row->error > 0) snprintf(error, sizeof error, "%.0f", row->error < 1 ? 1 : row->error);
  if (row->judged) {
    snprintf(live, sizeof live, "%.0f", row->live);
    rtop_text_bytes(live_bytes, sizeof live_bytes, (uint64_t)row->live_bytes);
  }
  fprintf(out, "%12.0f %9s %8s %11s %10s  ", row->objects, error, bytes, live, live_bytes);
}

static void sites_text_row(const struct sites_row *row, const struct rtop_symbols *symbols, FILE *out, int columns)
{
  char class[SITES_TEXT], name[SITES_TEXT], place[SITES_TEXT], where[2 * SITES_TEXT + 4];
  const struct rtop_symbol *method = rtop_symbols_get(symbols, row->method);
  sites_text_figures(row, out);
  if (row->method == row->class) {
    fprintf(out, "(other sites)\n");
    return;
  }
  int class_columns =
      rtop_text_cut(class, sizeof class, rtop_symbols_get(symbols, row->class)->label, SITES_CLASS_COLUMNS);
  rtop_report_location(place, sizeof place, method, row->line, false);
  snprintf(where, sizeof where, *place ? "%s (%s)" : "%s%s", method->label, place);
  rtop_text_cut(name, sizeof name, where, columns > 40 ? columns : 40);
  fprintf(out, "%s%*s  %s\n", class, SITES_CLASS_COLUMNS - class_columns, "", name);
}

void sites_write_text(const struct sites_table *table, const struct rtop_symbols *symbols, FILE *out, int columns)
{
  if (!table->told) return;
  sites_text_head(table, out);
  if (!table->count) return;
  fprintf(out, "%12s %9s %8s %11s %10s  %-*s  %s\n", "OBJECTS", "+-", "BYTES", "ALIVE", "ALIVE B", SITES_CLASS_COLUMNS,
          "CLASS", "WHERE");
  for (size_t i = 0; i < table->count && i < SITES_ROWS; i++)
    sites_text_row(&table->rows[i], symbols, out, columns - SITES_FIGURES_COLUMNS - SITES_CLASS_COLUMNS - 2);
  if (table->count > SITES_ROWS)
    fprintf(out, "%*s(%zu more sites)\n", SITES_FIGURES_COLUMNS, "", table->count - SITES_ROWS);
}

static void sites_count(json_t *object, const char *key, double count)
{
  json_object_set_new(object, key, json_integer(count < 9e18 ? (json_int_t)(count + 0.5) : INT64_MAX));
}

static void sites_string(json_t *object, const char *key, const char *text)
{
  json_object_set_new(object, key, json_text(text));
}

static json_t *sites_json_row(const struct sites_row *row, const struct rtop_symbols *symbols)
{
  json_t *object = json_object();
  const struct rtop_symbol *method = rtop_symbols_get(symbols, row->method);
  sites_string(object, "class", rtop_symbols_get(symbols, row->class)->label);
  sites_string(object, "method", method->label);
  sites_string(object, "path", method->path);
  sites_count(object, "line", row->line);
  sites_count(object, "samples", (double)row->samples);
  sites_count(object, "objects", row->objects);
  json_object_set_new(object, "error", json_real(row->error));
  sites_count(object, "bytes", row->bytes);
  json_object_set_new(object, "alive", row->judged ? json_integer((json_int_t)(row->live + 0.5)) : json_null());
  json_object_set_new(object, "alive_bytes",
                      row->judged ? json_integer((json_int_t)(row->live_bytes + 0.5)) : json_null());
  return object;
}

json_t *sites_json(const struct sites_table *table, const struct rtop_symbols *symbols)
{
  json_t *object = json_object(), *rows = json_array();
  sites_string(object, "state", sites_state_name(table->state));
  json_object_set_new(object, "sampled", json_real((double)table->time_ns / 1e9));
  sites_count(object, "objects", (double)table->objects);
  sites_count(object, "looked", (double)table->looked);
  sites_count(object, "samples", (double)table->samples);
  json_object_set_new(object, "distance", json_real(table->distance));
  json_object_set_new(object, "own", json_real((double)table->own_ns / 1e9));
  json_object_set_new(object, "cost", json_real(sites_cost(table)));
  sites_count(object, "full", (double)table->full);
  for (size_t i = 0; i < table->count; i++) json_array_append_new(rows, sites_json_row(&table->rows[i], symbols));
  json_object_set_new(object, "sites", rows);
  return object;
}
