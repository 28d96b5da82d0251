/* SPDX-License-Identifier: MIT */
/* Writes what is known of all calls. */
#include "whole_out.h"

#include "json_values.h"
#include "tui/text/text.h"

enum {
  WHOLE_TEXT_METHODS = 40,
  WHOLE_TEXT = 512,
  WHOLE_DURATION = 24,
  WHOLE_FIGURES_COLUMNS = 52,
  WHOLE_INDENT_MAX = 40
};

static double whole_percent(uint64_t part, uint64_t all)
{
  return all ? 100 * (double)part / (double)all : 0;
}

static void whole_name(char *out, const struct rtop_symbols *symbols, uint32_t frame, int columns)
{
  rtop_text_cut(out, WHOLE_TEXT, rtop_symbols_get(symbols, frame)->label, columns > 16 ? columns : 16);
}

static void whole_text_head(const struct whole_table *table, FILE *out)
{
  char own[WHOLE_DURATION], all[WHOLE_DURATION];
  const struct whole_head *head = &table->numbers.head;
  const char *text = whole_state_text(head->state);
  rtop_text_duration(own, sizeof own, (int64_t)whole_own_ns(head));
  rtop_text_duration(all, sizeof all, (int64_t)head->own_ns);
  fprintf(out, "All calls: exact, %.1f s, %llu calls, own cost of %s a call (%s) taken off the times\n",
          (double)head->traced_ns / 1e9, (unsigned long long)head->calls, own, all);
  if (*text) fprintf(out, "  %s\n", text);
  if (head->untimed) fprintf(out, "  %llu calls whose end was not seen\n", (unsigned long long)head->untimed);
  if (head->unnamed) fprintf(out, "  %llu calls that found no room in the tables\n", (unsigned long long)head->unnamed);
}

static void whole_text_figures(const struct whole_figures *figures, double share, FILE *out)
{
  char total[WHOLE_DURATION], self[WHOLE_DURATION], mean[WHOLE_DURATION];
  rtop_text_duration(total, sizeof total, (int64_t)figures->total_ns);
  rtop_text_duration(self, sizeof self, (int64_t)figures->self_ns);
  rtop_text_duration(mean, sizeof mean, figures->calls ? (int64_t)(figures->total_ns / figures->calls) : 0);
  fprintf(out, "%12llu %9s %9s %9s %6.1f%%  ", (unsigned long long)figures->calls, total, self, mean, 100 * share);
}

static void whole_text_methods(const struct whole_table *table, const struct rtop_symbols *symbols, FILE *out,
                               int columns)
{
  uint64_t self_ns = 0;
  for (size_t i = 0; i < table->method_count; i++) self_ns += table->methods[i].figures.self_ns;
  fprintf(out, "%12s %9s %9s %9s %7s  METHOD, by self time\n", "CALLS", "TOTAL", "SELF", "MEAN", "%SELF");
  for (size_t i = 0; i < table->method_count && i < WHOLE_TEXT_METHODS; i++) {
    const struct whole_method *method = &table->methods[i];
    char name[WHOLE_TEXT];
    whole_text_figures(&method->figures, whole_percent(method->figures.self_ns, self_ns) / 100, out);
    whole_name(name, symbols, method->frame, columns - WHOLE_FIGURES_COLUMNS);
    fprintf(out, "%s\n", name);
  }
  if (table->method_count > WHOLE_TEXT_METHODS)
    fprintf(out, "%*s(%zu more methods)\n", WHOLE_FIGURES_COLUMNS, "", table->method_count - WHOLE_TEXT_METHODS);
}

static void whole_text_tree(const struct whole_table *table, const struct rtop_symbols *symbols, double least,
                            FILE *out, int columns)
{
  size_t left_out = 0;
  fprintf(out, "%12s %9s %9s %9s %7s  CALLED FROM, %% of the caller's total\n", "CALLS", "TOTAL", "SELF", "MEAN",
          "%PARENT");
  for (size_t i = 0; i < table->tree_count; i++) {
    const struct whole_call *call = &table->tree[i];
    char name[WHOLE_TEXT];
    int indent = 2 * call->depth < WHOLE_INDENT_MAX ? 2 * call->depth : WHOLE_INDENT_MAX;
    if (whole_percent(call->figures.total_ns, table->top_ns) < 100 * least) {
      left_out++;
      continue;
    }
    whole_text_figures(&call->figures, call->share, out);
    whole_name(name, symbols, call->frame, columns - WHOLE_FIGURES_COLUMNS - indent);
    fprintf(out, "%*s%s\n", indent, "", name);
  }
  if (left_out)
    fprintf(out, "%*s(%zu call nodes below %.3g%% of all time)\n", WHOLE_FIGURES_COLUMNS, "", left_out, 100 * least);
}

void whole_write_text(const struct whole_table *table, const struct rtop_symbols *symbols, double least, FILE *out,
                      int columns)
{
  if (!table->numbers.head.told) return;
  whole_text_head(table, out);
  if (!table->tree_count) return;
  whole_text_methods(table, symbols, out, columns);
  whole_text_tree(table, symbols, least, out, columns);
}

static void whole_seconds(json_t *object, const char *key, uint64_t ns)
{
  json_object_set_new(object, key, json_seconds(ns));
}

static void whole_count(json_t *object, const char *key, uint64_t count)
{
  json_object_set_new(object, key, json_count(count));
}

static void whole_string(json_t *object, const char *key, const char *text)
{
  json_object_set_new(object, key, json_text(text));
}

static json_t *whole_json_figures(const struct rtop_symbols *symbols, uint32_t frame,
                                  const struct whole_figures *figures)
{
  json_t *object = json_object();
  const struct rtop_symbol *symbol = rtop_symbols_get(symbols, frame);
  whole_string(object, "name", symbol->label);
  whole_string(object, "path", symbol->path);
  whole_count(object, "line", symbol->line);
  whole_count(object, "calls", figures->calls);
  whole_seconds(object, "total", figures->total_ns);
  whole_seconds(object, "self", figures->self_ns);
  return object;
}

json_t *whole_json(const struct whole_table *table, const struct rtop_symbols *symbols)
{
  json_t *object = json_object(), *methods = json_array(), *tree = json_array();
  const struct whole_head *head = &table->numbers.head;
  whole_string(object, "state", whole_state_name(head->state));
  whole_seconds(object, "traced", head->traced_ns);
  whole_count(object, "calls", head->calls);
  whole_seconds(object, "own", head->own_ns);
  whole_seconds(object, "own_per_call", whole_own_ns(head));
  whole_count(object, "untimed", head->untimed);
  whole_count(object, "unnamed", head->unnamed);
  for (size_t i = 0; i < table->method_count; i++)
    json_array_append_new(methods, whole_json_figures(symbols, table->methods[i].frame, &table->methods[i].figures));
  for (size_t i = 0; i < table->tree_count; i++) {
    const struct whole_call *call = &table->tree[i];
    json_t *row = whole_json_figures(symbols, call->frame, &call->figures);
    json_object_set_new(row, "parent", call->parent == WHOLE_NO_PARENT ? json_null() : json_integer(call->parent));
    json_object_set_new(row, "share", json_real(call->share));
    json_array_append_new(tree, row);
  }
  json_object_set_new(object, "methods", methods);
  json_object_set_new(object, "tree", tree);
  return object;
}
