#include "ext/estimate/points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { NODE = 7, OTHER = 8, PLACE = 3, THREAD = 5 };

static void add(struct points *points, uint32_t stratum, uint32_t node, int64_t weight_ns)
{
  struct point point = { .node = node, .stratum = stratum, .thread = THREAD, .weight_ns = weight_ns };
  points_add(points, &point);
}

static void test_alike_in_a_row_are_one_of_more_weight(void **state)
{
  (void)state;
  static struct points points;
  add(&points, PLACE, NODE, 2);
  add(&points, PLACE, NODE, 3);
  add(&points, PLACE, OTHER, 1);
  add(&points, 0, OTHER, 1);
  assert_int_equal(points.count, 3);
  points_add(&points, &(struct point){ .node = OTHER, .thread = THREAD + 1, .weight_ns = 1 });
  assert_int_equal(points.count, 4); /* of another thread */
  assert_int_equal(points.entries[0].weight_ns, 5);
  assert_int_equal(points.entries[2].stratum, 0);
  static struct points taken;
  points_take(&points, &taken);
  assert_int_equal(points.count, 0);
  assert_int_equal(taken.count, 4);
  assert_int_equal(taken.entries[0].weight_ns, 5);
}

static void test_the_last_of_a_stratum_are_remembered(void **state)
{
  (void)state;
  static struct points points, taken;
  static struct points_last last;
  for (uint32_t i = 0; i < 2 * POINTS_LAST; i++) {
    add(&points, PLACE, NODE + i, 1 + i);
    points_take(&points, &taken);
    points_remember(&last, &taken, i);
  }
  assert_int_equal(last.told[PLACE], 2 * POINTS_LAST);
  assert_int_equal(last.told[0], 0);
  for (uint32_t i = 0; i < POINTS_LAST; i++) {
    assert_int_equal(last.of[PLACE][i].node, NODE + POINTS_LAST + i);
    assert_int_equal(last.of[PLACE][i].window, POINTS_LAST + i);
    assert_int_equal(last.of[PLACE][i].weight_ns, 1 + POINTS_LAST + i);
  }
  points_forget(&last, 1u << PLACE);
  assert_int_equal(last.told[PLACE], 0);
}

/* Each of too many is kept with the same chance: the first half is about half of what is left. */
static void test_of_too_many_chance_keeps_some(void **state)
{
  (void)state;
  static struct points points;
  uint32_t first = 0;
  for (uint32_t i = 0; i < 4 * POINTS_MAX; i++) add(&points, PLACE, NODE + i, 1);
  assert_int_equal(points.count, POINTS_MAX);
  for (uint32_t i = 0; i < POINTS_MAX; i++) first += points.entries[i].node < NODE + 2 * POINTS_MAX;
  assert_in_range(first, POINTS_MAX / 2 - 40, POINTS_MAX / 2 + 40); /* five standard deviations */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_alike_in_a_row_are_one_of_more_weight),
    cmocka_unit_test(test_the_last_of_a_stratum_are_remembered),
    cmocka_unit_test(test_of_too_many_chance_keeps_some),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
