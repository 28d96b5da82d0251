#include "ext/sampling/governor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define WINDOW_NS INT64_C(100000000)

static void test_a_dear_window_alone_does_not_matter(void **state)
{
  (void)state;
  struct governor governor;
  governor_init(&governor, 0.01, 1000, 0);
  assert_int_equal(governor_update(&governor, 1000, 3000000, WINDOW_NS), 1000);
  for (int i = 0; i < 20; i++) assert_int_equal(governor_update(&governor, 1000, 0, WINDOW_NS), 1000);
}

static void test_over_the_budget_it_halves_down_to_the_floor(void **state)
{
  (void)state;
  struct governor governor;
  uint32_t rate = 1000;
  governor_init(&governor, 0.01, rate, 0);
  for (int i = 0; i < 100; i++) {
    uint32_t next = governor_update(&governor, 1000, WINDOW_NS / 2, WINDOW_NS);
    assert_true(next == rate || next == rate / 2 || next == GOVERNOR_FLOOR_HZ);
    rate = next;
  }
  assert_int_equal(rate, GOVERNOR_FLOOR_HZ);
  assert_int_equal(governor_update(&governor, 20, WINDOW_NS, WINDOW_NS), 20); /* never more than is wanted */
}

static void test_calm_brings_the_rate_back(void **state)
{
  (void)state;
  struct governor governor;
  governor_init(&governor, 0.01, 1000, 0);
  for (int i = 0; i < 100; i++) governor_update(&governor, 1000, WINDOW_NS / 2, WINDOW_NS);
  int windows = 0;
  while (governor_update(&governor, 1000, 0, WINDOW_NS) < 1000) assert_true(++windows < 200);
  assert_true(windows >= 4 * GOVERNOR_CALM_WINDOWS); /* 50, 100, 200, 400, 800 */
}

/* Releases in a window of 100 ms: ten times as many a second. */
static void test_a_storm_begins_at_once_and_ends_after_a_second(void **state)
{
  (void)state;
  struct governor governor;
  governor_init(&governor, 0.01, 1000, 300000);
  assert_false(governor_storm(&governor, 30000, WINDOW_NS));
  assert_true(governor_storm(&governor, 30001, WINDOW_NS));
  for (int i = 0; i < 50; i++) assert_true(governor_storm(&governor, 15000, WINDOW_NS)); /* not calm enough */
  for (int i = 1; i < GOVERNOR_CALM_WINDOWS; i++) assert_true(governor_storm(&governor, 14999, WINDOW_NS));
  assert_false(governor_storm(&governor, 14999, WINDOW_NS));
  assert_false(governor_storm(&governor, 29999, WINDOW_NS));
  assert_true(governor_storm(&governor, 30001, WINDOW_NS));
  assert_true(governor_storm(&governor, 0, WINDOW_NS));
}

static void test_without_a_limit_there_is_no_storm(void **state)
{
  (void)state;
  struct governor governor;
  governor_init(&governor, 0.01, 1000, 0);
  assert_false(governor_storm(&governor, UINT32_MAX, WINDOW_NS));
  assert_false(governor_storm(&governor, 1, 0));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_dear_window_alone_does_not_matter),
    cmocka_unit_test(test_over_the_budget_it_halves_down_to_the_floor),
    cmocka_unit_test(test_calm_brings_the_rate_back),
    cmocka_unit_test(test_a_storm_begins_at_once_and_ends_after_a_second),
    cmocka_unit_test(test_without_a_limit_there_is_no_storm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
