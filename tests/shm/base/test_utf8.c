#include "tests/shm/support.h"

#include "shm/base/utf8.h"

static void test_cut_at_character_boundaries(void **state)
{
  (void)state;
  static const char text[] = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z";
  static const size_t expected[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11 };
  for (size_t limit = 0; limit < sizeof expected / sizeof expected[0]; limit++)
    assert_int_equal(rtop_utf8_cut(text, sizeof text - 1, limit), expected[limit]);
}

static void test_bytes_that_are_no_utf8(void **state)
{
  (void)state;
  assert_int_equal(rtop_utf8_cut("\x80\x80\x80\x80\x80\x80", 6, 5), 5);
  assert_int_equal(rtop_utf8_cut("", 0, 0), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cut_at_character_boundaries),
    cmocka_unit_test(test_bytes_that_are_no_utf8),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
