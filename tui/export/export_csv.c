/* SPDX-License-Identifier: MIT */
/* The table of methods, or of labels, as CSV. */
#include "export_impl.h"

#include "tui/tables/label_table.h"
#include <inttypes.h>
#include <string.h>

/* Writes a field as in RFC 4180. A field that a spreadsheet would take for a formula is prefixed with an apostrophe. */
static void csv_text(const char *text, FILE *out)
{
  bool formula = *text && strchr("=+-@\t\r", *text);
  if (!formula && !strpbrk(text, ",\"\r\n ")) {
    fputs(text, out);
    return;
  }
  fputs(formula ? "\"'" : "\"", out);
  for (; *text; text++) {
    if (*text == '"') fputc('"', out);
    fputc(*text, out);
  }
  fputc('"', out);
}

static void csv_seconds(uint64_t nanoseconds, FILE *out)
{
  fprintf(out, ",%" PRIu64 ".%09" PRIu64, nanoseconds / 1000000000, nanoseconds % 1000000000);
}

static void csv_change(uint64_t before_ns, uint64_t after_ns, FILE *out)
{
  uint64_t change_ns = after_ns > before_ns ? after_ns - before_ns : before_ns - after_ns;
  csv_seconds(before_ns, out);
  fprintf(out, ",%s%" PRIu64 ".%09" PRIu64, after_ns < before_ns ? "-" : "", change_ns / 1000000000,
          change_ns % 1000000000);
}

/* Columns for the costs of a method, self and total. */
static const struct {
  const char *name;
  size_t at; /* in struct rtop_cost */
  bool seconds;
} csv_costs[] = {
#define STATE(id, word, sign, key, ...) { key, offsetof(struct rtop_cost, wall_ns[RTOP_STATE_##id]), true },
#include "tui/methods/states.def"
  { "cpu", offsetof(struct rtop_cost, cpu_ns), true },
  { "blame", offsetof(struct rtop_cost, blame_ns), true },
  { "allocations", offsetof(struct rtop_cost, allocations), false },
  { "samples", offsetof(struct rtop_cost, samples), false },
};
enum { CSV_COSTS = sizeof csv_costs / sizeof csv_costs[0] };

static void csv_cost(const struct rtop_cost *cost, FILE *out)
{
  for (int i = 0; i < CSV_COSTS; i++) {
    uint64_t value = *(const uint64_t *)(const void *)((const char *)cost + csv_costs[i].at);
    if (csv_costs[i].seconds) csv_seconds(value, out);
    else fprintf(out, ",%" PRIu64, value);
  }
}

/* Writes the process, where processes are shown separately; symbol NULL: the heading. */
static void csv_pid(const struct export_job *job, const struct rtop_symbol *symbol)
{
  if (!rtop_lens_look(rtop_profile_lens(job->given->profile))->processes) return;
  if (symbol) fprintf(job->out, ",%" PRIu32, rtop_process_pid(symbol->process));
  else fputs(",pid", job->out);
}

static void csv_symbol(const struct rtop_symbol *symbol, FILE *out)
{
  static const char *const kinds[] = {
    [RTOP_SYMBOL_RUBY] = "ruby", [RTOP_SYMBOL_C] = "c", [RTOP_SYMBOL_SPECIAL] = "special", [RTOP_SYMBOL_GROUP] = "group"
  };
  csv_text(symbol->label, out);
  fputc(',', out);
  csv_text(symbol->path, out);
  fprintf(out, ",%" PRIu32 ",%s", symbol->line, kinds[symbol->kind]);
}

static void csv_heading(const struct export_job *job, bool traced)
{
  fputs("method,path,line,kind,self,total,ratio,threads", job->out);
  for (int total = 0; total < 2; total++)
    for (int i = 0; i < CSV_COSTS; i++) fprintf(job->out, ",%s_%s", total ? "total" : "self", csv_costs[i].name);
  csv_pid(job, NULL);
  if (job->differs) fputs(",self_before,self_change,total_before,total_change", job->out);
  if (traced) fputs(",calls_per_second,mean", job->out);
  fputs("\r\n", job->out);
}

static void csv_row(const struct export_job *job, const struct export_method *method, bool traced)
{
  const struct rtop_method_row *row = &method->now;
  const struct rtop_symbol *symbol = rtop_symbols_get(job->symbols, row->frame);
  csv_symbol(symbol, job->out);
  csv_seconds(row->self_ns, job->out);
  csv_seconds(row->total_ns, job->out);
  fprintf(job->out, ",%.6f,%" PRIu32, rtop_method_ratio(row->most_ns, job->sum.length_ns), row->threads);
  csv_cost(&row->self, job->out);
  csv_cost(&row->total, job->out);
  csv_pid(job, symbol);
  if (job->differs) {
    csv_change(method->before.self_ns, row->self_ns, job->out);
    csv_change(method->before.total_ns, row->total_ns, job->out);
  }
  if (row->traced) {
    fprintf(job->out, ",%.3f", row->calls_per_s);
    csv_seconds((uint64_t)row->mean_ns, job->out);
  } else if (traced) {
    fputs(",-,-", job->out);
  }
  fputs("\r\n", job->out);
}

/* Of all calls. */
static void csv_calls(const struct export_job *job, const struct rtop_method_row *row)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(job->symbols, row->frame);
  csv_symbol(symbol, job->out);
  fprintf(job->out, ",%" PRIu64, row->calls);
  csv_seconds(row->self_ns, job->out);
  csv_seconds(row->total_ns, job->out);
  csv_seconds((uint64_t)row->mean_ns, job->out);
  csv_pid(job, symbol);
  fputs("\r\n", job->out);
}

static void csv_calls_heading(const struct export_job *job)
{
  fputs("method,path,line,kind,calls,self,total,mean", job->out);
  csv_pid(job, NULL);
  fputs("\r\n", job->out);
}

static void csv_labels_heading(FILE *out)
{
  fputs("key,value,count,each,self,total", out);
  for (int i = 0; i < CSV_COSTS; i++) fprintf(out, ",%s", csv_costs[i].name);
  fputs("\r\n", out);
}

/* Writes a label. Its count is for all threads, so the field is left empty when threads are hidden. */
static void csv_label(const struct export_job *job, const struct label_table *table, const struct label_row *row)
{
  char key[RTOP_LABEL_KEY_MAX + 1];
  snprintf(key, sizeof key, "%.*s", (int)row->key_bytes, row->name);
  csv_text(key, job->out);
  fputc(',', job->out);
  csv_text(label_row_value(row), job->out);
  if (table->counted) fprintf(job->out, ",%" PRIu64, row->count);
  else fputc(',', job->out);
  if (table->counted && row->count) csv_seconds(label_row_each_ns(row), job->out);
  else fputc(',', job->out);
  csv_seconds(rtop_mode_clock(&row->cost, job->options.mode), job->out);
  csv_seconds(rtop_cost_wall(&row->cost), job->out);
  csv_cost(&row->cost, job->out);
  fputs("\r\n", job->out);
}

/* Writes labels, from a sum of their own, since the job's filters are for methods and their threads. */
static bool csv_labels(const struct export_job *job)
{
  const struct rtop_export *given = job->given;
  const struct rtop_methods_options *wanted = given->options;
  const struct label_table_options options = { .sort = wanted->sort, .mode = wanted->mode, .reverse = wanted->reverse };
  struct label_table table = { 0 };
  struct rtop_sum sum = { 0 };
  bool fine = rtop_profile_sum_sets(given->profile, given->sum->span, &sum);
  if (fine) export_hide(given, &sum);
  fine = fine && rtop_methods_leave_out(wanted->thread_filter, &sum) &&
         label_table_build(&table, given->profile, &sum, &options);
  if (fine) csv_labels_heading(job->out);
  for (size_t i = 0; fine && export_goes_on(job) && i < table.count; i++) csv_label(job, &table, table.rows[i]);
  label_table_destroy(&table);
  rtop_sum_destroy(&sum);
  return fine;
}

bool export_csv(struct export_job *job)
{
  if (job->given->labels) return csv_labels(job);
  struct export_table table = { 0 };
  bool fine = export_table_build(&table, job, job->options.sort);
  bool calls = job->given->calls != NULL;
  if (fine && calls) csv_calls_heading(job);
  else if (fine) csv_heading(job, table.traced);
  for (size_t i = 0; fine && export_goes_on(job) && i < table.count; i++)
    if (calls) csv_calls(job, &table.methods[i].now);
    else csv_row(job, &table.methods[i], table.traced);
  export_table_destroy(&table);
  return fine;
}
