#include "ext/estimate/axis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void test_time_belongs_to_the_point_that_ends_its_epoch(void **state)
{
  (void)state;
  struct axis axis = { 0 };
  uint32_t node = 0;
  assert_false(axis_node(&axis, 0, &node));
  for (uint32_t i = 0; i < AXIS_LOG; i++)
    assert_int_equal(axis_set(&axis, (struct axis_point){ .node = 100 + i }), i + 1);
  for (uint32_t i = 0; i < AXIS_LOG; i++) {
    assert_true(axis_node(&axis, i, &node));
    assert_int_equal(node, 100 + i);
  }
  assert_false(axis_node(&axis, AXIS_LOG, &node));
}

static void test_what_the_log_has_forgotten_belongs_to_the_oldest_it_knows(void **state)
{
  (void)state;
  struct axis axis = { 0 };
  uint32_t node = 0;
  for (uint32_t i = 0; i < 3 * AXIS_LOG; i++) axis_set(&axis, (struct axis_point){ .node = 100 + i });
  assert_true(axis_node(&axis, 0, &node));
  assert_int_equal(node, 100 + 2 * AXIS_LOG);
}

/* Of stretches of 3 and 7 us those of 7 are met more often, as 7 to 3, at points that stand 100 us apart in the mean. */
static void test_points_meet_stretches_by_their_length(void **state)
{
  (void)state;
  struct axis axis = { 0 };
  uint32_t random = 12345;
  int64_t behind = 0;
  int met[2] = { 0 };
  for (int i = 0; i < 400000; i++) {
    int64_t length = i % 2 ? 7000 : 3000;
    if (!axis_passes(&axis, length, 100000, &random, &behind)) continue;
    assert_in_range(behind, 0, length - 1);
    met[i % 2]++;
  }
  assert_in_range(met[0] + met[1], 19600, 20400);
  assert_in_range(met[0], 5700, 6300);
}

/* A process that was stopped for a day within a stretch: the last point is near its end, and found at once. */
static void test_a_stretch_of_a_day(void **state)
{
  (void)state;
  for (uint32_t seed = 1; seed < 2000; seed++) {
    struct axis axis = { 0 };
    uint32_t random = seed * 7919;
    int64_t behind = -1;
    axis_passes(&axis, 1000, 64000, &random, &behind);
    assert_true(axis_passes(&axis, INT64_C(86400000000000), 64000, &random, &behind));
    assert_in_range(behind, 0, 64000 * 3 / 2);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_time_belongs_to_the_point_that_ends_its_epoch),
    cmocka_unit_test(test_what_the_log_has_forgotten_belongs_to_the_oldest_it_knows),
    cmocka_unit_test(test_points_meet_stretches_by_their_length),
    cmocka_unit_test(test_a_stretch_of_a_day),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
