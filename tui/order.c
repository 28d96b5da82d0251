#include "order.h"
#include <stdlib.h>
#include <string.h>

struct comparison {
  const struct order *order;
  const struct rtop_methods *methods;
  bool reverse;
  bool hold;
};

static int by_index(uint32_t a, uint32_t b, bool reverse)
{
  int result = a < b ? -1 : a > b;
  return reverse ? -result : result;
}

static int compare(const void *left, const void *right, void *context)
{
  const struct comparison *comparison = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  if (comparison->hold) {
    uint32_t rank_a = comparison->order->rank[comparison->methods->rows[a].frame] - 1;
    uint32_t rank_b = comparison->order->rank[comparison->methods->rows[b].frame] - 1;
    if (rank_a != rank_b) {             /* without a rank: UINT32_MAX, last */
      return rank_a < rank_b ? -1 : 1;
    }
  }
  double key_a = comparison->order->keys[a], key_b = comparison->order->keys[b];
  if (key_a != key_b) {
    return (key_a > key_b) != comparison->reverse ? -1 : 1;
  }
  /* Equal: by name. Only the column of names itself, where all keys are equal, turns that around. */
  return by_index(a, b, comparison->reverse && key_a < 0);
}

/* Neighbours that swapped places for less than a tenth of a point swap back: one pass. */
static void settle(struct order *order, const struct rtop_methods *methods, double tolerance)
{
  for (size_t i = 1; i < order->count; i++) {
    uint32_t above = order->rows[i - 1], below = order->rows[i];
    double difference = order->keys[above] - order->keys[below];
    uint32_t rank_above = order->rank[methods->rows[above].frame];
    uint32_t rank_below = order->rank[methods->rows[below].frame];
    if (rank_above != 0 && rank_below != 0 && rank_below < rank_above
        && difference < tolerance && difference > -tolerance && difference != 0) {
      order->rows[i - 1] = below;
      order->rows[i] = above;
    }
  }
}

static bool reserve(struct order *order, size_t rows, size_t frames)
{
  if (rows > order->capacity) {
    size_t capacity = rows + rows / 2 + 64;
    uint32_t *indexes = realloc(order->rows, capacity * sizeof *indexes);
    order->rows = indexes != NULL ? indexes : order->rows;
    double *keys = realloc(order->keys, capacity * sizeof *keys);
    order->keys = keys != NULL ? keys : order->keys;
    if (indexes == NULL || keys == NULL) {
      return false;
    }
    order->capacity = capacity;
  }
  if (frames > order->rank_capacity) {
    size_t capacity = frames + frames / 2 + 64;
    uint32_t *rank = realloc(order->rank, capacity * sizeof *rank);
    if (rank == NULL) {
      return false;
    }
    memset(rank + order->rank_capacity, 0, (capacity - order->rank_capacity) * sizeof *rank);
    order->rank = rank;
    order->rank_capacity = capacity;
  }
  return true;
}

static void remember(struct order *order, const struct rtop_methods *methods)
{
  order_forget(order);
  for (size_t i = 0; i < order->count; i++) {
    order->rank[methods->rows[order->rows[i]].frame] = (uint32_t)i + 1;
  }
}

bool order_apply(struct order *order, const struct rtop_methods *methods, enum rtop_sort_key sort, bool reverse,
                 bool hold, size_t frame_count)
{
  bool by_text = sort == RTOP_SORT_NAME || sort == RTOP_SORT_LOCATION;
  order->count = 0;
  if (!reserve(order, methods->count, frame_count)) {
    return false;
  }
  for (size_t i = 0; i < methods->count; i++) {
    order->rows[i] = (uint32_t)i;
    order->keys[i] = by_text ? -1 : rtop_method_value(&methods->rows[i], sort);
  }
  order->count = methods->count;
  struct comparison comparison = { order, methods, reverse, hold };
  if (order->count > 1) {
    qsort_r(order->rows, order->count, sizeof *order->rows, compare, &comparison);
  }
  if (!hold && columns_info(columns_of_sort(sort))->kind == COLUMN_KIND_TIME) {
    settle(order, methods, (double)methods->length_ns / 1000);
  }
  remember(order, methods);
  return true;
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
  free(order->rank);
  memset(order, 0, sizeof *order);
}
