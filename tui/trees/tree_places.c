/* Orders siblings, calmly. */
#include "tree_places.h"

#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

enum { PLACES_TENTH = 10, PLACES_LEAST = 5, PLACES_IDLE_MAX = 1024 };

struct tree_place {
  uint64_t key;
  double shown;
  uint32_t rank, step;
};

static uint32_t *places_at(struct rtop_tree_places *places, uint64_t key)
{
  return rtop_pairs_at(&places->index, (uint32_t)(key >> 32), (uint32_t)key);
}

static void places_forget(struct rtop_tree_places *places)
{
  rtop_pairs_clear(&places->index);
  places->count = 0;
}

void rtop_tree_places_begin(struct rtop_tree_places *places, enum rtop_sort_key sort, bool reverse, uint64_t length_ns,
                            double samples)
{
  if (places->sort != sort || places->reverse != reverse) places_forget(places);
  places->sort = sort;
  places->reverse = reverse;
  /* Counts have no share of the time. */
  places->least = sort == RTOP_SORT_ALLOC || sort == RTOP_SORT_THREADS ? 0 : (double)length_ns / 1000;
  places->length = (double)length_ns;
  places->samples = samples;
  places->step++;
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
  if (a->shown != b->shown) return (a->shown > b->shown) != reverse ? -1 : 1;
  if (a->behind != b->behind) return a->behind < b->behind ? -1 : 1;
  int by_name =
      strcmp(rtop_symbols_get(order->symbols, a->frame)->label, rtop_symbols_get(order->symbols, b->frame)->label);
  if (by_name != 0) return reverse && order->places->sort == RTOP_SORT_NAME ? -by_name : by_name;
  return a->key < b->key ? -1 : a->key > b->key;
}

static bool places_reserve(struct rtop_tree_places *places, size_t count, size_t bytes)
{
  return rtop_reserve(&places->calm, &places->calm_capacity, count, sizeof *places->calm) &&
         rtop_reserve(&places->heap, &places->heap_capacity, count, sizeof *places->heap) &&
         rtop_reserve(&places->sorted, &places->sorted_capacity, count, sizeof *places->sorted) &&
         rtop_reserve(&places->moved, &places->moved_capacity, count * bytes, 1);
}

static const struct tree_place *places_find(const struct rtop_tree_places *places, uint64_t key)
{
  uint32_t at = rtop_pairs_find(&places->index, (uint32_t)(key >> 32), (uint32_t)key);
  return at != 0 && at <= places->count ? &places->places[at - 1] : NULL;
}

/* The place of a row, made when it is new; NULL: memory ran out, and nothing is known any more. */
static struct tree_place *places_make(struct rtop_tree_places *places, uint64_t key)
{
  uint32_t *at = places_at(places, key);
  if (at != NULL && *at == 0) {
    if (!rtop_reserve(&places->places, &places->capacity, places->count + 1, sizeof *places->places)) {
      places_forget(places);
      return NULL;
    }
    places->places[places->count++] = (struct tree_place){ .key = key, .rank = UINT32_MAX };
    *at = (uint32_t)places->count;
  }
  if (at == NULL) return NULL;
  places->places[*at - 1].step = places->step;
  return &places->places[*at - 1];
}

static struct rtop_tree_sibling *places_sibling(void *siblings, size_t at, size_t bytes)
{
  return (struct rtop_tree_sibling *)((char *)siblings + at * bytes);
}

/* Changes stand around the middle of the numbers, names have none. */
static double places_worth(const struct rtop_tree_places *places, const struct rtop_tree_sibling *sibling)
{
  double worth = places->sort == RTOP_SORT_DELTA ? (double)(int64_t)(sibling->shown - (UINT64_C(1) << 62))
                                                 : (double)sibling->shown;
  return places->reverse ? -worth : worth;
}

/* Sorted siblings, where they stood: who changed places for next to nothing changes back. */
static void places_calm(struct rtop_tree_places *places, void *siblings, size_t count, size_t bytes)
{
  for (size_t i = 0; i < count; i++) {
    const struct rtop_tree_sibling *sibling = places_sibling(siblings, i, bytes);
    const struct tree_place *place = sibling->behind == 0 ? places_find(places, sibling->key) : NULL;
    places->calm[i] = (struct rtop_calm_row){ .worth = places_worth(places, sibling),
                                              .rank = place != NULL ? place->rank : UINT32_MAX };
  }
  rtop_calm_order(places->calm, count, PLACES_LEAST * places->least, PLACES_TENTH, places->heap, places->sorted);
  memcpy(places->moved, siblings, count * bytes);
  for (size_t i = 0; i < count; i++)
    memcpy((char *)siblings + i * bytes, places->moved + places->sorted[i] * bytes, bytes);
}

/* What each is shown as: before they are sorted by that. */
static void places_show(struct rtop_tree_places *places, void *siblings, size_t count, size_t bytes)
{
  for (size_t i = 0; i < count; i++) {
    struct rtop_tree_sibling *sibling = places_sibling(siblings, i, bytes);
    const struct tree_place *known = places_find(places, sibling->key);
    double value = (double)sibling->value, length = places->length;
    sibling->shown = sibling->value;
    if (places->least == 0 || places->sort == RTOP_SORT_NAME || places->sort == RTOP_SORT_DELTA) continue;
    double noise = rtop_calm_noise(value / length, places->samples) * length;
    if (known != NULL && rtop_calm_figure(known->shown, value, noise) != value) sibling->shown = (uint64_t)known->shown;
    struct tree_place *place = places_make(places, sibling->key);
    if (place != NULL) place->shown = (double)sibling->shown;
  }
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

void rtop_tree_places_order(struct rtop_tree_places *places, const struct rtop_symbols *symbols, void *siblings,
                            size_t count, size_t bytes)
{
  char *rows = siblings;
  places_show(places, siblings, count, bytes);
  if (count < 2) return;
  qsort_r(rows, count, bytes, places_compare_siblings, &(struct places_order){ places, symbols });
  if (places->sort != RTOP_SORT_NAME && places_reserve(places, count, bytes))
    places_calm(places, siblings, count, bytes);
  for (size_t i = 0; i < count / 2; i++) places_exchange(rows + i * bytes, rows + (count - 1 - i) * bytes, bytes);
}

/* Those that were not met lately. */
static void places_drop_idle(struct rtop_tree_places *places)
{
  size_t count = 0;
  for (size_t i = 0; i < places->count; i++)
    if (places->places[i].step == places->step) places->places[count++] = places->places[i];
  places->count = count;
  rtop_pairs_clear(&places->index);
  for (size_t i = 0; i < count; i++) {
    uint32_t *at = places_at(places, places->places[i].key);
    if (at != NULL) *at = (uint32_t)i + 1;
  }
}

void rtop_tree_places_take(struct rtop_tree_places *places, const void *rows, size_t count,
                           uint64_t (*key_of)(const void *rows, size_t at))
{
  for (size_t i = 0; i < count; i++) {
    struct tree_place *place = places_make(places, key_of(rows, i));
    if (place != NULL) place->rank = (uint32_t)i;
  }
  if (places->count > 2 * count + PLACES_IDLE_MAX) places_drop_idle(places);
}

void rtop_tree_places_destroy(struct rtop_tree_places *places)
{
  rtop_pairs_destroy(&places->index);
  free(places->places);
  free(places->calm);
  free(places->heap);
  free(places->sorted);
  free(places->moved);
  *places = (struct rtop_tree_places){ 0 };
}
