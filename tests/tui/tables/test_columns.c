#include "tui/tables/columns.h"
#include "tui/term/layout.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct columns_choice none;

static bool has(const struct columns_shown *columns, enum rtop_sort_key column)
{
  for (int i = 0; i < columns->count; i++)
    if (columns->at[i].column == column) return true;
  return false;
}

static void test_columns_of_every_width(void **state)
{
  (void)state;
  for (int width = LAYOUT_COLUMNS_MIN; width <= 500; width++) {
    for (int sort = 0; sort < RTOP_SORT_KEYS; sort++) {
      struct columns_shown columns;
      columns_fit(&columns, &none, width, (enum rtop_sort_key)sort, 0);
      int x = 1;
      for (int i = 0; i < columns.count; i++) {
        assert_int_equal(columns.at[i].x, x);
        assert_true(columns.at[i].columns > 0);
        assert_true(i == 0 || columns.at[i - 1].column < columns.at[i].column);
        x += columns.at[i].columns;
      }
      assert_true(x <= width);
      assert_true(has(&columns, RTOP_SORT_NAME));
      enum rtop_sort_key sorted = (enum rtop_sort_key)sort;
      assert_true(sorted == RTOP_SORT_LOCATION || has(&columns, sorted));
    }
  }
}

static void test_columns_of_the_usual_widths(void **state)
{
  struct columns_shown columns;
  (void)state;
  columns_fit(&columns, &none, 80, RTOP_SORT_SELF, 0);
  assert_int_equal(columns.count, 6);
  assert_true(has(&columns, RTOP_SORT_WAITING) && has(&columns, RTOP_SORT_ALLOC) && has(&columns, RTOP_SORT_LOCATION));
  assert_false(has(&columns, RTOP_SORT_GC) || has(&columns, RTOP_SORT_HISTORY));
  columns_fit(&columns, &none, 115, RTOP_SORT_SELF, 0);
  assert_true(has(&columns, RTOP_SORT_GC) && has(&columns, RTOP_SORT_HISTORY));
  columns_fit(&columns, &none, 20, RTOP_SORT_SELF, 0);
  assert_int_equal(columns.count, 2);
  columns_fit(&columns, &none, 20, RTOP_SORT_BLAME, 0);
  assert_true(has(&columns, RTOP_SORT_BLAME) && !has(&columns, RTOP_SORT_SELF));
}

/* Of all calls nothing but what is known of them, whatever the user has chosen for samples. */
static void test_columns_of_calls(void **state)
{
  struct columns_choice chosen = { .count = 2, .at = { RTOP_SORT_CPU, RTOP_SORT_NAME }, .calls = true, .traced = true };
  (void)state;
  for (int width = LAYOUT_COLUMNS_MIN; width <= 500; width++) {
    for (int sort = 0; sort < RTOP_SORT_KEYS; sort++) {
      struct columns_shown columns;
      columns_fit(&columns, &chosen, width, (enum rtop_sort_key)sort, 0);
      int last = columns.count - 1;
      assert_true(has(&columns, RTOP_SORT_COUNT) && has(&columns, RTOP_SORT_NAME));
      assert_true(columns.at[last].x + columns.at[last].columns <= width || width < 40);
      for (int i = 0; i <= last; i++) assert_true(columns_of_calls(columns.at[i].column));
    }
  }
  struct columns_shown columns;
  columns_fit(&columns, &chosen, 80, RTOP_SORT_SELF, 0);
  assert_int_equal(columns.count, 6);
  assert_int_equal(columns.at[0].column, RTOP_SORT_COUNT);
  assert_true(has(&columns, RTOP_SORT_TOTAL) && has(&columns, RTOP_SORT_SELF) && has(&columns, RTOP_SORT_MEAN));
  assert_int_equal(columns_scroll_max(&chosen, 80, RTOP_SORT_SELF), 0);
  assert_false(columns_of_calls(RTOP_SORT_CPU));
}

/* By scrolling every figure can be seen at every width. */
static void test_scrolling_reaches_every_column(void **state)
{
  (void)state;
  for (int width = LAYOUT_COLUMNS_MIN; width <= 300; width++) {
    bool seen[RTOP_SORT_KEYS] = { false };
    for (int scroll = 0; scroll <= columns_scroll_max(&none, width, RTOP_SORT_SELF); scroll++) {
      struct columns_shown columns;
      columns_fit(&columns, &none, width, RTOP_SORT_SELF, scroll);
      for (int i = 0; i < columns.count; i++) {
        seen[columns.at[i].column] = true;
        assert_true(columns.at[i].x + columns.at[i].columns <= width);
      }
    }
    for (int column = RTOP_SORT_SELF; column < RTOP_SORT_HISTORY; column++)
      assert_true(seen[column] || column == RTOP_SORT_DELTA ||
                  columns_info((enum rtop_sort_key)column)->figure == RTOP_FIGURE_EXACT);
  }
}

/* While methods are traced their figures are there, in the place of others; else only who chooses them has them. */
static void test_columns_of_traced_methods(void **state)
{
  static const struct columns_choice traced = { .traced = true };
  struct columns_choice chosen = { 0 };
  struct columns_shown columns;
  const char *problem;
  (void)state;
  for (int width = LAYOUT_COLUMNS_MIN; width <= 300; width++) {
    columns_fit(&columns, &none, width, RTOP_SORT_SELF, 0);
    assert_false(has(&columns, RTOP_SORT_CALLS) || has(&columns, RTOP_SORT_MEAN));
    columns_fit(&columns, &traced, width, RTOP_SORT_SELF, 0);
    assert_true(has(&columns, RTOP_SORT_SELF));
    assert_int_equal(has(&columns, RTOP_SORT_MEAN), width >= 60);
    assert_int_equal(has(&columns, RTOP_SORT_CALLS), width >= 60);
    const int last = columns.count - 1;
    assert_true(columns.at[last].x + columns.at[last].columns <= width);
  }
  assert_true(columns_parse(&chosen, "self,calls,mean", &problem));
  columns_fit(&columns, &chosen, 80, RTOP_SORT_SELF, 0);
  assert_true(has(&columns, RTOP_SORT_CALLS) && has(&columns, RTOP_SORT_MEAN));
}

static void test_texts_of_traced_methods(void **state)
{
  struct rtop_method_row row = { .traced = true, .calls_per_s = 1234, .mean_ns = 2500000 };
  char text[24];
  (void)state;
  columns_exact_text(&row, RTOP_SORT_CALLS, text, sizeof text);
  assert_string_equal(text, "1.2k");
  columns_exact_text(&row, RTOP_SORT_MEAN, text, sizeof text);
  assert_string_equal(text, "2.50 ms");
  row.traced = false;
  columns_exact_text(&row, RTOP_SORT_MEAN, text, sizeof text);
  assert_string_equal(text, "-");
}

static void test_every_sort_key_has_a_column(void **state)
{
  (void)state;
  for (int sort = 0; sort < RTOP_SORT_KEYS; sort++) {
    enum rtop_sort_key key;
    assert_true(rtop_sort_key_parse(columns_info((enum rtop_sort_key)sort)->name, &key));
    assert_int_equal(key, sort);
  }
}

static struct columns_choice parsed(const char *text)
{
  struct columns_choice choice = { 0 };
  const char *problem = NULL;
  if (!columns_parse(&choice, text, &problem)) fail_msg("%s: %s", text, problem);
  return choice;
}

static void check_written(const struct columns_choice *choice, const char *wanted)
{
  char text[400];
  columns_write(choice, text, sizeof text);
  assert_string_equal(text, wanted);
}

static void test_parse_and_write(void **state)
{
  static const char *const same[] = { "auto", "self,name", "total,gc,name,self,location", "name,history" };
  (void)state;
  for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
    struct columns_choice choice = parsed(same[i]);
    check_written(&choice, same[i]);
  }
  struct columns_choice choice = parsed("");
  assert_int_equal(choice.count, 0);
  choice = parsed("cpu,cpu,self"); /* twice is once; names are always there */
  check_written(&choice, "cpu,self,name");
  choice = parsed("+cpu,-waiting"); /* from what is usual */
  check_written(&choice, "self,total,cpu,alloc,history,name,location");
  const char *problem = NULL;
  assert_true(columns_parse(&choice, "-cpu,-name,+gc", &problem));
  check_written(&choice, "self,total,gc,alloc,history,name,location");
}

static void test_bad_names_change_nothing(void **state)
{
  static const char *const bad[] = { "selfie", "self,,total", "self;total", "+", "self,nothing", ",", "SELF" };
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct columns_choice choice = parsed("blame,name");
    const char *problem = NULL;
    assert_false(columns_parse(&choice, bad[i], &problem));
    assert_non_null(strstr(problem, "there is no column '"));
    check_written(&choice, "blame,name");
  }
}

static void test_toggle_and_move(void **state)
{
  struct columns_choice choice = parsed("self,name");
  (void)state;
  columns_toggle(&choice, RTOP_SORT_GC);
  check_written(&choice, "self,gc,name");
  columns_toggle(&choice, RTOP_SORT_NAME); /* stays */
  columns_toggle(&choice, RTOP_SORT_SELF);
  check_written(&choice, "gc,name");
  columns_move(&choice, RTOP_SORT_GC, -1); /* nowhere to go */
  check_written(&choice, "gc,name");
  columns_move(&choice, RTOP_SORT_GC, 1);
  check_written(&choice, "name,gc");
  for (int column = 0; column < RTOP_SORT_KEYS; column++)
    if (!columns_has(&choice, (enum rtop_sort_key)column)) columns_toggle(&choice, (enum rtop_sort_key)column);
  assert_int_equal(choice.count, RTOP_SORT_KEYS);
}

/* Nothing overlaps or leaves the table, whatever was chosen, and what is sorted by is there. */
static void check_fit(const struct columns_choice *choice, int width, int sort, int scroll)
{
  struct columns_shown shown;
  columns_fit(&shown, choice, width, (enum rtop_sort_key)sort, scroll);
  int x = 1;
  for (int i = 0; i < shown.count; i++) {
    assert_int_equal(shown.at[i].x, x);
    assert_true(shown.at[i].columns > 0);
    x += shown.at[i].columns;
  }
  assert_true(x <= width);
  assert_true(has(&shown, RTOP_SORT_NAME));
  enum rtop_sort_key sorted = (enum rtop_sort_key)sort;
  assert_true(scroll > 0 || sorted == RTOP_SORT_LOCATION || has(&shown, sorted));
}

static void test_choices_fit_every_width(void **state)
{
  unsigned seed = 7;
  (void)state;
  for (int round = 0; round < 300; round++) {
    struct columns_choice choice = { 0 };
    for (int i = 0; i < 1 + round % RTOP_SORT_KEYS; i++) {
      enum rtop_sort_key column = (enum rtop_sort_key)(rand_r(&seed) % RTOP_SORT_KEYS);
      if (!columns_has(&choice, column)) choice.at[choice.count++] = column;
    }
    if (!columns_has(&choice, RTOP_SORT_NAME)) choice.at[choice.count++] = RTOP_SORT_NAME;
    for (int width = LAYOUT_COLUMNS_MIN; width <= 240; width += 7) {
      int sort = rand_r(&seed) % RTOP_SORT_KEYS;
      for (int scroll = 0; scroll <= columns_scroll_max(&choice, width, RTOP_SORT_SELF); scroll++)
        check_fit(&choice, width, sort, scroll);
    }
  }
}

/* What was chosen is shown in the user's order, and all of it where there is room. */
static void test_choice_is_kept_in_order(void **state)
{
  struct columns_choice choice = parsed("name,gc,self,location,cpu");
  struct columns_shown shown;
  (void)state;
  columns_fit(&shown, &choice, 120, RTOP_SORT_SELF, 0);
  assert_int_equal(shown.count, choice.count);
  for (int i = 0; i < shown.count; i++) assert_int_equal(shown.at[i].column, choice.at[i]);
  columns_fit(&shown, &choice, 24, RTOP_SORT_SELF, 0);
  assert_true(has(&shown, RTOP_SORT_SELF) && has(&shown, RTOP_SORT_NAME) && !has(&shown, RTOP_SORT_CPU));
}

static void test_names_are_unlike(void **state)
{
  (void)state;
  for (int a = 0; a < RTOP_SORT_KEYS; a++) {
    const struct column_info *info = columns_info((enum rtop_sort_key)a);
    assert_non_null(info->name);
    assert_true(strlen(info->help) <= 40);
    assert_true(info->columns == 0 || strlen(info->title) < (size_t)info->columns);
    assert_int_equal(info->columns == 0, a == RTOP_SORT_NAME || a == RTOP_SORT_LOCATION);
    for (int b = 0; b < a; b++) assert_string_not_equal(info->name, columns_info((enum rtop_sort_key)b)->name);
    assert_string_equal(info->name, rtop_sort_key_name((enum rtop_sort_key)a));
  }
}

/* While something is compared, DELTA stands behind the first figure, and what is sorted by stays. */
static void test_delta(void **state)
{
  (void)state;
  struct columns_choice choice = { .delta = true };
  for (int width = 40; width <= 300; width++) {
    for (int sort = 0; sort < RTOP_SORT_KEYS; sort++) {
      struct columns_shown shown;
      columns_fit(&shown, &choice, width, (enum rtop_sort_key)sort, 0);
      enum rtop_sort_key sorted = (enum rtop_sort_key)sort;
      assert_true(has(&shown, RTOP_SORT_DELTA) && has(&shown, RTOP_SORT_NAME));
      assert_true(sorted == RTOP_SORT_LOCATION || has(&shown, sorted));
      assert_true(shown.at[shown.count - 1].x + shown.at[shown.count - 1].columns <= width);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_columns_of_every_width),
    cmocka_unit_test(test_delta),
    cmocka_unit_test(test_columns_of_the_usual_widths),
    cmocka_unit_test(test_scrolling_reaches_every_column),
    cmocka_unit_test(test_columns_of_traced_methods),
    cmocka_unit_test(test_texts_of_traced_methods),
    cmocka_unit_test(test_columns_of_calls),
    cmocka_unit_test(test_every_sort_key_has_a_column),
    cmocka_unit_test(test_parse_and_write),
    cmocka_unit_test(test_bad_names_change_nothing),
    cmocka_unit_test(test_toggle_and_move),
    cmocka_unit_test(test_choices_fit_every_width),
    cmocka_unit_test(test_choice_is_kept_in_order),
    cmocka_unit_test(test_names_are_unlike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
