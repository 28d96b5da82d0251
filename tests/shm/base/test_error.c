#include "tests/shm/support.h"

#include "shm/base/error.h"
#include <errno.h>
#include <string.h>

static void test_fills_and_returns_minus_one(void **state)
{
  (void)state;
  struct rtop_error error = { 0 };
  assert_int_equal(rtop_error_set(&error, RTOP_ERROR_LIMIT, EFBIG, "%s of %d", "one", 7), -1);
  assert_int_equal(error.code, RTOP_ERROR_LIMIT);
  assert_int_equal(error.errno_value, EFBIG);
  assert_string_equal(error.text, "one of 7");
}

static void test_nobody_cares(void **state)
{
  (void)state;
  assert_int_equal(rtop_error_set(NULL, RTOP_ERROR_SYSTEM, 0, "x"), -1);
}

static void test_long_text_is_cut_and_terminated(void **state)
{
  (void)state;
  struct rtop_error error;
  char text[2 * sizeof error.text];
  memset(text, 'a', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  rtop_error_set(&error, RTOP_ERROR_SYSTEM, 0, "%s", text);
  assert_int_equal(strlen(error.text), sizeof error.text - 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_fills_and_returns_minus_one),
    cmocka_unit_test(test_nobody_cares),
    cmocka_unit_test(test_long_text_is_cut_and_terminated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
