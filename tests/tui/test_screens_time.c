/* The time view: golden screens live, frozen, with a span, in a gap, zoomed. */
#include "screen_model.h"
#include "tui/screen.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <ncurses.h>

#define KEYS(...) (int[]){ __VA_ARGS__, 0 }
#define SPAN '7', '{', 'm', '{', '{', 'm', '['

static const struct screen_case cases[] = {
  { .name = "time-80x24", .rows = 24, .columns = 80, .keys = KEYS('7') },
  { .name = "time-80x24-ascii", .rows = 24, .columns = 80, .ascii = true, .keys = KEYS('7') },
  { .name = "time-80x24-c-locale", .rows = 24, .columns = 80, .c_locale = true, .keys = KEYS('7') },
  { .name = "time-160x50", .rows = 50, .columns = 160, .keys = KEYS('7') },
  { .name = "time-160x50-ascii", .rows = 50, .columns = 160, .ascii = true, .keys = KEYS('7') },
  { .name = "time-frozen-80x24", .rows = 24, .columns = 80, .keys = KEYS('7', '{', '{', '[') },
  { .name = "time-frozen-80x24-color", .rows = 24, .columns = 80, .attributes = true,
    .keys = KEYS('7', '{', '{', '[') },
  { .name = "time-frozen-80x24-mono", .rows = 24, .columns = 80, .mono = true, .attributes = true,
    .keys = KEYS('7', '{', '{', '[') },
  { .name = "time-frozen-160x50", .rows = 50, .columns = 160, .keys = KEYS('7', '{', '{', '[') },
  { .name = "time-span-80x24", .rows = 24, .columns = 80, .keys = KEYS(SPAN) },
  { .name = "time-span-80x24-mono", .rows = 24, .columns = 80, .mono = true, .attributes = true,
    .keys = KEYS(SPAN) },
  { .name = "time-span-160x50-ascii", .rows = 50, .columns = 160, .ascii = true, .keys = KEYS(SPAN) },
  { .name = "time-gap-80x24", .rows = 24, .columns = 80,
    .keys = KEYS('7', '-', 'b', '-', '5', '3', '\r') },
  { .name = "time-fine-80x24", .rows = 24, .columns = 80, .keys = KEYS('7', '+', '+', '+') },
  { .name = "time-all-80x24", .rows = 24, .columns = 80, .keys = KEYS('7', '-', '-', '-', '-') },
  { .name = "time-100x30", .rows = 30, .columns = 100, .keys = KEYS('7', '[') },
  { .name = "time-40x10", .rows = 10, .columns = 40, .keys = KEYS('7', '[') },
  { .name = "time-20x5", .rows = 5, .columns = 20, .keys = KEYS('7') },
  { .name = "time-19x4", .rows = 4, .columns = 19, .keys = KEYS('7') },
};

static void test_case(void **state)
{
  static struct ui ui;
  const struct screen_case *at = *state;
  struct rtop_profile *profile = model_profile();
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  model_screen_open(at, &ui, profile);
  screen_write_text(out);
  if (at->attributes) {
    screen_write_attributes(out);
  }
  model_screen_close(&ui, &profile);
  fclose(out);
  golden_check(at->name, text);
  free(text);
}

int main(void)
{
  enum { COUNT = sizeof cases / sizeof cases[0] };
  struct CMUnitTest tests[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    tests[i] = (struct CMUnitTest){ cases[i].name, test_case, NULL, NULL, (void *)(uintptr_t)&cases[i] };
  }
  return _cmocka_run_group_tests("screens of the time view", tests, COUNT, NULL, NULL);
}
