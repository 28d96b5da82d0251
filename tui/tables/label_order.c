/* SPDX-License-Identifier: MIT */
/* Sorts labels like methods, as rows with numbers instead of frames. */
#include "label_order.h"

#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

enum {
  LABEL_NUMBERS_MAX = 16384
}; /* limit for numbers, including those of labels that no
                                       longer occur; beyond it numbering starts again */

/* Returns the number of a label, from 1 on, which stays the same once assigned. 0: memory ran out. */
static uint32_t number_of(struct label_order *order, uint64_t id)
{
  uint32_t *number = rtop_pairs_at(&order->numbers, (uint32_t)(id >> 32), (uint32_t)id);
  if (!number) return 0;
  if (*number == 0) *number = (uint32_t)order->numbers.count;
  return *number;
}

/* Copies each figure of a label to the corresponding field of a method. */
static struct rtop_method_row row_of(const struct label_row *label, uint32_t number, enum rtop_mode mode)
{
  struct rtop_method_row row = {
    .frame = number,
    .self_ns = rtop_mode_clock(&label->cost, mode),
    .total_ns = rtop_cost_wall(&label->cost),
    .self = label->cost,
    .most_ns = label_row_each_ns(label),
  };
  row.self.samples = label->count;
  return row;
}

static bool fill_rows(struct label_order *order, const struct label_table *table, enum rtop_mode mode)
{
  struct rtop_methods *rows = &order->rows;
  if (!rtop_reserve(&rows->rows, &rows->capacity, table->count + 1, sizeof *rows->rows)) return false;
  for (size_t i = 0; i < table->count; i++) {
    uint32_t number = number_of(order, table->rows[i]->id);
    if (!number) return false;
    rows->rows[i] = row_of(table->rows[i], number, mode);
  }
  rows->count = table->count;
  return true;
}

static int by_name(const void *left, const void *right)
{
  return strcmp((*(struct label_row *const *)left)->name, (*(struct label_row *const *)right)->name);
}

static bool take_places(const struct order *order, struct label_table *table)
{
  if (table->count == 0) return true;
  struct label_row **rows = malloc(table->count * sizeof(struct label_row *));
  for (size_t i = 0; rows && i < order->count; i++) rows[i] = table->rows[order->rows[i]];
  if (rows) memcpy(table->rows, rows, table->count * sizeof(struct label_row *));
  free(rows);
  return rows != NULL;
}

bool label_order_apply(struct label_order *order, struct label_table *table, const struct label_table_options *options,
                       uint64_t length_ns, bool shares)
{
  enum rtop_sort_key sort = label_table_key(options->sort);
  const struct label_table_options *last = &order->last;
  if (last->sort != options->sort || last->mode != options->mode || last->reverse != options->reverse)
    order_forget(&order->order);
  if (order->numbers.count + table->count > LABEL_NUMBERS_MAX) label_order_forget(order);
  order->last =
      (struct label_table_options){ .sort = options->sort, .mode = options->mode, .reverse = options->reverse };
  if (table->count > 1) qsort(table->rows, table->count, sizeof(struct label_row *), by_name);
  order->order.shares = shares;
  order->rows.length_ns = length_ns;
  return fill_rows(order, table, options->mode) &&
         order_apply(&order->order, &order->rows, sort, options->reverse, false, order->numbers.count) &&
         take_places(&order->order, table);
}

void label_order_forget(struct label_order *order)
{
  order_forget(&order->order);
  rtop_pairs_clear(&order->numbers);
}

void label_order_destroy(struct label_order *order)
{
  order_destroy(&order->order);
  rtop_methods_destroy(&order->rows);
  rtop_pairs_destroy(&order->numbers);
  *order = (struct label_order){ 0 };
}
