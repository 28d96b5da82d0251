/* The row of tabs never forgets what is marked, left out or put together, however much it is. */
#include "tests/tui/screen_model.h"
#include "tui/term/screen.h"
#include "tui/text/text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static struct ui ui;
static struct rtop_profile *profile;

static int setup(void **state)
{
  static const struct screen_case look = { .rows = 24, .columns = 80, .mono = true };
  (void)state;
  profile = model_profile();
  model_screen_open(&look, &ui, profile);
  return 0;
}

static int teardown(void **state)
{
  (void)state;
  model_screen_close(&ui, &profile);
  return 0;
}

static void everything_on(void)
{
  model_press(&ui, 'A');
  model_press(&ui, 'K');
  model_press(&ui, 'X');
  model_type(&ui, "Puma::Server*,gem:rack\r");
  model_press(&ui, '\\');
  model_type(&ui, "Order\r");
  model_press(&ui, '3');
  model_type(&ui, "\r\r");
  model_press(&ui, '/');
  model_type(&ui, "index\r");
  model_press(&ui, '1');
}

static void test_nothing(void **state)
{
  char text[200];
  (void)state;
  assert_int_equal(view_header_active(&ui, INT_MAX, 0, text, sizeof text), 0);
  assert_string_equal(text, "");
  assert_true(shows("W=busy")); /* what the view says itself: sleepers are on top */
  model_type(&ui, "W");
  ui.message[0] = '\0';
  model_redraw(&ui);
  assert_false(shows("W=busy"));
}

static void test_everything_at_80_columns(void **state)
{
  static const char *const parts[] = { "/index", " 0/1", "\\Order", "thr:", "mine", "-C", "!Puma" };
  (void)state;
  everything_on();
  ui.message_until_ns = 0;
  model_redraw(&ui);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) assert_true(shows(parts[i]));
}

static const char *active(void)
{
  static char text[200];
  view_header_active(&ui, INT_MAX, 0, text, sizeof text);
  return text;
}

/* Each is told once, and Esc takes it away. */
static void test_labels(void **state)
{
  (void)state;
  model_press(&ui, '9');
  model_press(&ui, 'v');
  assert_string_equal(active(), "label roots");
  model_press(&ui, 'v');
  model_press(&ui, 'u');
  model_press(&ui, 'U');
  assert_string_equal(active(), "root endpoint leaf endpoint");
  model_press(&ui, 'u');
  assert_string_equal(active(), "leaf endpoint");
  model_press(&ui, 27);
  assert_string_equal(active(), "");
}

static void test_every_width(void **state)
{
  static const char *const parts[] = { "in", " 0/1", "Or", "mi", "-C", "!P" };
  char text[400];
  (void)state;
  everything_on();
  int whole = view_header_active(&ui, INT_MAX, 0, text, sizeof text);
  assert_non_null(strstr(text, "filter: Order  thread: "));
  for (int columns = 10; columns <= whole + 2; columns++) {
    int used = view_header_active(&ui, columns, columns, text, sizeof text);
    assert_true(used <= columns);
    assert_int_equal(used, rtop_text_width(text));
    bool counted = strcmp(text, "6 filters") == 0;
    assert_true(!counted || columns < 40);
    for (size_t i = 0; !counted && i < sizeof parts / sizeof parts[0]; i++) assert_non_null(strstr(text, parts[i]));
  }
}

/* A message has rows of its own, and is not cut. */
static void test_with_a_message(void **state)
{
  (void)state;
  model_press(&ui, '\\');
  model_type(&ui, "Order\r");
  ui_say(&ui, "something has happened");
  model_redraw(&ui);
  assert_true(shows("something has happened") && shows("filter: Order"));
  ui_say(&ui, "something has happened that takes more words than there is room for in a row of eighty columns, and "
              "ends with /a/path/that/is/not/cut.rpt");
  model_redraw(&ui);
  assert_true(shows("something has happened that takes") && shows("filter: Order"));
  assert_true(shows("/a/path/that/is/not/cut.rpt"));
  model_press(&ui, 27);
  everything_on();
  ui_say(&ui, "something has happened that takes more words than there is room for");
  model_redraw(&ui);
  assert_true(shows("something has happened that "));
  assert_true(shows("/index"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_nothing, setup, teardown),
    cmocka_unit_test_setup_teardown(test_everything_at_80_columns, setup, teardown),
    cmocka_unit_test_setup_teardown(test_labels, setup, teardown),
    cmocka_unit_test_setup_teardown(test_every_width, setup, teardown),
    cmocka_unit_test_setup_teardown(test_with_a_message, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
