/* Escape sequences without a name: what is swallowed, what stays a key. */
#include "tui/term/escape.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

/* Feeds all but the last byte, which must all be MORE; returns what the last one is. */
static enum escape_step feed(struct escape *escape, const char *bytes)
{
  size_t count = strlen(bytes);
  memset(escape, 0, sizeof *escape);
  for (size_t i = 0; i + 1 < count; i++) assert_int_equal(escape_take(escape, bytes[i]), ESCAPE_MORE);
  return escape_take(escape, bytes[count - 1]);
}

static void test_keys_pass(void **state)
{
  (void)state;
  struct escape escape = { 0 };
  for (int key = 0; key < 256; key++)
    if (key != ESCAPE_KEY) assert_int_equal(escape_take(&escape, key), ESCAPE_NOT);
  assert_int_equal(escape_take(&escape, 1 << 20), ESCAPE_NOT);
}

static void test_whole_sequences_are_swallowed(void **state)
{
  static const char *const sequences[] = {
    "\033[2;6R", "\033[15;6~", "\033[?2;6R", "\033[>1;95;0c", "\033[0n", "\033[I", "\033Op", "\033[1;5A",
  };
  (void)state;
  for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++) {
    struct escape escape;
    assert_int_equal(feed(&escape, sequences[i]), ESCAPE_DONE);
    assert_int_equal(escape_take(&escape, 'q'), ESCAPE_NOT);
  }
}

static void test_what_breaks_off_is_forgotten(void **state)
{
  struct escape escape;
  (void)state;
  assert_int_equal(feed(&escape, "\033x"), ESCAPE_NOT); /* Alt-x: Esc, then x */
  assert_int_equal(feed(&escape, "\033\033"), ESCAPE_NOT);
  assert_int_equal(feed(&escape, "\033[2\003"), ESCAPE_NOT); /* Ctrl-C is heard at once */
  assert_int_equal(escape_take(&escape, 'q'), ESCAPE_NOT);
  assert_int_equal(feed(&escape, "\033[2;\033"), ESCAPE_MORE);
  assert_int_equal(escape_take(&escape, '['), ESCAPE_MORE);
  assert_int_equal(escape_take(&escape, 'A'), ESCAPE_DONE);
}

static void test_the_position_is_read(void **state)
{
  static const char *const wrong[] = {
    "\033[R",    "\033[2R",    "\033[2;R",  "\033[;6R",  "\033[?2;6R",     "\033[2;6;1R",
    "\033[0;0R", "\033[-2;6R", "\033[2;6n", "\033[2;6~", "\033[999999;6R",
  };
  struct escape escape;
  int row = 0, column = 0;
  (void)state;
  assert_int_equal(feed(&escape, "\033[2;6R"), ESCAPE_DONE);
  assert_true(escape_position(&escape, &row, &column));
  assert_int_equal(row, 2);
  assert_int_equal(column, 6);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    assert_int_equal(feed(&escape, wrong[i]), ESCAPE_DONE);
    assert_false(escape_position(&escape, &row, &column));
  }
}

static void test_a_long_one_does_no_harm(void **state)
{
  struct escape escape = { 0 };
  int row, column;
  (void)state;
  escape_take(&escape, ESCAPE_KEY);
  escape_take(&escape, '[');
  for (int i = 0; i < 10000; i++) assert_int_equal(escape_take(&escape, '1'), ESCAPE_MORE);
  assert_int_equal(escape_take(&escape, 'R'), ESCAPE_DONE);
  assert_false(escape_position(&escape, &row, &column));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_keys_pass),
    cmocka_unit_test(test_whole_sequences_are_swallowed),
    cmocka_unit_test(test_what_breaks_off_is_forgotten),
    cmocka_unit_test(test_the_position_is_read),
    cmocka_unit_test(test_a_long_one_does_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
