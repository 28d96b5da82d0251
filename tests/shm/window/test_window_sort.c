#include "tests/shm/support.h"

#include "shm/window/window_sort.h"
#include <stdlib.h>

struct sums {
  uint64_t samples, wall_ns, cpu_ns, allocations, blame_ns;
};

static struct sums sum(const struct rtop_window *window)
{
  struct sums sums = { 0 };
  for (size_t i = 0; i < window->cell_count; i++) {
    sums.samples += window->cells[i].samples;
    sums.wall_ns += window->cells[i].wall_ns;
    sums.cpu_ns += window->cells[i].cpu_ns;
    sums.allocations += window->cells[i].allocations;
    sums.blame_ns += window->cells[i].blame_ns;
  }
  return sums;
}

static void random_cells(struct rtop_window *window, size_t count)
{
  for (size_t i = 0; i < count; i++)
    *rtop_window_add_cell(window) = (struct rtop_cell){
      .node = (uint32_t)rand() % 400,
      .thread = (uint32_t)rand() % 7,
      .state = (uint32_t)rand() % RTOP_STATE_COUNT,
      .samples = (uint32_t)rand() % 3,
      .wall_ns = (uint64_t)rand(),
      .cpu_ns = (uint64_t)rand(),
      .allocations = (uint64_t)rand() % 50,
      .blame_ns = (uint64_t)rand(),
    };
}

static int order(const struct rtop_cell *a, const struct rtop_cell *b)
{
  if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
  if (a->node != b->node) return a->node < b->node ? -1 : 1;
  return (a->state > b->state) - (a->state < b->state);
}

static void assert_sorted_without_twins(const struct rtop_window *window)
{
  for (size_t i = 1; i < window->cell_count; i++) assert_int_equal(order(&window->cells[i - 1], &window->cells[i]), -1);
}

static void test_sorts_and_keeps_sums(void **state)
{
  (void)state;
  static const size_t counts[] = { 0, 1, 2, 3, 7, 8, 9, 100, 1023, 1024, 5000 };
  srand(3);
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    struct rtop_window window = { 0 };
    random_cells(&window, counts[i]);
    void *scratch = malloc(rtop_window_scratch_bytes(counts[i]) + 1);
    struct sums before = sum(&window);
    window_sort_cells(&window, scratch);
    struct sums after = sum(&window);
    assert_memory_equal(&before, &after, sizeof before);
    assert_sorted_without_twins(&window);
    free(scratch);
    rtop_window_destroy(&window);
  }
}

static void test_largest_keys(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  struct window_sort_pair scratch[6];
  *rtop_window_add_cell(&window) = (struct rtop_cell){ .node = UINT32_MAX, .thread = 1, .state = 4, .wall_ns = 1 };
  *rtop_window_add_cell(&window) = (struct rtop_cell){ .node = 0, .thread = (1u << 29) - 1, .wall_ns = 2 };
  *rtop_window_add_cell(&window) = (struct rtop_cell){ .node = 0, .thread = 2, .state = 0, .wall_ns = 3 };
  window_sort_cells(&window, scratch);
  assert_int_equal(window.cells[0].wall_ns, 1);
  assert_int_equal(window.cells[1].wall_ns, 3);
  assert_int_equal(window.cells[2].wall_ns, 2);
  rtop_window_destroy(&window);
}

static void test_fold_takes_the_smallest(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  struct window_sort_pair scratch[2 * 10];
  for (uint32_t i = 0; i < 10; i++)
    *rtop_window_add_cell(&window) = (struct rtop_cell){ .node = 10 + i, .wall_ns = 1000 - i, .cpu_ns = 1 };
  window_fold_cells(&window, 4, scratch);
  assert_true(window.folded);
  assert_int_equal(window.cell_count, 5);
  assert_int_equal(window_unfolded_cells(&window), 4);
  assert_int_equal(window.cells[0].node, RTOP_NODE_FOLDED);
  assert_int_equal(window.cells[0].cpu_ns, 6);
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(window.cells[1 + i].node, 10 + i);
  window_fold_cells(&window, 0, scratch);
  assert_int_equal(window.cell_count, 1);
  assert_int_equal(window.cells[0].cpu_ns, 10);
  rtop_window_destroy(&window);
}

/* Sums per thread and state stay, too. */
static void test_fold_keeps_every_thread_and_state(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  uint64_t before[7][RTOP_STATE_COUNT] = { { 0 } }, after[7][RTOP_STATE_COUNT] = { { 0 } };
  srand(4);
  random_cells(&window, 3000);
  void *scratch = malloc(rtop_window_scratch_bytes(3000));
  for (size_t i = 0; i < window.cell_count; i++)
    before[window.cells[i].thread][window.cells[i].state] += window.cells[i].wall_ns;
  window_sort_cells(&window, scratch);
  window_fold_cells(&window, 17, scratch);
  assert_int_equal(window_unfolded_cells(&window), 17);
  assert_sorted_without_twins(&window);
  for (size_t i = 0; i < window.cell_count; i++)
    after[window.cells[i].thread][window.cells[i].state] += window.cells[i].wall_ns;
  assert_memory_equal(before, after, sizeof before);
  free(scratch);
  rtop_window_destroy(&window);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sorts_and_keeps_sums),
    cmocka_unit_test(test_largest_keys),
    cmocka_unit_test(test_fold_takes_the_smallest),
    cmocka_unit_test(test_fold_keeps_every_thread_and_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
