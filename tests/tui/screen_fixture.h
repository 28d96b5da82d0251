/* What tests of screens share: one screen over the model that keys are pressed on, and cases of golden files. */
#ifndef RTOP_TESTS_TUI_SCREEN_FIXTURE_H
#define RTOP_TESTS_TUI_SCREEN_FIXTURE_H

#include "screen_model.h"
#include "tui/term/screen.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <ncurses.h>

#define KEYS(...)                                                                                                      \
  (int[])                                                                                                              \
  {                                                                                                                    \
    __VA_ARGS__, 0                                                                                                     \
  }
#define FN(key) ((key) | KEY_FUNCTION)
#define ON_CASE(at, set_up_function, test)                                                                             \
  cmocka_unit_test_prestate_setup_teardown(test, set_up_function, tear_down, (void *)(uintptr_t)(at))
#define FIXTURE __attribute__((unused)) static

FIXTURE struct ui ui;
FIXTURE struct rtop_profile *profile;

/* Opens the screen of a case over this profile, which is then the fixture's. */
FIXTURE void open_case(const struct screen_case *at, struct rtop_profile *of)
{
  profile = of;
  model_screen_open(at, &ui, profile);
}

FIXTURE int set_up(void **state)
{
  static const struct screen_case plain = { .rows = 24, .columns = 80 };
  (void)state;
  open_case(&plain, model_profile());
  return 0;
}

FIXTURE int set_up_wide(void **state)
{
  static const struct screen_case wide = { .rows = 24, .columns = 100 };
  (void)state;
  open_case(&wide, model_profile());
  return 0;
}

/* The state is the case (ON_CASE): it is opened over the model, or over a profile with nothing in it. */
FIXTURE int set_up_case(void **state)
{
  open_case(*state, model_profile());
  return 0;
}

FIXTURE int set_up_empty(void **state)
{
  open_case(*state, rtop_profile_create(1 << 20));
  return 0;
}

FIXTURE int tear_down(void **state)
{
  (void)state;
  model_screen_close(&ui, &profile);
  return 0;
}

/* Closes the screen and compares what stood on it with the golden file of the case. */
FIXTURE void close_and_check(const struct screen_case *at)
{
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  if (!at->header) model_crop_header(&ui);
  screen_write_text(out);
  if (at->attributes) screen_write_attributes(out);
  model_screen_close(&ui, &profile);
  fclose(out);
  golden_check(at->name, text);
  free(text);
}

FIXTURE void test_case(void **state)
{
  open_case(*state, model_profile());
  close_and_check(*state);
}

/* tests[i] becomes `draw` of cases[i]. */
FIXTURE void add_cases(struct CMUnitTest *tests, const struct screen_case *cases, size_t count, CMUnitTestFunction draw)
{
  for (size_t i = 0; i < count; i++)
    tests[i] = (struct CMUnitTest){ cases[i].name, draw, NULL, NULL, (void *)(uintptr_t)&cases[i] };
}

#endif
