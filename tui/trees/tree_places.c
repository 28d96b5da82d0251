/* SPDX-License-Identifier: MIT */
/* Orders siblings. */
#include "tree_places.h"

#include "tui/text/text.h"
#include <stdlib.h>
#include <string.h>

struct places_order {
  const struct rtop_tree_places *places;
  const struct rtop_symbols *symbols;
};

/* Returns a sibling's value as displayed: shares are rounded, so that rows that look equal sort as equal. Values other
 * than shares (counts, changes, ranks of names) are returned unchanged. */
static double places_worth(const struct rtop_tree_places *places, const struct rtop_tree_sibling *sibling)
{
  double value = (double)sibling->value;
  switch (places->sort) {
  case RTOP_SORT_ALLOC:
  case RTOP_SORT_THREADS:
  case RTOP_SORT_SAMPLES:
  case RTOP_SORT_COUNT:
  case RTOP_SORT_NAME:
  case RTOP_SORT_DELTA: return value;
  default: return places->shares_of_ns > 0 ? rtop_text_tenths(100 * (value / (double)places->shares_of_ns)) : value;
  }
}

static int places_compare(const void *left, const void *right, void *context)
{
  const struct places_order *order = context;
  const struct rtop_tree_sibling *a = left, *b = right;
  bool reverse = order->places->reverse;
  double worth_a = places_worth(order->places, a), worth_b = places_worth(order->places, b);
  if (worth_a != worth_b) return (worth_a > worth_b) != reverse ? -1 : 1;
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
  qsort_r(rows, count, bytes, places_compare, &(struct places_order){ places, symbols });
  for (size_t i = 0; i < count / 2; i++) places_exchange(rows + i * bytes, rows + (count - 1 - i) * bytes, bytes);
}
