/* Rows sorted into buckets, with the places they had before. */
#include "order.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

enum { SORT_FEW = 16, SORT_BITS = 10 };

/* Doubles as whole numbers of the same order, largest first unless reversed. */
static uint64_t sortable(double key, bool reverse)
{
  uint64_t bits;
  memcpy(&bits, &key, sizeof bits);
  bits = bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
  return reverse ? bits : ~bits;
}

static void use_spare(struct order *order)
{
  struct order_item *swapped = order->items;
  size_t capacity = order->capacity;
  order->items = order->spare;
  order->capacity = order->spare_capacity;
  order->spare = swapped;
  order->spare_capacity = capacity;
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

/* What tells them apart: keys, or where these are all the same, ties. */
static uint64_t sort_number(const struct order_item *item, bool ties)
{
  return ties ? item->tie : item->key;
}

/* How far apart the lowest and the highest are. */
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

/* By key, equal ones by tie: into buckets of a few items, the lowest first, and each of these by itself. */
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

enum { ORDER_TENTH = 10, ORDER_TWENTIETH = 20, ORDER_AVERAGE = 4, ORDER_LEAST = 5, ORDER_CALM = 1000 };

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

/* Items sorted by worth: of those that may stand here, the one that stood highest. */
static void calm(struct order *order, size_t count, const double *worth, bool reverse, double least, int part)
{
  double sign = reverse ? -1 : 1;
  for (size_t i = 0; i < count; i++) {
    uint32_t frame = order->items[i].frame, rank = order->rank[frame];
    order->calm[i] = (struct rtop_calm_row){ .worth = sign * worth[frame], .rank = rank != 0 ? rank : UINT32_MAX };
  }
  rtop_calm_order(order->calm, count, least, part, order->heap, order->rows);
  for (size_t i = 0; i < count; i++) order->spare[i] = order->items[order->rows[i]];
  use_spare(order);
}

/* A new row is worth what it is; of the others a quarter of the change counts, and none that chance may have made. */
static void take_values(struct order *order, const struct rtop_methods *methods, enum rtop_sort_key sort)
{
  enum rtop_figure figure = columns_info(sort)->figure;
  bool time = figure == RTOP_FIGURE_TIME || figure == RTOP_FIGURE_RATIO, same = order->valued == sort;
  double length = (double)methods->length_ns;
  for (size_t i = 0; i < methods->count; i++) {
    uint32_t frame = methods->rows[i].frame;
    double value = rtop_method_value(&methods->rows[i], sort), *smooth = &order->smooth[frame];
    bool known = order->rank[frame] != 0;
    if (known && same && time && length > 0 && value != order->values[frame])
      value = rtop_calm_figure(order->values[frame], value, rtop_calm_noise(value / length, order->samples) * length);
    order->values[frame] = value;
    *smooth = known ? *smooth + (value - *smooth) / ORDER_AVERAGE : value;
  }
  order->valued = sort;
}

static bool reserve(struct order *order, size_t rows, size_t frames)
{
  return rtop_reserve(&order->rows, &order->row_capacity, rows + 1, sizeof *order->rows) &&
         rtop_reserve(&order->values, &order->value_capacity, frames + 1, sizeof *order->values) &&
         rtop_reserve(&order->smooth, &order->smooth_capacity, frames + 1, sizeof *order->smooth) &&
         rtop_reserve(&order->calm, &order->calm_capacity, rows + 1, sizeof *order->calm) &&
         rtop_reserve(&order->heap, &order->heap_capacity, rows + 1, sizeof *order->heap) &&
         rtop_reserve(&order->items, &order->capacity, rows + 1, sizeof *order->items) &&
         rtop_reserve(&order->spare, &order->spare_capacity, rows + 1, sizeof *order->spare) &&
         rtop_reserve(&order->held, &order->held_capacity, order->last_count + 1, sizeof *order->held) &&
         rtop_reserve(&order->rank, &order->rank_capacity, frames + 1, sizeof *order->rank);
}

/* What a row is sorted by; equal ones by name. Only the column of names itself, where all keys are equal, turns
 * that around. */
static struct order_item item_of(const struct order *order, const struct rtop_methods *methods, size_t row,
                                 const double *worth, bool reverse)
{
  bool by_text = order->valued == RTOP_SORT_NAME || order->valued == RTOP_SORT_LOCATION;
  uint32_t frame = methods->rows[row].frame;
  uint32_t tie = methods->ranks != NULL ? methods->ranks[frame] : (uint32_t)row;
  return (struct order_item){
    .key = sortable(by_text ? -1 : worth[frame], reverse),
    .tie = by_text && reverse ? ~tie : tie,
    .row = (uint32_t)row,
    .frame = frame,
  };
}

/* Is a little more or less of it of no weight? And how much at least? */
static bool swings(const struct order *order, const struct rtop_methods *methods, double *least)
{
  enum rtop_figure figure = columns_info(order->valued)->figure;
  bool time = figure == RTOP_FIGURE_TIME || figure == RTOP_FIGURE_RATIO;
  *least = time ? (double)methods->length_ns / 1000 : order->valued == RTOP_SORT_HISTORY ? 0.001 : 0;
  return time || figure == RTOP_FIGURE_RATE || figure == RTOP_FIGURE_COUNT || order->valued == RTOP_SORT_HISTORY;
}

/* Held rows keep their places, new ones come behind them by their figures. */
static void hold_rows(struct order *order, const struct rtop_methods *methods, bool reverse)
{
  size_t fresh = 0, kept = 0;
  memset(order->held, 0, order->last_count * sizeof *order->held);
  for (size_t i = 0; i < methods->count; i++) {
    uint32_t place = order->rank[methods->rows[i].frame];
    if (!is_part(order, &methods->rows[i])) continue;
    if (place != 0) order->held[place - 1] = (uint32_t)i + 1;
    else order->items[fresh++] = item_of(order, methods, i, order->values, reverse);
  }
  for (size_t place = 0; place < order->last_count; place++)
    if (order->held[place] != 0) order->rows[kept++] = order->held[place] - 1;
  sort_items(order, fresh);
  for (size_t i = 0; i < fresh; i++) order->rows[kept++] = order->items[i].row;
  order->count = kept;
}

static void sort_by(struct order *order, const struct rtop_methods *methods, const double *worth, bool reverse)
{
  order->count = 0;
  for (size_t i = 0; i < methods->count; i++)
    if (is_part(order, &methods->rows[i])) order->items[order->count++] = item_of(order, methods, i, worth, reverse);
  sort_items(order, order->count);
}

/* The first of sorted rows, as many as are looked at: by what they are worth on the average, then what
 * contradicts the figures that are seen. Those below stay in their strict order. */
static void calm_first(struct order *order, bool reverse, double least)
{
  struct order_item sorted[ORDER_CALM];
  size_t most = order->seen > 0 && order->seen < ORDER_CALM ? order->seen : ORDER_CALM;
  size_t count = order->count < most ? order->count : most;
  memcpy(sorted, order->items, count * sizeof *sorted);
  for (size_t i = 0; i < count; i++) order->items[i].key = sortable(order->smooth[order->items[i].frame], reverse);
  sort_items(order, count);
  calm(order, count, order->smooth, reverse, least, ORDER_TWENTIETH);
  for (size_t i = 0; i < count; i++) order->rank[order->items[i].frame] = (uint32_t)i + 1;
  memcpy(order->items, sorted, count * sizeof *sorted);
  calm(order, count, order->values, reverse, ORDER_LEAST * least, ORDER_TENTH);
  for (size_t i = 0; i < count; i++) order->rows[i] = order->items[i].row;
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
  double least;
  sort_by(order, methods, order->values, reverse);
  for (size_t i = 0; i < order->count; i++) order->rows[i] = order->items[i].row;
  if (swings(order, methods, &least) && order->last_count > 0) calm_first(order, reverse, least);
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
  return order->values[frame] < order->fold_below;
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
  take_values(order, methods, sort);
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
  free(order->values);
  free(order->smooth);
  free(order->calm);
  free(order->held);
  free(order->heap);
  free(order->items);
  free(order->spare);
  free(order->rank);
  memset(order, 0, sizeof *order);
}
