/* SPDX-License-Identifier: MIT */
/* Sorts rows by buckets, or keeps them in place. */
#include "order.h"
#include "tui/text/reserve.h"
#include "tui/text/text.h"
#include <stdlib.h>
#include <string.h>

enum { SORT_FEW = 16, SORT_BITS = 10 };

/* Converts a double to an integer that sorts in the same order, largest first unless reversed. */
static uint64_t sortable(double key, bool reverse)
{
  uint64_t bits;
  memcpy(&bits, &key, sizeof bits);
  bits = bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
  return reverse ? bits : ~bits;
}

static bool stands_before(const struct order_item *a, const struct order_item *b)
{
  return a->key != b->key ? a->key < b->key : a->tie < b->tie;
}

static void sort_few(struct order_item *items, size_t count)
{
  for (size_t i = 1; i < count; i++) {
    struct order_item item = items[i];
    size_t at = i;
    for (; at > 0 && stands_before(&item, &items[at - 1]); at--) items[at] = items[at - 1];
    items[at] = item;
  }
}

/* Returns the number to sort by: the key, or with `ties` the tie, for items with equal keys. */
static uint64_t sort_number(const struct order_item *item, bool ties)
{
  return ties ? item->tie : item->key;
}

/* Difference of the lowest and the highest number. */
static uint64_t sort_range(const struct order_item *items, size_t count, bool ties, uint64_t *lowest)
{
  uint64_t highest = 0;
  *lowest = UINT64_MAX;
  for (size_t i = 0; i < count; i++) {
    uint64_t number = sort_number(&items[i], ties);
    *lowest = number < *lowest ? number : *lowest;
    highest = number > highest ? number : highest;
  }
  return highest - *lowest;
}

/* Sorts by key, then tie: into buckets of a few items, lowest first, then within each bucket. */
static void sort_many(struct order_item *items, struct order_item *spare, size_t count)
{
  uint32_t end[1 << SORT_BITS];
  unsigned bits = 1, shift = 0;
  uint64_t lowest, range = sort_range(items, count, false, &lowest);
  bool ties = range == 0;
  if (ties) range = sort_range(items, count, true, &lowest);
  if (range == 0) return;
  while (bits < SORT_BITS && count >> bits > SORT_FEW / 4) bits++;
  while (range >> shift >> bits != 0) shift++;
  memset(end, 0, sizeof *end << bits);
  for (size_t i = 0; i < count; i++) end[(sort_number(&items[i], ties) - lowest) >> shift]++;
  for (uint32_t i = 0, sum = 0, here; i < 1u << bits; i++, sum += here) {
    here = end[i];
    end[i] = sum;
  }
  for (size_t i = 0; i < count; i++) spare[end[(sort_number(&items[i], ties) - lowest) >> shift]++] = items[i];
  memcpy(items, spare, count * sizeof *items);
  for (uint32_t i = 0, from = 0; i < 1u << bits; from = end[i++])
    if (end[i] - from > SORT_FEW) sort_many(items + from, spare, end[i] - from);
    else sort_few(items + from, end[i] - from);
}

static void sort_items(struct order *order, size_t count)
{
  sort_many(order->items, order->spare, count);
}

bool order_is_off(const struct rtop_method_row *row)
{
  const uint64_t *wall_ns = row->total.wall_ns;
  return !row->gone && row->total_ns == 0 && wall_ns[RTOP_STATE_BLOCKED] > 0 && wall_ns[RTOP_STATE_WAITING] == 0 &&
         row->self.allocations == 0;
}

static bool is_part(const struct order *order, const struct rtop_method_row *row)
{
  bool off = order_is_off(row);
  if (order->part == ORDER_BUSY && row->frame == order->first) return true;
  return order->part == ORDER_ALL || (order->part == ORDER_BUSY ? !off : off || row->self.wall_ns[RTOP_STATE_BLOCKED]);
}

static bool reserve(struct order *order, size_t rows, size_t frames)
{
  return rtop_reserve(&order->rows, &order->row_capacity, rows + 1, sizeof *order->rows) &&
         rtop_reserve(&order->items, &order->capacity, rows + 1, sizeof *order->items) &&
         rtop_reserve(&order->spare, &order->spare_capacity, rows + 1, sizeof *order->spare) &&
         rtop_reserve(&order->held, &order->held_capacity, order->last_count + 1, sizeof *order->held) &&
         rtop_reserve(&order->rank, &order->rank_capacity, frames + 1, sizeof *order->rank);
}

/* Returns the value as displayed on the screen, without the part that is rounded away. */
static double order_worth(const struct order *order, const struct rtop_methods *methods, size_t row)
{
  double value = rtop_method_value(&methods->rows[row], order->valued), length = (double)methods->length_ns;
  bool share = order->shares && columns_info(order->valued)->figure == RTOP_FIGURE_TIME && length > 0;
  return share ? rtop_text_tenths(100 * value / length) : value;
}

/* Makes the sort item of a row; equal keys are sorted by name. `reverse` reverses the names only if the column of names
 * is the sort key, where all keys are equal. */
static struct order_item item_of(const struct order *order, const struct rtop_methods *methods, size_t row,
                                 bool reverse)
{
  bool by_text = order->valued == RTOP_SORT_NAME || order->valued == RTOP_SORT_LOCATION;
  uint32_t frame = methods->rows[row].frame;
  uint32_t tie = methods->ranks != NULL ? methods->ranks[frame] : (uint32_t)row;
  return (struct order_item){
    .key = sortable(by_text ? -1 : order_worth(order, methods, row), reverse),
    .tie = by_text && reverse ? ~tie : tie,
    .row = (uint32_t)row,
  };
}

/* Keeps held rows in place; new rows follow, sorted by their figures. */
static void hold_rows(struct order *order, const struct rtop_methods *methods, bool reverse)
{
  size_t fresh = 0, kept = 0;
  memset(order->held, 0, order->last_count * sizeof *order->held);
  for (size_t i = 0; i < methods->count; i++) {
    uint32_t place = order->rank[methods->rows[i].frame];
    if (!is_part(order, &methods->rows[i])) continue;
    if (place != 0) order->held[place - 1] = (uint32_t)i + 1;
    else order->items[fresh++] = item_of(order, methods, i, reverse);
  }
  for (size_t place = 0; place < order->last_count; place++)
    if (order->held[place] != 0) order->rows[kept++] = order->held[place] - 1;
  sort_items(order, fresh);
  for (size_t i = 0; i < fresh; i++) order->rows[kept++] = order->items[i].row;
  order->count = kept;
}

static void put_first(struct order *order, const struct rtop_methods *methods)
{
  size_t at = 0;
  while (at < order->count && methods->rows[order->rows[at]].frame != order->first) at++;
  if (at == order->count) return;
  uint32_t row = order->rows[at];
  memmove(&order->rows[1], &order->rows[0], at * sizeof row);
  order->rows[0] = row;
}

static void sort_rows(struct order *order, const struct rtop_methods *methods, bool reverse)
{
  order->count = 0;
  for (size_t i = 0; i < methods->count; i++)
    if (is_part(order, &methods->rows[i])) order->items[order->count++] = item_of(order, methods, i, reverse);
  sort_items(order, order->count);
  for (size_t i = 0; i < order->count; i++) order->rows[i] = order->items[i].row;
  if (order->first != 0) put_first(order, methods);
}

enum { FOLD_WAITS = 200 };

static bool folds(const struct order *order, const struct rtop_method_row *row, bool hold)
{
  uint32_t frame = row->frame, place = order->rank[frame];
  bool time = columns_info(order->valued)->figure == RTOP_FIGURE_TIME;
  if (frame == order->first || frame == order->kept) return false;
  if (hold && place != 0) return place > order->last_above;
  if (time && (double)row->self.wall_ns[RTOP_STATE_WAITING] >= FOLD_WAITS * order->fold_below) return false;
  return rtop_method_value(row, order->valued) < order->fold_below;
}

/* Each side keeps its order. */
static void fold_rows(struct order *order, const struct rtop_methods *methods, bool hold)
{
  size_t above = 0, folded = 0;
  for (size_t i = 0; i < order->count; i++) {
    uint32_t row = order->rows[i];
    if (folds(order, &methods->rows[row], hold)) order->items[folded++].row = row;
    else order->rows[above++] = row;
  }
  for (size_t i = 0; i < folded; i++) order->rows[above + i] = order->items[i].row;
  order->folded = folded;
}

bool order_apply(struct order *order, const struct rtop_methods *methods, enum rtop_sort_key sort, bool reverse,
                 bool hold, size_t frame_count)
{
  order->last_count = order->count;
  order->last_above = order->count - order->folded;
  order->count = order->folded = 0;
  if (!reserve(order, methods->count, frame_count)) {
    order_forget(order);
    return false;
  }
  order->valued = sort;
  if (hold) hold_rows(order, methods, reverse);
  else sort_rows(order, methods, reverse);
  if (order->fold_below > 0) fold_rows(order, methods, hold);
  order_forget(order);
  for (size_t i = 0; i < order->count; i++) order->rank[methods->rows[order->rows[i]].frame] = (uint32_t)i + 1;
  return true;
}

uint32_t order_place(const struct order *order, uint32_t frame)
{
  return frame < order->rank_capacity && order->rank[frame] != 0 ? order->rank[frame] - 1 : UINT32_MAX;
}

void order_forget(struct order *order)
{
  if (order->rank != NULL) memset(order->rank, 0, order->rank_capacity * sizeof *order->rank);
}

void order_destroy(struct order *order)
{
  free(order->rows);
  free(order->held);
  free(order->items);
  free(order->spare);
  free(order->rank);
  memset(order, 0, sizeof *order);
}
