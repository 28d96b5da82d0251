#include "tui/methods/methods.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define SECOND UINT64_C(1000000000)

static bool near(double value, double wanted)
{
  return value > wanted - 1e-9 && value < wanted + 1e-9;
}

/* Spans of different length compare by their shares. */
static void test_shares_of_time(void **state)
{
  (void)state;
  struct rtop_method_row now = { .self_ns = SECOND, .total_ns = 2 * SECOND };
  struct rtop_method_row before = { .self_ns = SECOND, .total_ns = SECOND };
  assert_true(near(rtop_method_delta(&now, 2 * SECOND, &before, 4 * SECOND, RTOP_SORT_SELF), 0.25));
  assert_true(near(rtop_method_delta(&now, 2 * SECOND, &before, 4 * SECOND, RTOP_SORT_TOTAL), 0.75));
  assert_true(near(rtop_method_delta(&before, 4 * SECOND, &now, 2 * SECOND, RTOP_SORT_SELF), -0.25));
}

static void test_counts_per_second(void **state)
{
  (void)state;
  struct rtop_method_row now = { .self = { .allocations = 300, .samples = 50 } };
  struct rtop_method_row before = { .self = { .allocations = 100, .samples = 100 } };
  assert_true(near(rtop_method_delta(&now, 3 * SECOND, &before, SECOND / 2, RTOP_SORT_ALLOC), -100));
  assert_true(near(rtop_method_delta(&now, SECOND, &before, SECOND, RTOP_SORT_SAMPLES), -50));
}

static void test_what_has_no_length(void **state)
{
  (void)state;
  struct rtop_method_row now = { .threads = 3 }, before = { .threads = 4 };
  assert_true(near(rtop_method_delta(&now, SECOND, &before, 9 * SECOND, RTOP_SORT_THREADS), -1));
}

/* A ratio is never more than all of the span. */
static void test_ratios(void **state)
{
  (void)state;
  struct rtop_method_row now = { .most_ns = 3 * SECOND }, before = { .most_ns = SECOND };
  assert_true(near(rtop_method_delta(&now, 4 * SECOND, &before, 2 * SECOND, RTOP_SORT_RATIO), 0.25));
  assert_true(near(rtop_method_delta(&now, 2 * SECOND, &before, 2 * SECOND, RTOP_SORT_RATIO), 0.5));
  assert_true(near(rtop_method_delta(NULL, 2 * SECOND, &before, 2 * SECOND, RTOP_SORT_RATIO), -0.5));
  assert_true(rtop_method_ratio(1, 0) == 0);
}

/* Methods that are new, and those that are gone; a span without data is no division by nothing. */
static void test_only_on_one_side(void **state)
{
  (void)state;
  struct rtop_method_row row = { .self_ns = SECOND };
  assert_true(near(rtop_method_delta(&row, 2 * SECOND, NULL, SECOND, RTOP_SORT_SELF), 0.5));
  assert_true(near(rtop_method_delta(NULL, 2 * SECOND, &row, SECOND, RTOP_SORT_SELF), -1));
  assert_true(near(rtop_method_delta(NULL, 0, NULL, 0, RTOP_SORT_SELF), 0));
  assert_true(near(rtop_method_delta(&row, 2 * SECOND, NULL, 0, RTOP_SORT_SELF), 0.5));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_shares_of_time),     cmocka_unit_test(test_counts_per_second),
    cmocka_unit_test(test_what_has_no_length), cmocka_unit_test(test_ratios),
    cmocka_unit_test(test_only_on_one_side),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
