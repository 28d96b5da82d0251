#include "tui/tree_places.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { LENGTH = 1000000, LITTLE = LENGTH / 1000 - 1 };

static uint64_t key_at(const void *rows, size_t at)
{
  return ((const uint64_t *)rows)[at];
}

static void test_little_changes_nothing(void **state)
{
  static const uint64_t order[] = {70, 5, 900, 33};
  (void)state;
  struct rtop_tree_places places = {0};
  rtop_tree_places_begin(&places, RTOP_SORT_TOTAL, false, LENGTH);
  assert_false(rtop_tree_places_swap(&places, 5, LITTLE, 70, 0));        /* nothing is known yet */
  rtop_tree_places_take(&places, order, 4, key_at);
  assert_true(rtop_tree_places_swap(&places, 5, LITTLE, 70, 0));
  assert_true(rtop_tree_places_swap(&places, 5, 0, 70, LITTLE));         /* reversed orders, too */
  assert_false(rtop_tree_places_swap(&places, 5, LITTLE + 1, 70, 0));
  assert_false(rtop_tree_places_swap(&places, 70, LITTLE, 5, 0));        /* as it was */
  assert_false(rtop_tree_places_swap(&places, 5, 7, 70, 7));             /* equal: by name */
  assert_false(rtop_tree_places_swap(&places, 5, LITTLE, 71, 0));        /* new */
  rtop_tree_places_destroy(&places);
}

static void test_another_order_forgets(void **state)
{
  static const uint64_t order[] = {1, 2};
  (void)state;
  struct rtop_tree_places places = {0};
  rtop_tree_places_begin(&places, RTOP_SORT_TOTAL, false, LENGTH);
  rtop_tree_places_take(&places, order, 2, key_at);
  rtop_tree_places_begin(&places, RTOP_SORT_TOTAL, false, LENGTH);
  assert_true(rtop_tree_places_swap(&places, 2, 1, 1, 0));
  rtop_tree_places_begin(&places, RTOP_SORT_TOTAL, true, LENGTH);
  assert_false(rtop_tree_places_swap(&places, 2, 1, 1, 0));
  rtop_tree_places_take(&places, order, 2, key_at);
  rtop_tree_places_begin(&places, RTOP_SORT_ALLOC, true, LENGTH);
  rtop_tree_places_take(&places, order, 2, key_at);
  assert_false(rtop_tree_places_swap(&places, 2, 1, 1, 0));              /* objects are no time */
  rtop_tree_places_destroy(&places);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_little_changes_nothing),
    cmocka_unit_test(test_another_order_forgets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
