#include "ext/out/own_cost.h"

#include "shm/base/format.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define WINDOW_NS INT64_C(100000000)

static uint64_t counters[RTOP_COUNTER_ID_MAX];

static int64_t releases(uint64_t all, uint64_t coarse, uint64_t stacks)
{
  memset(counters, 0, sizeof counters);
  counters[RTOP_COUNTER_GVL_RELEASES] = all;
  counters[RTOP_COUNTER_GVL_COARSE] = coarse;
  counters[RTOP_COUNTER_SAMPLES] = stacks;
  return own_cost_releases(counters, WINDOW_NS);
}

static void test_none_cost_nothing(void **state)
{
  (void)state;
  assert_int_equal(releases(0, 0, 100), 0);
  assert_int_equal(own_cost_raises(counters), 0);
}

/* 800 in 100 ms, as in a puma: cold. */
static void test_seldom_ones_are_cold(void **state)
{
  (void)state;
  assert_int_equal(releases(800, 0, 800), 800 * 1200);
  assert_int_equal(releases(800, 0, 900), 800 * 1200); /* stacks of ticks, too */
  assert_int_equal(releases(800, 0, 0), 800 * 1850);
  assert_int_equal(releases(800, 0, 300), 300 * 1200 + 500 * 1850);
}

/* The more there are the cheaper is each, but never all of them. */
static void test_close_ones_are_hot(void **state)
{
  int64_t before = 0, before_each = INT64_MAX;
  (void)state;
  for (uint64_t all = 100; all < 10000000; all *= 2) {
    int64_t cost = releases(all, 0, 0), each = cost / (int64_t)all;
    assert_true(cost > before);
    assert_true(each <= before_each && each >= 240);
    before = cost;
    before_each = each;
  }
  assert_in_range(before_each, 240, 242);
}

static void test_those_of_a_storm(void **state)
{
  (void)state;
  assert_int_equal(releases(150000, 150000, 300), 150000 * 180);
  assert_int_equal(own_cost_spared(counters, WINDOW_NS, 300 * 500), 0);
  assert_int_equal(releases(150000, 149200, 800), 149200 * 180 + 800 * 1200); /* it began or ended meanwhile */
  assert_int_equal(releases(10, 20, 0), 20 * 180); /* counters of two threads may be read between their changes */
}

/* Some of what a stack costs, never all of it, and no more than a deep one spares. */
static void test_what_a_stack_spares(void **state)
{
  (void)state;
  releases(800, 0, 800);
  assert_int_equal(own_cost_spared(counters, WINDOW_NS, 800 * 400), 300);
  assert_int_equal(own_cost_spared(counters, WINDOW_NS, 800 * 5000), 650);
  assert_int_equal(own_cost_spared(counters, WINDOW_NS, 0), 0);
  releases(800, 0, 0);
  assert_int_equal(own_cost_spared(counters, WINDOW_NS, 800), 0);
  releases(2000, 0, 2000);
  assert_int_equal(own_cost_spared(counters, WINDOW_NS, 2000 * 400), 150);
  releases(100000, 0, 100000);
  assert_in_range(own_cost_spared(counters, WINDOW_NS, INT64_C(100000) * 400), 0, 3);
}

static void test_exceptions(void **state)
{
  (void)state;
  memset(counters, 0, sizeof counters);
  counters[RTOP_COUNTER_EXCEPTIONS] = 10;
  counters[RTOP_COUNTER_RAISES_UNTOLD] = 4;
  assert_int_equal(own_cost_raises(counters), 4 * 30 + 6 * 300);
  counters[RTOP_COUNTER_RAISES_UNTOLD] = 12;
  assert_int_equal(own_cost_raises(counters), 12 * 30);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_none_cost_nothing),   cmocka_unit_test(test_seldom_ones_are_cold),
    cmocka_unit_test(test_close_ones_are_hot),  cmocka_unit_test(test_those_of_a_storm),
    cmocka_unit_test(test_what_a_stack_spares), cmocka_unit_test(test_exceptions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
