/* Whole screens against golden files: sizes, character sets, palettes, what keys open. */
#include "tests/tui/screen_fixture.h"

static const struct screen_case cases[] = {
  { .name = "methods-80x24", .rows = 24, .columns = 80 },
  { .name = "methods-80x24-color", .rows = 24, .columns = 80, .attributes = true },
  { .name = "methods-160x50", .rows = 50, .columns = 160 },
  { .name = "whole-80x24", .rows = 24, .columns = 80, .header = true },
  { .name = "whole-80x24-color", .rows = 24, .columns = 80, .header = true, .attributes = true },
  { .name = "methods-80x24-mono", .rows = 24, .columns = 80, .mono = true, .attributes = true },
  { .name = "methods-80x24-ascii", .rows = 24, .columns = 80, .ascii = true },
  { .name = "methods-80x24-c-locale", .rows = 24, .columns = 80, .c_locale = true },
  { .name = "whole-160x50", .rows = 50, .columns = 160, .header = true },
  { .name = "methods-160x50-ascii", .rows = 50, .columns = 160, .ascii = true },
  { .name = "whole-200x60", .rows = 60, .columns = 200, .header = true },
  { .name = "whole-100x30", .rows = 30, .columns = 100, .header = true },
  { .name = "methods-dead", .rows = 24, .columns = 80, .dead = true },
  { .name = "methods-dead-160x50", .rows = 50, .columns = 160, .dead = true },
  { .name = "whole-40x10", .rows = 10, .columns = 40, .header = true },
  { .name = "whole-20x5", .rows = 5, .columns = 20, .header = true },
  { .name = "whole-19x4", .rows = 4, .columns = 19, .header = true },
  { .name = "methods-search", .rows = 24, .columns = 80, .attributes = true, .keys = KEYS('/', 'j', 's', 'o', 'n') },
  { .name = "methods-filter", .rows = 24, .columns = 80, .keys = KEYS('\\', '!', 'P', 'u', 'm', 'a', '\r') },
  { .name = "methods-bad-filter", .rows = 24, .columns = 80, .keys = KEYS('\\', '(', 'x') },
  { .name = "methods-sort-menu", .rows = 24, .columns = 80, .keys = KEYS('s', 'j') },
  { .name = "methods-columns", .rows = 24, .columns = 80, .keys = KEYS('f', 'j', ' ', 'j', 'j', ' ', '>') },
  { .name = "methods-chosen", .rows = 24, .columns = 80, .keys = KEYS('f', 'j', ' ', 'j', 'j', ' ', '>', 'f') },
  { .name = "methods-by-place", .rows = 24, .columns = 80, .keys = KEYS('s', 'G', '\r') },
  { .name = "methods-busy", .rows = 24, .columns = 80, .keys = KEYS('C', 'C') },
  { .name = "methods-busy-open", .rows = 24, .columns = 80, .attributes = true, .keys = KEYS('C', 'C', 'G', '\r') },
  { .name = "methods-times", .rows = 24, .columns = 80, .keys = KEYS('%', 'Y') },
  { .name = "methods-scrolled",
    .rows = 24,
    .columns = 80,
    .keys = KEYS(KEY_RIGHT | KEY_FUNCTION, KEY_RIGHT | KEY_FUNCTION) },
  { .name = "methods-no-header", .rows = 24, .columns = 80, .keys = KEYS('#', 'G') },
  { .name = "methods-all", .rows = 24, .columns = 80, .keys = KEYS('w', 'w', 'w') },
  { .name = "methods-mine", .rows = 24, .columns = 80, .keys = KEYS('A', 'K') },
  { .name = "methods-by-class", .rows = 24, .columns = 80, .keys = KEYS('l', 'j', 'j', '\r') },
  { .name = "methods-by-file", .rows = 50, .columns = 160, .keys = KEYS('l', 'j', 'j', 'j', '\r') },
  { .name = "methods-by-gem-ascii",
    .rows = 24,
    .columns = 80,
    .ascii = true,
    .keys = KEYS('l', 'j', 'j', 'j', 'j', '\r') },
  { .name = "tree-by-class", .rows = 24, .columns = 80, .keys = KEYS('l', 'j', 'j', '\r', '2') },
  { .name = "detail-80x24", .rows = 24, .columns = 80, .keys = KEYS('/', 'i', 'n', 'd', 'e', 'x', '\r', '\r', '\r') },
  { .name = "row-menu-80x24",
    .rows = 24,
    .columns = 80,
    .attributes = true,
    .keys = KEYS('/', 'i', 'n', 'd', 'e', 'x', '\r', '\r') },
  { .name = "row-menu-160x50", .rows = 50, .columns = 160, .keys = KEYS('/', 'i', 'n', 'd', 'e', 'x', '\r', '\r') },
  { .name = "row-menu-c-method", .rows = 24, .columns = 80, .keys = KEYS('/', 'p', 'o', 'p', '\r', '2', ';') },
  { .name = "row-menu-40x10", .rows = 10, .columns = 40, .keys = KEYS('\r') },
  { .name = "methods-letters",
    .rows = 24,
    .columns = 80,
    .keys = KEYS('S', 'j', 'j', 'j', 'j', 'j', 'j', 'j', 'j', 'j', 'j', 'j', 'j', ' ', 27) },
  { .name = "help-80x24", .rows = 24, .columns = 80, .keys = KEYS('?') },
  { .name = "help-40x10-end", .rows = 10, .columns = 40, .keys = KEYS('?', 'G') },
};

/* A screen may be drawn before anything was summed, at any size. */
static void test_before_the_first_update(void **state)
{
  (void)state;
  for (int view = 0; view < VIEW_DATA_COUNT; view++) {
    struct screen_options look = { .color = 0 };
    profile = model_profile();
    assert_int_equal(screen_open_headless(&look, 24, 80), 0);
    model_ui(&ui, profile);
    ui_open_view(&ui, (enum view_id)view);
    for (int rows = 1; rows < 60; rows += 7) {
      resizeterm(rows, rows * 4);
      ui_draw(&ui);
    }
    model_screen_close(&ui, &profile);
  }
}

int main(void)
{
  enum { COUNT = sizeof cases / sizeof cases[0] };
  struct CMUnitTest tests[COUNT + 1];
  add_cases(tests, cases, COUNT, test_case);
  tests[COUNT] = (struct CMUnitTest)cmocka_unit_test(test_before_the_first_update);
  return _cmocka_run_group_tests("screens", tests, COUNT + 1, NULL, NULL);
}
