#include "tree_places.h"

#include "reserve.h"
#include <stdlib.h>
#include <string.h>

struct tree_place {
  uint64_t key;
  size_t place;
};

void rtop_tree_places_begin(struct rtop_tree_places *places, enum rtop_sort_key sort, bool reverse,
                            uint64_t length_ns)
{
  if (places->sort != sort || places->reverse != reverse)
    places->count = 0;
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
  struct tree_place wanted = {.key = key};
  if (places->count == 0)
    return NULL;
  return bsearch(&wanted, places->places, places->count, sizeof wanted, places_compare);
}

bool rtop_tree_places_swap(const struct rtop_tree_places *places, uint64_t above, uint64_t above_value,
                           uint64_t below, uint64_t below_value)
{
  uint64_t difference = above_value > below_value ? above_value - below_value : below_value - above_value;
  if (difference == 0 || difference >= places->tolerance)
    return false;
  const struct tree_place *a = places_find(places, above), *b = places_find(places, below);
  return a && b && b->place < a->place;
}

void rtop_tree_places_take(struct rtop_tree_places *places, const void *rows, size_t count,
                           uint64_t (*key_of)(const void *rows, size_t at))
{
  places->count = 0;
  if (!rtop_reserve(&places->places, &places->capacity, count, sizeof *places->places))
    return;
  for (size_t i = 0; i < count; i++)
    places->places[i] = (struct tree_place){key_of(rows, i), i};
  if (count > 1)
    qsort(places->places, count, sizeof *places->places, places_compare);
  places->count = count;
}

void rtop_tree_places_destroy(struct rtop_tree_places *places)
{
  free(places->places);
  *places = (struct rtop_tree_places){0};
}
