/* SPDX-License-Identifier: MIT */
/* Rows of a single sum, made by a live sum that is used once. */
#include "methods.h"

#include "live.h"
#include "methods_impl.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

bool rtop_methods_leave_out(const char *expression, struct rtop_sum *sum)
{
  struct methods_regex regex = { 0 };
  bool fine = methods_regex_use(&regex, expression);
  for (size_t i = 0; fine && regex.text && i < sum->thread_count; i++)
    if (regexec(&regex.compiled, sum->threads[i].name, 0, NULL, 0) != 0) sum->threads[i].hidden = true;
  methods_regex_free(&regex);
  return fine;
}

/* Hides threads that an expression excludes, in a copy of the rows. */
static bool choose_threads(struct rtop_sum *sum, const char *expression)
{
  struct rtop_thread_row *threads = malloc((sum->thread_count + 1) * sizeof *threads);
  if (threads && sum->thread_count) memcpy(threads, sum->threads, sum->thread_count * sizeof *threads);
  sum->threads = threads;
  return threads && rtop_methods_leave_out(expression, sum);
}

static bool take_rows(struct rtop_methods *methods, const struct rtop_methods *from)
{
  if (!rtop_reserve(&methods->rows, &methods->capacity, from->count + 1, sizeof *methods->rows)) return false;
  if (from->count) memcpy(methods->rows, from->rows, from->count * sizeof *methods->rows);
  methods->count = from->count;
  return true;
}

bool rtop_methods_build(struct rtop_methods *methods, const struct rtop_sum *sum, const struct rtop_symbols *symbols,
                        const struct rtop_methods_options *options)
{
  struct rtop_live *live = rtop_live_of(symbols);
  struct rtop_methods rows = { 0 };
  struct rtop_sum chosen = *sum;
  if (methods->borrowed) *methods = (struct rtop_methods){ 0 };
  methods->count = 0;
  methods->length_ns = sum->length_ns;
  bool fine = choose_threads(&chosen, options->thread_filter) && live;
  if (fine) rtop_live_want_ratios(live, true);
  fine = fine && rtop_live_take(live, &chosen) && rtop_live_methods(live, &chosen, &rows, options) &&
         take_rows(methods, &rows);
  methods->ranks = rows.ranks;
  if (fine) rtop_methods_sort(methods, symbols, options);
  methods->ranks = NULL;
  free(chosen.threads);
  rtop_live_destroy(&live);
  return fine;
}

void rtop_methods_tell_calls(struct rtop_methods *methods)
{
  for (size_t i = 0; i < methods->count; i++) {
    struct rtop_method_row *row = &methods->rows[i];
    row->traced = true;
    row->calls = row->self.samples;
    row->calls_per_s = methods->length_ns ? 1e9 * (double)row->calls / (double)methods->length_ns : 0;
    row->mean_ns = row->calls ? (double)row->total_ns / (double)row->calls : 0;
  }
}

void rtop_methods_destroy(struct rtop_methods *methods)
{
  if (!methods->borrowed) free(methods->rows);
  *methods = (struct rtop_methods){ 0 };
}
