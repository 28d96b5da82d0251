/* Pairs are found again, however many there are, and are gone when they were forgotten. */
#include "tui/text/pairs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { FIRSTS = 70, SECONDS = 90 };

static struct rtop_pairs pairs;

static int tear_down(void **state)
{
  (void)state;
  rtop_pairs_destroy(&pairs);
  return 0;
}

static void fill(void)
{
  for (uint32_t first = 0; first < FIRSTS; first++)
    for (uint32_t second = 0; second < SECONDS; second++) {
      uint32_t *value = rtop_pairs_at(&pairs, first, second);
      assert_non_null(value);
      assert_int_equal(*value, 0);
      *value = first * SECONDS + second + 1;
    }
}

static void test_what_is_there_is_found(void **state)
{
  (void)state;
  assert_int_equal(rtop_pairs_find(&pairs, 1, 2), 0);
  fill();
  for (uint32_t first = 0; first < FIRSTS; first++)
    for (uint32_t second = 0; second < SECONDS; second++) {
      assert_int_equal(rtop_pairs_find(&pairs, first, second), first * SECONDS + second + 1);
      assert_int_equal(*rtop_pairs_at(&pairs, first, second), first * SECONDS + second + 1);
    }
  assert_int_equal(rtop_pairs_find(&pairs, SECONDS, FIRSTS), 0);
  assert_int_equal(rtop_pairs_find(&pairs, UINT32_MAX, UINT32_MAX), 0);
  assert_int_equal(pairs.count, FIRSTS * SECONDS);
}

static void test_what_was_forgotten_is_new(void **state)
{
  (void)state;
  fill();
  rtop_pairs_clear(&pairs);
  assert_int_equal(rtop_pairs_find(&pairs, 3, 4), 0);
  fill();
  assert_int_equal(pairs.count, FIRSTS * SECONDS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_teardown(test_what_is_there_is_found, tear_down),
    cmocka_unit_test_teardown(test_what_was_forgotten_is_new, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
