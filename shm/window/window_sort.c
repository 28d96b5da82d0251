/* SPDX-License-Identifier: MIT */
/* Sorts cells, and folds small ones when there are too many. */
#include "window_sort.h"

#include <string.h>

/* Thread indices stay far below 2^29, states below 8. */
static uint64_t sort_cell_key(const struct rtop_cell *cell)
{
  return (uint64_t)cell->thread << 35 | (uint64_t)cell->node << 3 | (cell->state & 7);
}

static void sort_merge_runs(const struct window_sort_pair *from, struct window_sort_pair *to, size_t left,
                            size_t middle, size_t right)
{
  size_t a = left, b = middle;
  for (size_t i = left; i < right; i++)
    to[i] = a < middle && (b >= right || from[a].key <= from[b].key) ? from[a++] : from[b++];
}

/* From where on they are sorted. */
static size_t sort_tail(const struct window_sort_pair *pairs, size_t count)
{
  size_t start = count > 0 ? count - 1 : 0;
  while (start > 0 && pairs[start - 1].key <= pairs[start].key) start--;
  return start;
}

/* Bottom-up merge sort: stable, so that equal keys keep a defined order. Returns the array that has the result. */
static struct window_sort_pair *sort_runs(struct window_sort_pair *pairs, size_t count, struct window_sort_pair *other)
{
  for (size_t run = 1; run < count; run *= 2) {
    for (size_t left = 0; left < count; left += 2 * run) {
      size_t middle = left + run < count ? left + run : count;
      size_t right = middle + run < count ? middle + run : count;
      sort_merge_runs(pairs, other, left, middle, right);
    }
    struct window_sort_pair *swap = pairs;
    pairs = other;
    other = swap;
  }
  return pairs;
}

/* Sorts pairs of which the last ones are mostly sorted already: cells of threads that sleep on. */
static struct window_sort_pair *sort_pairs(struct window_sort_pair *pairs, size_t count, struct window_sort_pair *other)
{
  size_t tail = sort_tail(pairs, count);
  if (tail == 0) return pairs;
  if (tail > count / 2) return sort_runs(pairs, count, other);
  struct window_sort_pair *head = sort_runs(pairs, tail, other);
  if (head != pairs) memcpy(pairs, head, tail * sizeof *pairs);
  sort_merge_runs(pairs, other, 0, tail, count);
  return other;
}

/* Follows the cycles of the permutation: every cell moves once. */
static void sort_apply(struct rtop_cell *cells, struct window_sort_pair *pairs, size_t count)
{
  for (size_t start = 0; start < count; start++) {
    if (pairs[start].index == start) continue;
    struct rtop_cell first = cells[start];
    size_t hole = start;
    while (pairs[hole].index != start) {
      size_t next = pairs[hole].index;
      cells[hole] = cells[next];
      pairs[hole].index = hole;
      hole = next;
    }
    cells[hole] = first;
    pairs[hole].index = hole;
  }
}

void window_cell_add(struct rtop_cell *sum, const struct rtop_cell *cell)
{
  uint32_t samples = sum->samples + cell->samples;
  sum->samples = samples < sum->samples ? UINT32_MAX : samples;
  sum->wall_ns += cell->wall_ns;
  sum->cpu_ns += cell->cpu_ns;
  sum->allocations += cell->allocations;
  sum->blame_ns += cell->blame_ns;
}

static void sort_sum_equal_cells(struct rtop_window *window)
{
  size_t kept = 0;
  for (size_t i = 0; i < window->cell_count; i++)
    if (kept > 0 && sort_cell_key(&window->cells[kept - 1]) == sort_cell_key(&window->cells[i]))
      window_cell_add(&window->cells[kept - 1], &window->cells[i]);
    else window->cells[kept++] = window->cells[i];
  window->cell_count = kept;
}

void window_sort_cells(struct rtop_window *window, struct window_sort_pair *scratch)
{
  size_t count = window->cell_count;
  for (size_t i = 0; i < count; i++)
    scratch[i] = (struct window_sort_pair){ .key = sort_cell_key(&window->cells[i]), .index = i };
  sort_apply(window->cells, sort_pairs(scratch, count, scratch + count), count);
  sort_sum_equal_cells(window);
}

size_t window_unfolded_cells(const struct rtop_window *window)
{
  size_t count = 0;
  for (size_t i = 0; i < window->cell_count; i++) count += window->cells[i].node != RTOP_NODE_FOLDED;
  return count;
}

/* Sums over a window stay below 2^63. */
static uint64_t sort_fold_key(const struct rtop_cell *cell)
{
  return cell->wall_ns | (cell->node == RTOP_NODE_UNSAMPLED ? UINT64_C(1) << 63 : 0);
}

void window_fold_cells(struct rtop_window *window, size_t keep, struct window_sort_pair *scratch)
{
  size_t count = 0;
  for (size_t i = 0; i < window->cell_count; i++)
    if (window->cells[i].node != RTOP_NODE_FOLDED)
      scratch[count++] = (struct window_sort_pair){ .key = sort_fold_key(&window->cells[i]), .index = i };
  const struct window_sort_pair *sorted = sort_pairs(scratch, count, scratch + count);
  for (size_t i = 0; i + keep < count; i++) window->cells[sorted[i].index].node = RTOP_NODE_FOLDED;
  window_sort_cells(window, scratch);
  window->folded = true;
}
