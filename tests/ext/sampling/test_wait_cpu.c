#include "ext/sampling/wait_cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define WALL_NS INT64_C(1000000)

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
    wait_cpu_learn(&waits, 7, 50000 + (i & 1 ? 10000 : -10000), WALL_NS);
    wait_cpu_learn(&waits, 8, 3000, WALL_NS);
  }
  assert_in_range(wait_cpu_mean_ns(&waits, 7), 48000, 52000);
  assert_int_equal(wait_cpu_mean_ns(&waits, 8), 3000);
  assert_int_equal(wait_cpu_mean_ns(&waits, 9), -1);
}

static void test_the_first_value_is_the_mean(void **state)
{
  (void)state;
  wait_cpu_learn(&waits, 7, 1234, WALL_NS);
  assert_int_equal(wait_cpu_mean_ns(&waits, 7), 1234);
}

static void test_waits_that_take_nothing_are_known(void **state)
{
  (void)state;
  wait_cpu_learn(&waits, 7, 0, WALL_NS);
  assert_int_equal(wait_cpu_mean_ns(&waits, 7), 0);
}

/* More stacks than there is room for: what is known of a stack is its own, or nothing. */
static void test_stacks_never_get_the_mean_of_others(void **state)
{
  (void)state;
  uint32_t known = 0;
  for (uint32_t node = 1; node <= 100000; node++) wait_cpu_learn(&waits, node, node, WALL_NS);
  for (uint32_t node = 1; node <= 100000; node++) {
    int64_t mean = wait_cpu_mean_ns(&waits, node);
    if (mean < 0) continue;
    assert_int_equal(mean, node);
    known++;
  }
  assert_in_range(known, 1, 1 << WAIT_CPU_SLOTS_LOG2);
}

static void test_what_mostly_rests_takes_the_same_however_long_it_is(void **state)
{
  (void)state;
  assert_int_equal(wait_cpu_usual_ns(&waits, 7, 1000), -1);
  for (int i = 0; i < 100; i++) wait_cpu_learn(&waits, 7, 40000, i & 1 ? 100000 : 3000000);
  assert_int_equal(wait_cpu_usual_ns(&waits, 7, 100000), 40000);
  assert_int_equal(wait_cpu_usual_ns(&waits, 7, 10000000), 40000);
}

static void test_what_computes_takes_a_part_of_its_time(void **state)
{
  (void)state;
  for (int i = 0; i < 100; i++) wait_cpu_learn(&waits, 7, i & 1 ? 90000 : 900000, i & 1 ? 100000 : 1000000);
  assert_in_range(wait_cpu_usual_ns(&waits, 7, 200000), 179990, 180010);
  assert_in_range(wait_cpu_usual_ns(&waits, 7, 2000000), 1799900, 1800100);
  assert_true(wait_cpu_usual_ns(&waits, 7, INT64_C(1000000000)) < 4000000);
  wait_cpu_learn(&waits, 8, 9000, 10000);
  assert_int_equal(wait_cpu_usual_ns(&waits, 8, 1000000), 9000);
}

static void test_very_long_work_is_bounded(void **state)
{
  (void)state;
  wait_cpu_learn(&waits, UINT32_MAX, INT64_MAX, WALL_NS);
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
    cmocka_unit_test_setup(test_what_mostly_rests_takes_the_same_however_long_it_is, forget),
    cmocka_unit_test_setup(test_what_computes_takes_a_part_of_its_time, forget),
    cmocka_unit_test_setup(test_very_long_work_is_bounded, forget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
