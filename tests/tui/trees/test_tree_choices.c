#include "tui/trees/tree_choices.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void test_choices_last(void **state)
{
  (void)state;
  struct rtop_tree_choices choices = { 0 };
  for (uint64_t key = 0; key < 1000; key++) {
    assert_int_equal(rtop_tree_choice(&choices, key << 40), RTOP_TREE_UNDECIDED);
    rtop_tree_choose(&choices, key << 40, key % 3 == 0);
  }
  rtop_tree_choose(&choices, 0, false);
  for (uint64_t key = 0; key < 1000; key++) {
    bool open = key % 3 == 0 && key > 0;
    assert_int_equal(rtop_tree_choice(&choices, key << 40), open ? RTOP_TREE_OPEN : RTOP_TREE_CLOSED);
  }
  rtop_tree_choices_clear(&choices);
  assert_int_equal(rtop_tree_choice(&choices, UINT64_C(3) << 40), RTOP_TREE_UNDECIDED);
  rtop_tree_choose(&choices, 5, true);
  assert_int_equal(rtop_tree_choice(&choices, 5), RTOP_TREE_OPEN);
  rtop_tree_choices_clear(&choices);
}

/* Small keys, which are kept apart, and their neighbours. */
static void test_keys_near_and_far(void **state)
{
  (void)state;
  struct rtop_tree_choices choices = { 0 };
  static const uint64_t keys[] = { 1, 255, 4096, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, UINT64_MAX };
  enum { KEYS = sizeof keys / sizeof keys[0] };
  for (size_t i = 0; i < KEYS; i += 2) rtop_tree_choose(&choices, keys[i], i % 4 == 0);
  for (size_t i = 0; i < KEYS; i++)
    assert_int_equal(rtop_tree_choice(&choices, keys[i]), i % 2   ? RTOP_TREE_UNDECIDED
                                                          : i % 4 ? RTOP_TREE_CLOSED
                                                                  : RTOP_TREE_OPEN);
  rtop_tree_choose(&choices, 1, false);
  assert_int_equal(rtop_tree_choice(&choices, 1), RTOP_TREE_CLOSED);
  rtop_tree_choices_clear(&choices);
  for (size_t i = 0; i < KEYS; i++) assert_int_equal(rtop_tree_choice(&choices, keys[i]), RTOP_TREE_UNDECIDED);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_choices_last), cmocka_unit_test(test_keys_near_and_far) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
