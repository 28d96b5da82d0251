/* The verdict in full: screens against golden files, its key, and advice where the figures show it. */
#include "tests/tui/model_fixture.h"
#include "tests/tui/screen_fixture.h"

static const struct screen_case narrow = { .name = "why-80x24", .rows = 24, .columns = 80, .keys = KEYS('"') },
                                wide = { .name = "why-160x50", .rows = 50, .columns = 160, .keys = KEYS('"') },
                                small = { .name = "why-40x10", .rows = 10, .columns = 40, .keys = KEYS('"') };

static int set_up_why(void **state)
{
  open_case(*state, model_profile());
  return 0;
}

static void test_screen(void **state)
{
  const struct screen_case *at = *state;
  char *text = model_screen_text();
  golden_check(at->name, text);
  free(text);
  assert_int_equal(ui.view->id, VIEW_WHY);
}

static void test_keys(void **state)
{
  (void)state;
  assert_true(shows("FIGURES OF THE SPAN"));
  assert_true(shows("None follows from these figures."));
  model_press(&ui, '"');
  assert_int_equal(ui.view->id, VIEW_METHODS);
  model_press(&ui, '3');
  model_press(&ui, '"');
  assert_int_equal(ui.view->id, VIEW_WHY);
  model_press(&ui, 27);
  assert_int_equal(ui.view->id, VIEW_THREADS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_prestate_setup_teardown(test_screen, set_up_why, tear_down, (void *)(uintptr_t)&narrow),
    cmocka_unit_test_prestate_setup_teardown(test_screen, set_up_why, tear_down, (void *)(uintptr_t)&wide),
    cmocka_unit_test_prestate_setup_teardown(test_screen, set_up_why, tear_down, (void *)(uintptr_t)&small),
    cmocka_unit_test_prestate_setup_teardown(test_keys, set_up_why, tear_down, (void *)(uintptr_t)&narrow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
