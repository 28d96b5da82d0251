/* SPDX-License-Identifier: MIT */
/* The table of methods, with each method's baseline. */
#include "export_impl.h"

#include "tui/tables/exact_table.h"
#include "tui/text/reserve.h"
#include <math.h>
#include <stdlib.h>

static double table_all(const struct export_job *job, const struct rtop_sum *sum)
{
  uint64_t all_ns = export_clock(job, &sum->total);
  return all_ns ? (double)all_ns : 1;
}

static struct export_method *table_add(struct export_table *table)
{
  if (!rtop_reserve(&table->methods, &table->capacity, table->count + 1, sizeof *table->methods)) return NULL;
  table->methods[table->count] = (struct export_method){ 0 };
  return &table->methods[table->count++];
}

static bool table_now(struct export_table *table, const struct rtop_methods *methods)
{
  for (size_t i = 0; i < methods->count; i++) {
    struct export_method *method = table_add(table);
    if (!method) return false;
    method->now = methods->rows[i];
    method->before.frame = method->now.frame;
  }
  return true;
}

/* Adds baseline figures. `place`: index + 1 of a frame's existing row, by frame. */
static bool table_before(struct export_table *table, const struct rtop_methods *methods, const uint32_t *place)
{
  for (size_t i = 0; i < methods->count; i++) {
    uint32_t at = place[methods->rows[i].frame];
    struct export_method *method = at ? &table->methods[at - 1] : table_add(table);
    if (!method) return false;
    method->before = methods->rows[i];
    method->now.frame = method->before.frame;
  }
  return true;
}

static bool table_compare(struct export_table *table, const struct export_job *job,
                          const struct rtop_methods_options *options)
{
  struct rtop_methods methods = { 0 };
  uint32_t *place = calloc(rtop_symbols_frame_count(job->symbols), sizeof *place);
  for (size_t i = 0; place && i < table->count; i++) place[table->methods[i].now.frame] = (uint32_t)i + 1;
  bool fine = place && rtop_methods_build(&methods, &job->baseline, job->symbols, options) &&
              table_before(table, &methods, place);
  rtop_methods_destroy(&methods);
  free(place);
  return fine;
}

/* Adds exact figures of traced methods. False: memory ran out. */
static bool table_traced(struct export_table *table, const struct export_job *job, struct rtop_methods *methods,
                         const struct rtop_methods_options *options)
{
  const struct rtop_profile *profile = job->given->profile;
  struct exact_table exact = { 0 };
  if (!rtop_profile_has_exact(profile) || job->symbols != rtop_profile_symbols((struct rtop_profile *)profile))
    return true;
  bool fine = exact_table_build(&exact, profile, job->given->sum->span, NULL, 0);
  table->traced = exact.count > 0;
  if (table->traced) exact_table_tell(&exact, job->symbols, methods);
  if (table->traced && rtop_sort_key_figure(options->sort) == RTOP_FIGURE_EXACT)
    rtop_methods_sort(methods, job->symbols, options);
  exact_table_destroy(&exact);
  return fine;
}

bool export_table_build(struct export_table *table, const struct export_job *job, enum rtop_sort_key sort)
{
  struct rtop_methods methods = { 0 };
  struct rtop_methods_options options = job->options;
  options.sort = sort;
  table->now_ns = table_all(job, &job->sum);
  table->before_ns = job->differs ? table_all(job, &job->baseline) : 1;
  bool calls = job->given->calls != NULL, fine = rtop_methods_build(&methods, &job->sum, job->symbols, &options);
  if (fine && calls) {
    rtop_methods_tell_calls(&methods);
    rtop_methods_sort(&methods, job->symbols, &options);
  }
  fine = fine && (calls || table_traced(table, job, &methods, &options)) && table_now(table, &methods) &&
         (!job->differs || table_compare(table, job, &options));
  rtop_methods_destroy(&methods);
  return fine;
}

double export_table_change(const struct export_table *table, const struct export_method *method, bool total)
{
  double now_ns = (double)(total ? method->now.total_ns : method->now.self_ns);
  double before_ns = (double)(total ? method->before.total_ns : method->before.self_ns);
  return 100 * (now_ns / table->now_ns - before_ns / table->before_ns);
}

struct table_order {
  const struct export_table *table;
  bool total;
};

static int table_compare_changes(const void *left, const void *right, void *context)
{
  const struct table_order *order = context;
  const struct export_method *a = left, *b = right;
  double first = fabs(export_table_change(order->table, a, order->total));
  double second = fabs(export_table_change(order->table, b, order->total));
  if (first != second) return first > second ? -1 : 1;
  return a->now.frame < b->now.frame ? -1 : a->now.frame > b->now.frame;
}

void export_table_sort_changes(struct export_table *table, bool total)
{
  struct table_order order = { table, total };
  if (table->count) qsort_r(table->methods, table->count, sizeof *table->methods, table_compare_changes, &order);
}

void export_table_destroy(struct export_table *table)
{
  free(table->methods);
  *table = (struct export_table){ 0 };
}
