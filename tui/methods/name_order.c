/* SPDX-License-Identifier: MIT */
/* Ranks of all frames by name or place, kept up to date by merging new ones. */
#include "name_order.h"

#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

struct sorting {
  const struct rtop_symbols *symbols;
  bool by_place;
};

static int compare_places(const struct rtop_symbol *a, const struct rtop_symbol *b)
{
  int order = strcmp(a->path, b->path);
  return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

int rtop_name_compare(const struct rtop_symbols *symbols, uint32_t first, uint32_t second, bool by_place)
{
  const struct rtop_symbol *a = rtop_symbols_get(symbols, first), *b = rtop_symbols_get(symbols, second);
  int order = by_place ? compare_places(a, b) : strcmp(a->label, b->label);
  if (order == 0) order = by_place ? strcmp(a->label, b->label) : compare_places(a, b);
  return order ? order : first < second ? -1 : first > second;
}

static int compare(const void *left, const void *right, void *context)
{
  const struct sorting *sorting = context;
  return rtop_name_compare(sorting->symbols, *(const uint32_t *)left, *(const uint32_t *)right, sorting->by_place);
}

/* Number of the first `count` frames that come before a frame. */
static uint32_t place_for(const struct rtop_name_order *order, uint32_t count, uint32_t frame, struct sorting *sorting)
{
  uint32_t low = 0, high = count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (compare(&order->frames[middle], &frame, sorting) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Merges new frames, sorted behind the old ones, from the back: nothing is moved twice, and names are compared only
 * in binary searches. */
static bool merge(struct rtop_name_order *order, uint32_t old_count, struct sorting *sorting)
{
  uint32_t added = order->count - old_count, end = old_count;
  uint32_t *fresh = malloc(((size_t)added + 1) * sizeof *fresh);
  if (!fresh) return false;
  memcpy(fresh, order->frames + old_count, added * sizeof *fresh);
  while (added > 0) {
    uint32_t at = place_for(order, end, fresh[added - 1], sorting);
    memmove(order->frames + at + added, order->frames + at, (end - at) * sizeof *order->frames);
    order->frames[at + added - 1] = fresh[added - 1];
    end = at;
    added--;
  }
  free(fresh);
  return true;
}

bool rtop_name_order_update(struct rtop_name_order *order, const struct rtop_symbols *symbols, bool by_place)
{
  struct sorting sorting = { symbols, by_place };
  uint32_t count = rtop_symbols_frame_count(symbols);
  uint32_t names = rtop_symbols_names(symbols) + rtop_symbols_reuses(symbols);
  if (count == order->count && names == order->names && by_place == order->by_place) return true;
  if (!rtop_reserve(&order->frames, &order->capacity, count, sizeof *order->frames) ||
      !rtop_reserve(&order->ranks, &order->rank_capacity, count, sizeof *order->ranks))
    return false;
  uint32_t old_count = names == order->names && by_place == order->by_place && count > order->count ? order->count : 0;
  for (uint32_t frame = old_count; frame < count; frame++) order->frames[frame] = frame;
  order->count = count;
  order->names = names;
  order->by_place = by_place;
  qsort_r(order->frames + old_count, count - old_count, sizeof *order->frames, compare, &sorting);
  bool fine = merge(order, old_count, &sorting);
  order->names = fine ? names : names - 1;
  for (uint32_t i = 0; i < count; i++) order->ranks[order->frames[i]] = i;
  return fine;
}

void rtop_name_order_destroy(struct rtop_name_order *order)
{
  free(order->ranks);
  free(order->frames);
  *order = (struct rtop_name_order){ 0 };
}
