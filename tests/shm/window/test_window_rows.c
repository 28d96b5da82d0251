/* Rows that are merged by key: fibers, whose counts are of now, and pairs, which keep their cause. */
#include "shm/window/window_merge.h"
#include "shm/window/window_rows.h"
#include "tests/shm/support.h"

#include <stdlib.h>

static struct rtop_fibers fibers(uint64_t serial, uint32_t name, uint32_t node, uint32_t alive, uint64_t wait_ns)
{
  return (struct rtop_fibers){
    .serial = serial,
    .name = name,
    .node = node,
    .alive = alive,
    .waiting = alive,
    .wait_ns = wait_ns,
    .longest_ns = 2 * wait_ns,
  };
}

static void add(struct rtop_window *to, struct rtop_fibers *list, size_t count)
{
  struct rtop_window from = { .fibers = list, .fibers_count = count, .end_mono_ns = to->end_mono_ns + 1 };
  assert_true(window_merge_rows(to, &from, &window_parts[RTOP_PART_FIBERS]));
}

static void assert_row(const struct rtop_fibers *row, struct rtop_fibers right)
{
  assert_memory_equal(row, &right, sizeof right);
}

/* Counts are those of the end: who is not in the last window any more is not alive. */
static void test_times_are_sums_and_counts_are_of_now(void **state)
{
  (void)state;
  struct rtop_window to = { .fibers = calloc(8, sizeof(struct rtop_fibers)), .fibers_capacity = 8 };
  struct rtop_fibers first[] = { fibers(2, 0, 9, 3, 300), fibers(1, 7, 9, 5, 500), fibers(1, 7, 8, 1, 100) };
  struct rtop_fibers second[] = { fibers(1, 7, 9, 2, 200) };
  add(&to, first, 3);
  add(&to, second, 1);
  assert_int_equal(to.fibers_count, 3);
  struct rtop_fibers gone = fibers(1, 7, 8, 1, 100), both = fibers(1, 7, 9, 2, 700), other = fibers(2, 0, 9, 3, 300);
  gone.alive = gone.waiting = other.alive = other.waiting = 0;
  both.longest_ns = 1000;
  assert_row(&to.fibers[0], gone);
  assert_row(&to.fibers[1], both);
  assert_row(&to.fibers[2], other);
  free(to.fibers);
}

static void test_too_many_are_one(void **state)
{
  (void)state;
  struct rtop_window to = { .fibers = calloc(8, sizeof(struct rtop_fibers)), .fibers_capacity = 8 }, from = { 0 };
  for (uint32_t i = 0; i < 20; i++) *rtop_window_add_fibers(&from) = fibers(1 + i % 3, 0, 10 + i, 1, 100);
  assert_false(window_merge_rows(&to, &from, &window_parts[RTOP_PART_FIBERS]));
  assert_false(window_merge_rows(&to, &from, &window_parts[RTOP_PART_FIBERS]));
  uint64_t wait_ns = 0, alive = 0;
  assert_int_equal(to.fibers_count, 8);
  for (size_t i = 0; i < to.fibers_count; i++) {
    wait_ns += to.fibers[i].wait_ns;
    alive += to.fibers[i].alive;
  }
  assert_int_equal(wait_ns, 4000);
  assert_int_equal(alive, 20);
  assert_int_equal(to.fibers[0].serial, 0);
  assert_int_equal(to.fibers[0].node, RTOP_NODE_FOLDED);
  assert_int_equal(to.fibers[0].alive, 13);
  free(to.fibers);
  rtop_window_destroy(&from);
}

static void test_the_small_of_a_thread_are_one(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  for (uint32_t i = 0; i < 12; i++) *rtop_window_add_fibers(&window) = fibers(1 + i / 6, 3, 10 + i, 1, 100 * i);
  window_fold_rows(&window, &window_parts[RTOP_PART_FIBERS], 300, false);
  assert_int_equal(window.fibers_count, 9);
  assert_row(&window.fibers[0],
             (struct rtop_fibers){
                 .serial = 1, .node = RTOP_NODE_FOLDED, .alive = 4, .waiting = 4, .wait_ns = 600, .longest_ns = 600 });
  window_fold_rows(&window, &window_parts[RTOP_PART_FIBERS], 900, false);
  assert_int_equal(window.fibers_count, 4);
  assert_row(
      &window.fibers[1],
      (struct rtop_fibers){
          .serial = 2, .node = RTOP_NODE_FOLDED, .alive = 4, .waiting = 4, .wait_ns = 3000, .longest_ns = 1800 });
  window_fold_rows(&window, &window_parts[RTOP_PART_FIBERS], INT64_MAX, false);
  assert_int_equal(window.fibers_count, 2);
  assert_int_equal(window.fibers[0].wait_ns + window.fibers[1].wait_ns, 6600);
  window_fold_rows(&window, &window_parts[RTOP_PART_FIBERS], UINT64_MAX, true);
  assert_int_equal(window.fibers_count, 1);
  assert_row(
      &window.fibers[0],
      (struct rtop_fibers){
          .serial = 0, .node = RTOP_NODE_FOLDED, .alive = 12, .waiting = 12, .wait_ns = 6600, .longest_ns = 2200 });
  rtop_window_destroy(&window);
}

static struct rtop_behind pair(uint32_t node, uint32_t holder, uint32_t cause, uint64_t wait_ns)
{
  return (struct rtop_behind){ node, holder, cause, 9, 1, wait_ns };
}

/* Causes stay apart, and so does what nobody held; also a cause that is not known here. */
static void test_what_stands_for_other_pairs_keeps_its_cause(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  for (uint32_t i = 0; i < 12; i++) *rtop_window_add_pair(&window) = pair(20 + i, 40 + i, i % 3 * 9, 10 + i);
  *rtop_window_add_pair(&window) = pair(20, RTOP_NODE_ROOT, RTOP_PAIR_HANDOVER, 5);
  *rtop_window_add_pair(&window) = pair(21, RTOP_NODE_ROOT, RTOP_PAIR_HANDOVER, 6);
  *rtop_window_add_pair(&window) = pair(22, 50, RTOP_PAIR_GVL, 1000);
  window_fold_rows(&window, &window_parts[RTOP_PART_PAIRS], 100, false);
  assert_int_equal(window.pair_count, 5);
  const struct rtop_behind right[] = {
    { RTOP_NODE_FOLDED, RTOP_NODE_ROOT, RTOP_PAIR_HANDOVER, 0, 2, 11 },
    { RTOP_NODE_FOLDED, RTOP_NODE_FOLDED, RTOP_PAIR_GVL, 0, 4, 58 },
    { RTOP_NODE_FOLDED, RTOP_NODE_FOLDED, 9, 0, 4, 62 },
    { RTOP_NODE_FOLDED, RTOP_NODE_FOLDED, 18, 0, 4, 66 },
    { 22, 50, RTOP_PAIR_GVL, 9, 1, 1000 },
  };
  for (size_t i = 0; i < window.pair_count; i++) assert_memory_equal(&window.pairs[i], &right[i], sizeof right[i]);
  rtop_window_destroy(&window);
}

static void test_the_weight_that_few_rows_exceed(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  const struct window_part *part = &window_parts[RTOP_PART_PAIRS];
  assert_int_equal(window_rows_threshold(&window, part, 3), 0);
  for (uint32_t i = 0; i < 100; i++)
    *rtop_window_add_pair(&window) = pair(20 + i, 40, RTOP_PAIR_GVL, 1000 * (i / 2 + 1));
  assert_int_equal(window_rows_threshold(&window, part, 100), 0);
  assert_int_equal(window_rows_threshold(&window, part, 99), 1000);
  assert_int_equal(window_rows_threshold(&window, part, 2), 49000);
  assert_int_equal(window_rows_threshold(&window, part, 1), 50000); /* two are as heavy */
  assert_int_equal(window_rows_threshold(&window, part, 0), 50000);
  window_fold_rows(&window, part, window_rows_threshold(&window, part, 10), false);
  assert_int_equal(window.pair_count, 11);
  rtop_window_destroy(&window);
}

/* Through the sum that the writer keeps of a second. */
static void test_in_a_merged_window(void **state)
{
  (void)state;
  void *memory = calloc(1, window_merge_memory_bytes()), *scratch = malloc(window_merge_scratch_bytes());
  struct window_merge merge;
  struct rtop_window window = { .start_mono_ns = 1000, .end_mono_ns = 2000 };
  window_merge_init(&merge, memory, scratch);
  *rtop_window_add_fibers(&window) = fibers(1, 0, 9, 3, 300);
  window_merge_add(&merge, &window);
  window.end_mono_ns = 3000;
  window_merge_add(&merge, &window);
  assert_int_equal(merge.window.fibers_count, 1);
  assert_int_equal(merge.window.fibers[0].wait_ns, 600);
  assert_int_equal(merge.window.fibers[0].alive, 3);
  window_merge_clear(&merge);
  assert_int_equal(merge.window.fibers_count, 0);
  rtop_window_destroy(&window);
  free(scratch);
  free(memory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_times_are_sums_and_counts_are_of_now),
    cmocka_unit_test(test_too_many_are_one),
    cmocka_unit_test(test_the_small_of_a_thread_are_one),
    cmocka_unit_test(test_what_stands_for_other_pairs_keeps_its_cause),
    cmocka_unit_test(test_the_weight_that_few_rows_exceed),
    cmocka_unit_test(test_in_a_merged_window),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
