/* Rows sorted by digits, with the places they had before. */
#include "order.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* Doubles as whole numbers of the same order, largest first unless reversed. */
static uint64_t sortable(double key, bool reverse)
{
  uint64_t bits;
  memcpy(&bits, &key, sizeof bits);
  bits = bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
  return reverse ? bits : ~bits;
}

static uint64_t digits_of(const struct order_item *item, int digit)
{
  return digit < 0 ? item->tie : item->key >> digit * DIGIT_BITS;
}

/* One stable pass over some bits. */
static void pass(struct order *order, size_t count, int digit, unsigned shift)
{
  uint32_t from[DIGITS] = { 0 };
  for (size_t i = 0; i < count; i++) from[digits_of(&order->items[i], digit) >> shift & (DIGITS - 1)]++;
  uint32_t sum = 0;
  for (uint32_t i = 0; i < DIGITS; i++) {
    uint32_t here = from[i];
    from[i] = sum;
    sum += here;
  }
  for (size_t i = 0; i < count; i++)
    order->spare[from[digits_of(&order->items[i], digit) >> shift & (DIGITS - 1)]++] = order->items[i];
  struct order_item *swapped = order->items;
  size_t capacity = order->capacity;
  order->items = order->spare;
  order->capacity = order->spare_capacity;
  order->spare = swapped;
  order->spare_capacity = capacity;
}

/* By key, equal ones by tie: from the least significant digit on. Bits that are the same everywhere cost no
 * pass. */
static void sort_items(struct order *order, size_t count)
{
  uint64_t keys = 0;
  uint32_t ties = 0;
  for (size_t i = 1; i < count; i++) {
    keys |= order->items[i].key ^ order->items[0].key;
    ties |= order->items[i].tie ^ order->items[0].tie;
  }
  for (unsigned shift = 0; shift < 32; shift += DIGIT_BITS)
    if ((ties >> shift & (DIGITS - 1)) != 0) pass(order, count, -1, shift);
  for (int digit = 0; digit * DIGIT_BITS < 64; digit++)
    if ((keys >> digit * DIGIT_BITS & (DIGITS - 1)) != 0) pass(order, count, digit, 0);
}

/* Neighbours that swapped places for less than a tenth of a point swap back: one pass. */
static void settle(struct order *order, double tolerance)
{
  struct order_item *item = order->items;
  for (size_t i = 1; i < order->count; i++) {
    double difference = order->values[item[i - 1].frame] - order->values[item[i].frame];
    uint32_t above = order->rank[item[i - 1].frame], below = order->rank[item[i].frame];
    if (above != 0 && below != 0 && below < above && difference < tolerance && difference > -tolerance &&
        difference != 0) {
      struct order_item swapped = item[i - 1];
      item[i - 1] = item[i];
      item[i] = swapped;
    }
  }
}

static void take_values(struct order *order, const struct rtop_methods *methods, enum rtop_sort_key sort)
{
  for (size_t i = 0; i < methods->count; i++)
    order->values[methods->rows[i].frame] = rtop_method_value(&methods->rows[i], sort);
  order->valued = sort;
}

static bool reserve(struct order *order, size_t rows, size_t frames)
{
  return rtop_reserve(&order->rows, &order->row_capacity, rows + 1, sizeof *order->rows) &&
         rtop_reserve(&order->values, &order->value_capacity, frames + 1, sizeof *order->values) &&
         rtop_reserve(&order->items, &order->capacity, rows + 1, sizeof *order->items) &&
         rtop_reserve(&order->spare, &order->spare_capacity, rows + 1, sizeof *order->spare) &&
         rtop_reserve(&order->held, &order->held_capacity, order->last_count + 1, sizeof *order->held) &&
         rtop_reserve(&order->rank, &order->rank_capacity, frames + 1, sizeof *order->rank);
}

/* What a row is sorted by; equal ones by name. Only the column of names itself, where all keys are equal, turns
 * that around. */
static struct order_item item_of(const struct order *order, const struct rtop_methods *methods, size_t row,
                                 bool reverse)
{
  bool by_text = order->valued == RTOP_SORT_NAME || order->valued == RTOP_SORT_LOCATION;
  uint32_t frame = methods->rows[row].frame;
  uint32_t tie = methods->ranks != NULL ? methods->ranks[frame] : (uint32_t)row;
  return (struct order_item){
    .key = sortable(by_text ? -1 : order->values[frame], reverse),
    .tie = by_text && reverse ? ~tie : tie,
    .row = (uint32_t)row,
    .frame = frame,
  };
}

/* Held rows keep their places, new ones come behind them by their figures. */
static void hold_rows(struct order *order, const struct rtop_methods *methods, bool reverse)
{
  size_t fresh = 0, kept = 0;
  memset(order->held, 0, order->last_count * sizeof *order->held);
  for (size_t i = 0; i < methods->count; i++) {
    uint32_t place = order->rank[methods->rows[i].frame];
    if (place != 0) order->held[place - 1] = (uint32_t)i + 1;
    else order->items[fresh++] = item_of(order, methods, i, reverse);
  }
  for (size_t place = 0; place < order->last_count; place++)
    if (order->held[place] != 0) order->rows[kept++] = order->held[place] - 1;
  sort_items(order, fresh);
  for (size_t i = 0; i < fresh; i++) order->rows[kept++] = order->items[i].row;
}

static void sort_rows(struct order *order, const struct rtop_methods *methods, bool reverse)
{
  for (size_t i = 0; i < methods->count; i++) order->items[i] = item_of(order, methods, i, reverse);
  sort_items(order, order->count);
  if (columns_info(order->valued)->figure == RTOP_FIGURE_TIME) settle(order, (double)methods->length_ns / 1000);
  else if (order->valued == RTOP_SORT_HISTORY) settle(order, 0.001);
  for (size_t i = 0; i < order->count; i++) order->rows[i] = order->items[i].row;
}

bool order_apply(struct order *order, const struct rtop_methods *methods, enum rtop_sort_key sort, bool reverse,
                 bool hold, size_t frame_count)
{
  order->last_count = order->count;
  order->count = 0;
  if (!reserve(order, methods->count, frame_count)) {
    order_forget(order);
    return false;
  }
  order->count = methods->count;
  take_values(order, methods, sort);
  if (hold) hold_rows(order, methods, reverse);
  else sort_rows(order, methods, reverse);
  order_forget(order);
  for (size_t i = 0; i < order->count; i++) order->rank[methods->rows[order->rows[i]].frame] = (uint32_t)i + 1;
  return true;
}

bool order_leaps(struct order *order, const struct rtop_methods *methods, enum rtop_sort_key sort, size_t frame_count)
{
  double best = 0, top = 0;
  if (!reserve(order, methods->count, frame_count)) return false;
  take_values(order, methods, sort);
  for (size_t i = 0; i < methods->count; i++) {
    uint32_t frame = methods->rows[i].frame;
    double value = order->values[frame];
    best = value > best ? value : best;
    top = order->rank[frame] == 1 ? value : top;
  }
  return best > 2 * top;
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
  free(order->values);
  free(order->held);
  free(order->items);
  free(order->spare);
  free(order->rank);
  memset(order, 0, sizeof *order);
}
