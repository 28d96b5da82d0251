#include "tui/text/hysteresis.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 200 };

static void test_noise(void **state)
{
  (void)state;
  assert_true(rtop_hysteresis_noise(0.5, 0) == 0);
  assert_float_equal(rtop_hysteresis_noise(0, SAMPLES), 0.00707, 0.00001);   /* a sample or two */
  assert_float_equal(rtop_hysteresis_noise(0.3, SAMPLES), 0.05523, 0.00001); /* 60 samples */
  assert_float_equal(rtop_hysteresis_noise(0.3, 60 * SAMPLES), 0.00707, 0.00001);
}

static void test_lengths_stay_within_their_tolerance(void **state)
{
  struct rtop_hysteresis hysteresis = { 0 };
  (void)state;
  uint64_t key = rtop_hysteresis_key(7, 1);
  assert_true(rtop_hysteresis_keep(&hysteresis, key, 10, 2) == 10);
  assert_true(rtop_hysteresis_keep(&hysteresis, key, 12, 2) == 10);
  assert_true(rtop_hysteresis_keep(&hysteresis, rtop_hysteresis_key(7, 2), 12, 2) == 12);
  assert_true(rtop_hysteresis_keep(&hysteresis, rtop_hysteresis_key(8, 1), 12, 2) == 12);
  assert_true(rtop_hysteresis_keep(&hysteresis, key, 12.1, 2) == 12.1);
  assert_true(rtop_hysteresis_keep(&hysteresis, key, 10.5, 2) == 12.1);
  assert_true(rtop_hysteresis_keep(&hysteresis, key, 10.5, 0) == 10.5);
  rtop_hysteresis_forget(&hysteresis);
  assert_true(rtop_hysteresis_keep(&hysteresis, key, 11, 2) == 11);
  rtop_hysteresis_forget(&hysteresis);
}

/* However many are asked for: what is asked for at each step stays, the rest does not pile up. */
static void test_memory_is_bounded(void **state)
{
  struct rtop_hysteresis hysteresis = { 0 };
  (void)state;
  uint64_t next = 1000;
  rtop_hysteresis_keep(&hysteresis, rtop_hysteresis_key(1, 1), 10, 2);
  for (int step = 0; step < 500; step++) {
    for (int i = 0; i < 100; i++, next++) rtop_hysteresis_keep(&hysteresis, rtop_hysteresis_key(next, 1), 1, 1);
    assert_true(rtop_hysteresis_keep(&hysteresis, rtop_hysteresis_key(1, 1), 10 + step % 3, 2) == 10);
    rtop_hysteresis_step(&hysteresis);
    assert_true(hysteresis.count < 9000);
  }
  rtop_hysteresis_forget(&hysteresis);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_noise),
    cmocka_unit_test(test_lengths_stay_within_their_tolerance),
    cmocka_unit_test(test_memory_is_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
