/* Words, signs and keys of the states: told apart, and the contracts of JSON and exports as they are. */
#include "tui/methods/states.h"
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

static bool is_word(const char *word)
{
  bool found = false;
  for (int i = 0; i < RTOP_STATES; i++) found = found || strcmp(word, state_word((enum rtop_state)i)) == 0;
  for (int i = 0; i < THREAD_WORDS; i++) found = found || strcmp(word, thread_word((enum thread_word)i)) == 0;
  return found;
}

/* Counts the words below the heading of the column ST, and finds those that are of no state. */
static size_t words_of_screen(const char *path)
{
  char line[1024], word[32];
  size_t words = 0;
  const char *heading;
  ptrdiff_t column = -1;
  FILE *screen = fopen(path, "r");
  assert_non_null(screen);
  while (fgets(line, sizeof line, screen)) {
    if (column >= 0 && strspn(line, " \n") == strlen(line)) break;
    if (column >= 0 && (ptrdiff_t)strlen(line) > column && sscanf(line + column, "%31s", word) == 1) {
      if (!is_word(word)) fail_msg("%s: %s", path, word);
      words++;
    }
    if (column < 0 && (heading = strstr(line, " ST "))) column = heading + 1 - line;
  }
  fclose(screen);
  return words;
}

/* One word for a state, wherever threads are listed. */
static void test_screens_have_these_words(void **state)
{
  (void)state;
  glob_t found;
  size_t words = 0;
  assert_int_equal(glob("tests/tui/screens/threads-[0-9]*x[0-9]*.screen", 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i++)
    if (!strstr(found.gl_pathv[i], "attributes")) words += words_of_screen(found.gl_pathv[i]);
  globfree(&found);
  assert_true(words > 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_each_state_by_its_names),
    cmocka_unit_test(test_what_is_no_state),
    cmocka_unit_test(test_screens_have_these_words),
  };
  return cmocka_run_group_tests_name("states", tests, NULL, NULL);
}
