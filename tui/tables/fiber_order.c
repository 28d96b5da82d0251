/* SPDX-License-Identifier: MIT */
/* Sorts the rows of a table of fibers, and removes those that a filter hides. */
#include "fiber_order.h"

#include "tui/methods/methods_impl.h"
#include <stdlib.h>
#include <string.h>

struct fiber_compare {
  const struct rtop_symbols *symbols;
  const struct fiber_order *order;
};

static double fiber_key(const struct fiber_row *row, enum fiber_sort sort)
{
  switch (sort) {
  case FIBER_SORT_ALIVE: return row->alive;
  case FIBER_SORT_WAITING: return row->waiting;
  case FIBER_SORT_LONGEST: return (double)row->longest_ns;
  default: return (double)row->wait_ns;
  }
}

static int fiber_compare(const void *left, const void *right, void *context)
{
  const struct fiber_row *a = left, *b = right;
  const struct fiber_compare *by = context;
  int before = 0;
  if (a->source != b->source) return a->source < b->source ? -1 : 1;
  if (a->serial != b->serial) return a->serial < b->serial ? -1 : 1;
  if (by->order->sort == FIBER_SORT_NAME) {
    before = strcmp(fiber_row_name(a, by->symbols), fiber_row_name(b, by->symbols));
  } else {
    double one = fiber_key(a, by->order->sort), other = fiber_key(b, by->order->sort);
    before = (one < other) - (one > other);
  }
  if (before != 0) return by->order->reverse ? -before : before;
  return (a->kind > b->kind) - (a->kind < b->kind);
}

static bool fiber_matches(const struct methods_regex *regex, const struct rtop_symbols *symbols,
                          const struct fiber_row *row)
{
  if (row->kind && methods_regex_matches(regex, rtop_symbols_get(symbols, row->kind))) return true;
  for (uint32_t node = row->node; node != 0;) {
    const struct rtop_call_node *call = rtop_symbols_get_node(symbols, node);
    if (methods_regex_matches(regex, rtop_symbols_get(symbols, call->frame))) return true;
    node = call->parent < node ? call->parent : 0;
  }
  return false;
}

/* Filters one thread's rows [from, end) and moves the remaining ones to `to`; returns their number. */
static size_t fiber_keep(struct fiber_table *table, size_t to, size_t from, size_t end, const bool *matches)
{
  size_t kept = 0;
  bool any = false;
  for (size_t i = from; i < end; i++) any = any || matches[i];
  for (size_t i = from; i < end; i++)
    if (matches[i] || !any) table->rows[to + kept++] = table->rows[i];
  return kept;
}

static bool fiber_filter(struct fiber_table *table, const struct rtop_symbols *symbols, const struct fiber_order *order)
{
  struct methods_regex regex = { 0 };
  bool *matches = calloc(table->count + 1, sizeof *matches);
  bool fine = matches && methods_regex_use(&regex, order->filter);
  for (size_t i = 0; fine && i < table->count; i++)
    matches[i] = fiber_matches(&regex, symbols, &table->rows[i]) != order->filter_invert;
  size_t kept = 0;
  for (size_t from = 0, end; fine && from < table->count; from = end) {
    const struct fiber_row first = table->rows[from];
    for (end = from;
         end < table->count && table->rows[end].serial == first.serial && table->rows[end].source == first.source;
         end++)
      ;
    kept += fiber_keep(table, kept, from, end, matches);
  }
  if (fine) table->count = kept;
  methods_regex_free(&regex);
  free(matches);
  return fine;
}

bool fiber_order(struct fiber_table *table, const struct rtop_symbols *symbols, const struct fiber_order *order)
{
  struct fiber_compare by = { symbols, order };
  bool fine = !order->filter || table->count == 0 || fiber_filter(table, symbols, order);
  if (table->count > 1) qsort_r(table->rows, table->count, sizeof *table->rows, fiber_compare, &by);
  return fine;
}
