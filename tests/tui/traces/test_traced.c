/* The pane of a method while it is traced, and the wish to trace one. */
#include "tests/tui/screen_model.h"
#include "tui/traces/traced.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define KEYS(...)                                                                                                      \
  (int[])                                                                                                              \
  {                                                                                                                    \
    __VA_ARGS__, 0                                                                                                     \
  }
#define TO_THE_METHOD '/', 'i', 'n', 'd', 'e', 'x', '\r'

static void test_panes(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    int rows, columns;
    bool arguments;
  } sizes[] = { { "traced-80x24", 24, 80, false },
                { "traced-160x50", 50, 160, false },
                { "traced-40x10", 10, 40, false },
                { "traced-args-80x24", 24, 80, true },
                { "traced-args-160x50", 50, 160, true } };
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    struct screen_case screen_case = {
      .name = sizes[i].name, .rows = sizes[i].rows, .columns = sizes[i].columns, .keys = KEYS(TO_THE_METHOD, 'D')
    };
    struct rtop_profile *profile = model_traced_profile(sizes[i].arguments);
    struct ui ui;
    model_screen_open(&screen_case, &ui, profile);
    model_crop_header(&ui);
    char *text = model_screen_text();
    golden_check(screen_case.name, text);
    free(text);
    model_screen_close(&ui, &profile);
  }
}

/* What the program finds when the key was pressed. */
static void test_the_wish(void **state)
{
  (void)state;
  struct screen_case screen_case = { .rows = 24, .columns = 80, .keys = KEYS(TO_THE_METHOD) };
  struct rtop_profile *profile = model_profile();
  struct ui ui;
  model_screen_open(&screen_case, &ui, profile);
  assert_string_equal(ui.wish.trace, "");
  model_press(&ui, 'c');
  assert_string_equal(ui.wish.trace, "OrdersController#index");
  model_screen_close(&ui, &profile);
}

static void test_names(void **state)
{
  (void)state;
  static const struct {
    const char *label, *name;
  } names[] = {
    { "Object#fib", "Object#fib" },  { "A::B.c", "A::B.c" }, { "A#==", "A#==" },           { "<main>", NULL },
    { "block in Object#fib", NULL }, { "fib", NULL },        { "#<Class:0x…>#a b", NULL }, { "A#", NULL },
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const struct rtop_symbol symbol = { .label = names[i].label };
    const char *name = traced_name(&symbol);
    if (names[i].name) assert_string_equal(name, names[i].name);
    else assert_null(name);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_panes),
    cmocka_unit_test(test_the_wish),
    cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
