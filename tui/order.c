#include "order.h"
#include "reserve.h"
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

/* One stable pass over some bits; bits that are the same everywhere cost no pass. */
static void pass(struct order *order, int digit, unsigned shift)
{
  uint32_t from[DIGITS] = { 0 };
  for (size_t i = 0; i < order->count; i++) {
    from[digits_of(&order->items[i], digit) >> shift & (DIGITS - 1)]++;
  }
  uint32_t first = (uint32_t)(digits_of(&order->items[0], digit) >> shift & (DIGITS - 1));
  if (from[first] == order->count) {
    return;
  }
  uint32_t sum = 0;
  for (uint32_t i = 0; i < DIGITS; i++) {
    uint32_t here = from[i];
    from[i] = sum;
    sum += here;
  }
  for (size_t i = 0; i < order->count; i++) {
    order->spare[from[digits_of(&order->items[i], digit) >> shift & (DIGITS - 1)]++] = order->items[i];
  }
  struct order_item *swapped = order->items;
  size_t capacity = order->capacity;
  order->items = order->spare;
  order->capacity = order->spare_capacity;
  order->spare = swapped;
  order->spare_capacity = capacity;
}

/* By key, equal ones by tie: from the least significant digit on. */
static void sort_items(struct order *order)
{
  if (order->count < 2) {
    return;
  }
  for (unsigned shift = 0; shift < 32; shift += DIGIT_BITS) {
    pass(order, -1, shift);
  }
  for (int digit = 0; digit * DIGIT_BITS < 64; digit++) {
    pass(order, digit, 0);
  }
}

/* Neighbours that swapped places for less than a tenth of a point swap back: one pass. */
static void settle(struct order *order, double tolerance)
{
  struct order_item *item = order->items;
  for (size_t i = 1; i < order->count; i++) {
    double difference = order->keys[item[i - 1].row] - order->keys[item[i].row];
    uint32_t above = order->rank[item[i - 1].frame], below = order->rank[item[i].frame];
    if (above != 0 && below != 0 && below < above && difference < tolerance && difference > -tolerance
        && difference != 0) {
      struct order_item swapped = item[i - 1];
      item[i - 1] = item[i];
      item[i] = swapped;
    }
  }
}

static bool reserve(struct order *order, size_t rows, size_t frames)
{
  return rtop_reserve(&order->rows, &order->row_capacity, rows + 1, sizeof *order->rows)
    && rtop_reserve(&order->keys, &order->key_capacity, rows + 1, sizeof *order->keys)
    && rtop_reserve(&order->items, &order->capacity, rows + 1, sizeof *order->items)
    && rtop_reserve(&order->spare, &order->spare_capacity, rows + 1, sizeof *order->spare)
    && rtop_reserve(&order->rank, &order->rank_capacity, frames + 1, sizeof *order->rank);
}

/* What the items are sorted by. Held rows keep their places, new ones come behind them by their figures. */
static void take_items(struct order *order, const struct rtop_methods *methods, enum rtop_sort_key sort,
                       bool reverse, bool hold)
{
  bool by_text = sort == RTOP_SORT_NAME || sort == RTOP_SORT_LOCATION;
  for (size_t i = 0; i < methods->count; i++) {
    uint32_t frame = methods->rows[i].frame, place = order->rank[frame];
    uint32_t tie = methods->ranks != NULL ? methods->ranks[frame] : (uint32_t)i;
    struct order_item *item = &order->items[i];
    *item = (struct order_item){ .key = place, .row = (uint32_t)i, .frame = frame };
    if (hold && place != 0) {
      continue;                        /* nobody else has its place: what it is worth does not matter */
    }
    order->keys[i] = by_text ? -1 : rtop_method_value(&methods->rows[i], sort);
    item->key = sortable(order->keys[i], reverse);
    /* Equal ones by name. Only the column of names itself, where all keys are equal, turns that around. */
    item->tie = by_text && reverse ? ~tie : tie;
    if (hold) {
      item->key = item->key >> 1 | UINT64_C(1) << 63;
    }
  }
}

bool order_apply(struct order *order, const struct rtop_methods *methods, enum rtop_sort_key sort,
                 bool reverse, bool hold, size_t frame_count)
{
  order->count = 0;
  if (!reserve(order, methods->count, frame_count)) {
    return false;
  }
  order->count = methods->count;
  take_items(order, methods, sort, reverse, hold);
  sort_items(order);
  if (!hold && columns_info(columns_of_sort(sort))->kind == COLUMN_KIND_TIME) {
    settle(order, (double)methods->length_ns / 1000);
  } else if (!hold && sort == RTOP_SORT_HISTORY) {
    settle(order, 0.001);
  }
  order_forget(order);
  for (size_t i = 0; i < order->count; i++) {
    order->rows[i] = order->items[i].row;
    order->rank[order->items[i].frame] = (uint32_t)i + 1;
  }
  return true;
}

uint32_t order_place(const struct order *order, uint32_t frame)
{
  return frame < order->rank_capacity && order->rank[frame] != 0 ? order->rank[frame] - 1 : UINT32_MAX;
}

void order_forget(struct order *order)
{
  if (order->rank != NULL) {
    memset(order->rank, 0, order->rank_capacity * sizeof *order->rank);
  }
}

void order_destroy(struct order *order)
{
  free(order->rows);
  free(order->keys);
  free(order->items);
  free(order->spare);
  free(order->rank);
  memset(order, 0, sizeof *order);
}
