#include "tests/shm/support.h"

#include "shm/window/window_threads.h"

/* Threads 1 to 5, each with a cell and a late record of its own length; 2 and 4 have ended. */
static void make(struct rtop_window *window)
{
  rtop_window_reset(window);
  for (uint32_t i = 0; i < 5; i++) {
    bool ended = i == 1 || i == 3;
    *rtop_window_add_thread(window) =
        (struct rtop_window_thread){ .slot = i + 1,
                                     .serial = i + 1,
                                     .state = RTOP_BLOCKED,
                                     .node = 3,
                                     .state_age_ns = i,
                                     .flags = RTOP_WINDOW_THREAD_PROVISIONAL | RTOP_WINDOW_THREAD_STALE |
                                              (ended ? RTOP_WINDOW_THREAD_ENDED : 0u),
                                     .provisional_ns = 1000,
                                     .stack_age_ns = 7 };
    *rtop_window_add_cell(window) = (struct rtop_cell){ .node = 9, .thread = i, .wall_ns = i + 1 };
    *rtop_window_add_late(window) = (struct rtop_late){ .cell = { .node = 8, .thread = i, .wall_ns = 10 * (i + 1) } };
  }
}

static void test_those_that_ended_become_one(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  uint32_t map[5];
  static const uint32_t expected[5] = { 0, 1, 2, 1, 3 };
  make(&window);
  window_sum_threads(&window, true, map);
  assert_memory_equal(map, expected, sizeof map);
  assert_int_equal(window.thread_count, 4);
  assert_int_equal(window.threads[1].serial, 0);
  assert_int_equal(window.threads[1].slot, 0);
  assert_true(window.threads[1].flags & RTOP_WINDOW_THREAD_ENDED);
  assert_int_equal(window.threads[1].provisional_ns, 0);
  assert_false(window.threads[1].flags & RTOP_WINDOW_THREAD_STALE);
  assert_int_equal(window.threads[1].stack_age_ns, 0);
  assert_true(window.threads[2].flags & RTOP_WINDOW_THREAD_STALE);
  assert_int_equal(window.threads[2].stack_age_ns, 7);
  assert_int_equal(window.threads[2].serial, 3);
  assert_int_equal(window.threads[3].serial, 5);
  assert_int_equal(window.cell_count, 7);
  for (uint32_t i = 0; i < 5; i++) {
    assert_int_equal(window.cells[i].thread, expected[i]);
    assert_int_equal(window.cells[i].wall_ns, i + 1);
    assert_int_equal(window.late[i].cell.thread, expected[i]);
  }
  /* What was provisional of them is theirs for good. */
  for (size_t i = 5; i < 7; i++) {
    assert_int_equal(window.cells[i].thread, 1);
    assert_int_equal(window.cells[i].state, RTOP_BLOCKED);
    assert_int_equal(window.cells[i].node, 3);
    assert_int_equal(window.cells[i].wall_ns, 1000);
  }
  rtop_window_destroy(&window);
}

static void test_all_become_one(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  uint32_t map[5];
  make(&window);
  window_sum_threads(&window, false, map);
  assert_int_equal(window.thread_count, 1);
  assert_int_equal(window.threads[0].provisional_ns, 5000);
  assert_int_equal(window.threads[0].state_age_ns, 4);
  assert_false(window.threads[0].flags & (RTOP_WINDOW_THREAD_ENDED | RTOP_WINDOW_THREAD_STALE));
  for (size_t i = 0; i < window.cell_count; i++) assert_int_equal(window.cells[i].thread, 0);
  rtop_window_destroy(&window);
}

static void test_nothing_to_do(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  uint32_t map[1];
  window_sum_threads(&window, false, map);
  assert_int_equal(window.thread_count, 0);
  *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .slot = 4, .serial = 4 };
  window_sum_threads(&window, true, map);
  assert_int_equal(window.thread_count, 1);
  assert_int_equal(window.threads[0].serial, 4);
  rtop_window_destroy(&window);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_those_that_ended_become_one),
    cmocka_unit_test(test_all_become_one),
    cmocka_unit_test(test_nothing_to_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
