/* Orders siblings, calmly. */
#include "tree_places.h"

#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

struct tree_place {
  uint64_t key;
  size_t place;
};

void rtop_tree_places_begin(struct rtop_tree_places *places, enum rtop_sort_key sort, bool reverse, uint64_t length_ns)
{
  if (places->sort != sort || places->reverse != reverse) places->count = 0;
  places->sort = sort;
  places->reverse = reverse;
  /* Counts have no share of the time. */
  places->tolerance = sort == RTOP_SORT_ALLOC || sort == RTOP_SORT_THREADS ? 0 : length_ns / 1000;
}

static int places_compare(const void *left, const void *right)
{
  const struct tree_place *a = left, *b = right;
  return a->key < b->key ? -1 : a->key > b->key;
}

static const struct tree_place *places_find(const struct rtop_tree_places *places, uint64_t key)
{
  struct tree_place wanted = { .key = key };
  if (places->count == 0) return NULL;
  return bsearch(&wanted, places->places, places->count, sizeof wanted, places_compare);
}

bool rtop_tree_places_swap(const struct rtop_tree_places *places, uint64_t above, uint64_t above_value, uint64_t below,
                           uint64_t below_value)
{
  uint64_t difference = above_value > below_value ? above_value - below_value : below_value - above_value;
  if (difference == 0 || difference >= places->tolerance) return false;
  const struct tree_place *a = places_find(places, above), *b = places_find(places, below);
  return a && b && b->place < a->place;
}

struct places_order {
  const struct rtop_tree_places *places;
  const struct rtop_symbols *symbols;
};

static int places_compare_siblings(const void *left, const void *right, void *context)
{
  const struct places_order *order = context;
  const struct rtop_tree_sibling *a = left, *b = right;
  bool reverse = order->places->reverse;
  if (a->value != b->value) return (a->value > b->value) != reverse ? -1 : 1;
  if (a->behind != b->behind) return a->behind < b->behind ? -1 : 1;
  int by_name =
      strcmp(rtop_symbols_get(order->symbols, a->frame)->label, rtop_symbols_get(order->symbols, b->frame)->label);
  if (by_name != 0) return reverse && order->places->sort == RTOP_SORT_NAME ? -by_name : by_name;
  return a->key < b->key ? -1 : a->key > b->key;
}

static void places_exchange(char *a, char *b, size_t bytes)
{
  char held[64];
  for (size_t done = 0; done < bytes; done += sizeof held) {
    size_t some = bytes - done < sizeof held ? bytes - done : sizeof held;
    memcpy(held, a + done, some);
    memcpy(a + done, b + done, some);
    memcpy(b + done, held, some);
  }
}

void rtop_tree_places_order(const struct rtop_tree_places *places, const struct rtop_symbols *symbols, void *siblings,
                            size_t count, size_t bytes)
{
  char *rows = siblings;
  if (count < 2) return;
  qsort_r(rows, count, bytes, places_compare_siblings, &(struct places_order){ places, symbols });
  /* One pass: who changed places for next to nothing changes back. */
  for (size_t i = 1; i < count; i++) {
    char *at = rows + i * bytes;
    struct rtop_tree_sibling above, below;
    memcpy(&above, at - bytes, sizeof above);
    memcpy(&below, at, sizeof below);
    if (rtop_tree_places_swap(places, above.key, above.value, below.key, below.value))
      places_exchange(at - bytes, at, bytes);
  }
  for (size_t i = 0; i < count / 2; i++) places_exchange(rows + i * bytes, rows + (count - 1 - i) * bytes, bytes);
}

void rtop_tree_places_take(struct rtop_tree_places *places, const void *rows, size_t count,
                           uint64_t (*key_of)(const void *rows, size_t at))
{
  places->count = 0;
  if (!rtop_reserve(&places->places, &places->capacity, count, sizeof *places->places)) return;
  for (size_t i = 0; i < count; i++) places->places[i] = (struct tree_place){ key_of(rows, i), i };
  if (count > 1) qsort(places->places, count, sizeof *places->places, places_compare);
  places->count = count;
}

void rtop_tree_places_destroy(struct rtop_tree_places *places)
{
  free(places->places);
  *places = (struct rtop_tree_places){ 0 };
}
