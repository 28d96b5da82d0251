/* Keys that hide and merge, seen on the screen. */
#include "tests/tui/screen_fixture.h"

static uint64_t self_ns(void)
{
  uint64_t sum_ns = 0;
  for (size_t i = 0; i < ui.methods.count; i++) sum_ns += ui.methods.rows[i].self_ns;
  return sum_ns;
}

static bool any_kind(enum rtop_symbol_kind kind)
{
  for (size_t i = 0; i < ui.methods.count; i++)
    if (rtop_symbols_get(rtop_profile_symbols(profile), ui.methods.rows[i].frame)->kind == kind) return true;
  return false;
}

static void test_k_hides_methods_in_c(void **state)
{
  (void)state;
  uint64_t before_ns = self_ns();
  assert_true(any_kind(RTOP_SYMBOL_C));
  model_press(&ui, 'K');
  assert_false(any_kind(RTOP_SYMBOL_C));
  assert_true(shows("-C"));
  assert_int_equal(before_ns, self_ns());
  model_press(&ui, 'K');
  assert_true(any_kind(RTOP_SYMBOL_C));
}

static void test_a_shows_only_my_code_and_says_so_in_every_view(void **state)
{
  (void)state;
  uint64_t before_ns = self_ns();
  size_t rows = ui.methods.count;
  model_press(&ui, 'A');
  assert_true(ui.methods.count < rows);
  assert_int_equal(before_ns, self_ns());
  for (int key = '1'; key <= '8'; key++) {
    model_press(&ui, key);
    assert_true(shows("mine"));
  }
  model_press(&ui, '1');
  model_press(&ui, 'A');
  assert_int_equal(rows, ui.methods.count);
}

static void test_patterns_are_asked_for_kept_and_taken_back(void **state)
{
  (void)state;
  size_t rows = ui.methods.count;
  model_press(&ui, 'X');
  model_type(&ui, "<C>, stdlib");
  model_press(&ui, '\r');
  assert_true(ui.methods.count < rows);
  assert_true(shows("!<C> !stdlib"));
  model_press(&ui, 'X'); /* the old ones can be edited; Esc leaves them as they were */
  assert_true(shows("): <C>, stdlib"));
  model_press(&ui, 27);
  assert_string_equal("<C>, stdlib", ui.lens.exclude);
  model_press(&ui, 27);
  assert_string_equal("", ui.lens.exclude);
  assert_int_equal(rows, ui.methods.count);
}

static void test_a_pattern_that_means_nothing_is_explained(void **state)
{
  (void)state;
  model_press(&ui, 'X');
  model_type(&ui, "gem:");
  model_press(&ui, '\r');
  assert_string_equal("", ui.lens.exclude);
  assert_true(shows("gem:"));
}

static void test_merging_is_chosen_from_a_menu(void **state)
{
  (void)state;
  model_press(&ui, 'l');
  assert_true(shows("Merge by"));
  for (int i = 0; i < 2; i++) model_press(&ui, 'j');
  model_press(&ui, '\r');
  assert_int_equal(RTOP_MERGE_CLASS, ui.lens.merge);
  assert_true(shows("by class"));
  assert_true(shows("(class)"));
  assert_true(any_kind(RTOP_SYMBOL_GROUP));
  assert_int_equal(RTOP_SORT_SELF, ui.wanted.sort);
}

/* Every view draws merged rows, and the source of a file is that of its lines. */
static void test_all_views_live_with_files_as_rows(void **state)
{
  (void)state;
  ui.lens.merge = RTOP_MERGE_FILE;
  ui.stale = true;
  model_redraw(&ui);
  for (int key = '1'; key <= '8'; key++) {
    model_press(&ui, key);
    assert_true(shows("by file"));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, set_up_wide, tear_down)
    TEST(test_k_hides_methods_in_c),
    TEST(test_a_shows_only_my_code_and_says_so_in_every_view),
    TEST(test_patterns_are_asked_for_kept_and_taken_back),
    TEST(test_a_pattern_that_means_nothing_is_explained),
    TEST(test_merging_is_chosen_from_a_menu),
    TEST(test_all_views_live_with_files_as_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
