#include "tests/tui/model_fixture.h"

#include <stdlib.h>

enum { MEMORY = 64 << 20 };
#define WINDOW (100 * MS)

static struct rtop_profile *make_profile(uint64_t memory_bytes)
{
  struct rtop_profile *profile = rtop_profile_create(memory_bytes);
  assert_non_null(profile);
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  uint32_t frame = fixture_frame(symbols, "a", "/a.rb", 1);
  for (uint32_t i = 1; i < 3; i++) assert_int_equal(rtop_symbols_node(symbols, i - 1, frame, i), i);
  return profile;
}

static void sum_all(struct rtop_profile *profile, struct rtop_sum *sum)
{
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), sum));
}

/* Ten thousand threads that live for one window each: ids are used again, with kept sums by name. */
static void churn(bool keep_sums)
{
  struct rtop_profile *profile = make_profile(64 << 10);
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  uint32_t largest = 0;
  if (keep_sums) rtop_profile_keep_sums(profile);
  for (int i = 0; i < 2500; i++) {
    fixture_window(&window, i * WINDOW, (i + 1) * WINDOW);
    fixture_cell(&window, fixture_thread(&window, 1, RTOP_RUNNING, 1, 0), 1, RTOP_RUNNING, 100 * MS);
    for (uint64_t k = 0; k < 4; k++) {
      uint32_t thread = fixture_thread(&window, 2 + (uint64_t)i * 4 + k, RTOP_RUNNING, 2, 0);
      fixture_cell(&window, thread, 2, RTOP_BLOCKED, MS);
      window.threads[thread].flags = RTOP_WINDOW_THREAD_ENDED;
    }
    uint32_t nodes[3] = { 0, 1, 2 }, threads[5];
    for (size_t k = 0; k < 5; k++) {
      const char *name = k ? "worker" : "main";
      struct rtop_source_thread thread = { window.threads[k].serial, name, strlen(name), 1, k == 0 };
      threads[k] = rtop_profile_thread(profile, 0, &thread);
      if (threads[k] > largest) largest = threads[k];
    }
    assert_true(rtop_profile_add(profile, 0, &window, nodes, 3, threads));
  }
  assert_in_range(largest, 4, 2000);
  sum_all(profile, &sum);
  if (keep_sums) {
    assert_int_equal(sum.total.wall_ns[RTOP_STATE_RUNNING], 2500 * 100 * MS);
    assert_int_equal(sum.total.wall_ns[RTOP_STATE_BLOCKED], 2500 * 4 * MS);
    assert_in_range(sum.thread_count, 2, 2000);
  }
  rtop_window_destroy(&window);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&profile);
}

static void test_thread_churn(void **state)
{
  (void)state;
  churn(false);
  churn(true);
}

/* A name that is not known any more does not wipe out the one that was. */
static void test_thread_names(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile(MEMORY);
  struct rtop_source_thread thread = { .serial = 9, .name = "ev\x1bil", .name_bytes = 5, .native_id = 3 };
  uint32_t id = rtop_profile_thread(profile, 0, &thread);
  thread.name = NULL;
  assert_int_equal(rtop_profile_thread(profile, 0, &thread), id);
  assert_int_not_equal(rtop_profile_thread(profile, 1, &thread), id);
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  fixture_window(&window, 0, WINDOW);
  fixture_thread(&window, 9, RTOP_RUNNING, 1, 0);
  assert_true(rtop_profile_add(profile, 0, &window, NULL, 0, &id));
  sum_all(profile, &sum);
  assert_string_equal(sum.threads[0].name, "ev?il");
  assert_int_equal(sum.threads[0].native_id, 3);
  rtop_window_destroy(&window);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&profile);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_thread_churn),
    cmocka_unit_test(test_thread_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
