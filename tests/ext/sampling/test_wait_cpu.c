#include "ext/sampling/wait_cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct wait_cpu waits;

static int forget(void **state)
{
  (void)state;
  memset(&waits, 0, sizeof waits);
  return 0;
}

static void test_nothing_is_known(void **state)
{
  (void)state;
  for (uint32_t node = 0; node < 100000; node++) assert_int_equal(wait_cpu_mean_ns(&waits, node), -1);
}

static void test_each_stack_has_its_mean(void **state)
{
  (void)state;
  for (int i = 0; i < 1000; i++) {
    wait_cpu_learn(&waits, 7, 50000 + (i & 1 ? 10000 : -10000));
    wait_cpu_learn(&waits, 8, 3000);
  }
  assert_in_range(wait_cpu_mean_ns(&waits, 7), 48000, 52000);
  assert_int_equal(wait_cpu_mean_ns(&waits, 8), 3000);
  assert_int_equal(wait_cpu_mean_ns(&waits, 9), -1);
}

static void test_the_first_value_is_the_mean(void **state)
{
  (void)state;
  wait_cpu_learn(&waits, 7, 1234);
  assert_int_equal(wait_cpu_mean_ns(&waits, 7), 1234);
}

static void test_waits_that_take_nothing_are_known(void **state)
{
  (void)state;
  wait_cpu_learn(&waits, 7, 0);
  assert_int_equal(wait_cpu_mean_ns(&waits, 7), 0);
}

/* More stacks than there is room for: what is known of a stack is its own, or nothing. */
static void test_stacks_never_get_the_mean_of_others(void **state)
{
  (void)state;
  uint32_t known = 0;
  for (uint32_t node = 1; node <= 100000; node++) wait_cpu_learn(&waits, node, node);
  for (uint32_t node = 1; node <= 100000; node++) {
    int64_t mean = wait_cpu_mean_ns(&waits, node);
    if (mean < 0) continue;
    assert_int_equal(mean, node);
    known++;
  }
  assert_in_range(known, 1, 1 << WAIT_CPU_SLOTS_LOG2);
}

static void test_very_long_work_is_bounded(void **state)
{
  (void)state;
  wait_cpu_learn(&waits, UINT32_MAX, INT64_MAX);
  assert_int_equal(wait_cpu_mean_ns(&waits, UINT32_MAX), UINT32_MAX);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_nothing_is_known, forget),
    cmocka_unit_test_setup(test_each_stack_has_its_mean, forget),
    cmocka_unit_test_setup(test_the_first_value_is_the_mean, forget),
    cmocka_unit_test_setup(test_waits_that_take_nothing_are_known, forget),
    cmocka_unit_test_setup(test_stacks_never_get_the_mean_of_others, forget),
    cmocka_unit_test_setup(test_very_long_work_is_bounded, forget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
