/* Words, signs and keys of the states: told apart, and the contracts of JSON and exports as they are. */
#include "tui/methods/states.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* Words are read on the screen; the rest is in files that people have. */
static void test_each_state_by_its_names(void **state)
{
  (void)state;
  static const struct {
    const char *word, *key, *name;
    char sign;
  } wanted[RTOP_STATES] = {
    [RTOP_STATE_RUNNING] = { "run", "running", "running", '|' },
    [RTOP_STATE_WAITING] = { "wait", "waiting", "waiting for the GVL", ':' },
    [RTOP_STATE_BLOCKED] = { "blocked", "blocked", "blocked", '.' },
    [RTOP_STATE_MARKING] = { "mark", "marking", "marking", '#' },
    [RTOP_STATE_SWEEPING] = { "sweep", "sweeping", "sweeping", '=' },
  };
  for (int i = 0; i < RTOP_STATES; i++) {
    assert_string_equal(state_word((enum rtop_state)i), wanted[i].word);
    assert_string_equal(state_key((enum rtop_state)i), wanted[i].key);
    assert_string_equal(state_name((enum rtop_state)i), wanted[i].name);
    assert_int_equal(state_sign((enum rtop_state)i), wanted[i].sign);
    assert_true(strlen(state_help((enum rtop_state)i)) > 10 && strlen(state_does((enum rtop_state)i)) > 5);
  }
  assert_string_equal(thread_word(THREAD_QUIET), "quiet");
  assert_string_equal(thread_word(THREAD_ENDED), "ended");
  assert_true(strlen(thread_word_help(THREAD_QUIET)) > 10 && strlen(thread_word_help(THREAD_ENDED)) > 10);
}

static void test_what_is_no_state(void **state)
{
  (void)state;
  assert_string_equal(state_word(RTOP_STATES), "?");
  assert_string_equal(state_key(RTOP_STATES), "?");
  assert_string_equal(state_name(RTOP_STATES), "?");
  assert_string_equal(state_does(RTOP_STATES), "?");
  assert_string_equal(state_help(RTOP_STATES), "?");
  assert_string_equal(thread_word(THREAD_WORDS), "?");
  assert_string_equal(thread_word_help(THREAD_WORDS), "?");
  assert_int_equal(state_sign(RTOP_STATES), ' ');
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_each_state_by_its_names),
    cmocka_unit_test(test_what_is_no_state),
  };
  return cmocka_run_group_tests_name("states", tests, NULL, NULL);
}
