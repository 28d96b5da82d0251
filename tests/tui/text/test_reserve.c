#include "tui/text/reserve.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static void test_grows_and_clears(void **state)
{
  (void)state;
  uint32_t *array = NULL;
  size_t capacity = 0;
  for (size_t count = 1; count < 5000; count += count / 3 + 1) {
    assert_true(rtop_reserve(&array, &capacity, count, sizeof *array));
    assert_true(capacity >= count);
    assert_int_equal(array[count - 1], 0);
    array[count - 1] = (uint32_t)count;
  }
  assert_int_equal(array[0], 1);
  uint32_t *before = array;
  assert_true(rtop_reserve(&array, &capacity, capacity, sizeof *array));
  assert_ptr_equal(array, before);
  free(array);
}

static void test_too_much(void **state)
{
  (void)state;
  char *array = NULL;
  size_t capacity = 0;
  assert_true(rtop_reserve(&array, &capacity, 3, 1));
  array[2] = 'x';
  size_t held = capacity;
  assert_false(rtop_reserve(&array, &capacity, SIZE_MAX / 2, 1));
  assert_int_equal(capacity, held);
  assert_int_equal(array[2], 'x');
  free(array);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_grows_and_clears),
    cmocka_unit_test(test_too_much),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
