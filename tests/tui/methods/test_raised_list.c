/* Exceptions of a span: put together by class and place, whoever raised them. */
#include "tests/tui/model_fixture.h"

#include "shm/base/format.h"
#include "tui/history/profile_lists.h"
#include "tui/methods/raised_list.h"

static uint32_t class_node(struct rtop_symbols *symbols, const char *name)
{
  uint32_t frame = rtop_symbols_frame(symbols, name, strlen(name), "", 0, RTOP_RAISED_NAMESPACE,
                                      strlen(RTOP_RAISED_NAMESPACE), 0, RTOP_SYMBOL_SPECIAL);
  return rtop_symbols_node(symbols, 0, frame, 0);
}

static void add_raised(struct rtop_profile *profile, int at, const struct rtop_raised *rows, size_t count)
{
  struct rtop_window window = { 0 };
  fixture_window(&window, at * 100 * MS, (at + 1) * 100 * MS);
  for (size_t i = 0; i < count; i++) {
    struct rtop_raised *row = rtop_window_add_raised(&window);
    *row = rows[i];
    row->first_mono_ns += window.start_mono_ns;
    row->last_mono_ns += window.start_mono_ns;
  }
  assert_true(fixture_add(profile, 0, &window));
  rtop_window_destroy(&window);
}

static void test_by_class_and_place(void **state)
{
  (void)state;
  struct rtop_profile *profile = rtop_profile_create(1 << 20);
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  struct raised_list list = { 0 };
  uint32_t missing = class_node(symbols, "Missing"), key = class_node(symbols, "KeyError");
  uint32_t method = fixture_frame(symbols, "Shop#find", "/app/shop.rb", 3);
  uint32_t find = rtop_symbols_node(symbols, 0, method, 5), other_line = rtop_symbols_node(symbols, 0, method, 6);
  uint32_t raise = rtop_symbols_node(symbols, find, fixture_frame(symbols, "Kernel#raise", "", 0), 0);
  uint32_t own =
      rtop_symbols_frame(symbols, "Kernel#Integer", 14, "<internal:kernel>", 17, "", 0, 325, RTOP_SYMBOL_RUBY);
  uint32_t integer = rtop_symbols_node(symbols, find, own, 326);
  for (int at = 0; at < 10; at++) {
    const struct rtop_raised rows[] = {
      { 10, 20, 1, missing, raise, 2 },    { 5, 30, 2, missing, raise, 1 }, { 7, 7, 1, key, raise, 1 },
      { 7, 7, 1, missing, other_line, 1 }, { 7, 7, 1, key, integer, 4 },    { 9, 9, 0, 0, 0, 1 },
    };
    add_raised(profile, at, rows, sizeof rows / sizeof rows[0]);
  }
  assert_true(raised_list_build(&list, profile, fixture_span(0, 1000 * MS)));
  assert_int_equal(list.count, 5);
  assert_int_equal(list.all, 100);
  const struct raised_row *first = &list.rows[0], *second = &list.rows[1];
  assert_int_equal(first->count, 40);
  assert_string_equal(raised_class(symbols, &first->place), "KeyError");
  assert_true(first->place.frame == method && first->place.line == 5 && first->place.called == own);
  assert_int_equal(second->count, 30);
  assert_string_equal(raised_class(symbols, &second->place), "Missing");
  assert_true(second->place.frame == method && second->place.line == 5 && second->place.called == 0);
  assert_int_equal(second->shown, method);
  assert_true(second->first_ns == 5 && second->last_ns == 900 * MS + 30);
  for (size_t i = 2; i < 5; i++) {
    assert_int_equal(list.rows[i].count, 10);
    if (list.rows[i].place.class_frame == 0)
      assert_string_equal(raised_class(symbols, &list.rows[i].place), "(others)");
  }
  assert_true(raised_list_build(&list, profile, fixture_span(0, 200 * MS)));
  assert_int_equal(list.all, 20);
  raised_list_destroy(&list);
  rtop_profile_destroy(&profile);
}

static void test_of_very_many_the_most_frequent(void **state)
{
  (void)state;
  struct rtop_profile *profile = rtop_profile_create(16 << 20);
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  struct raised_list list = { 0 };
  uint32_t missing = class_node(symbols, "Missing");
  uint32_t method = fixture_frame(symbols, "Shop#find", "/app/shop.rb", 3);
  for (int at = 0; at < 10; at++) {
    struct rtop_raised rows[100];
    for (uint32_t i = 0; i < 100; i++) {
      uint32_t line = (uint32_t)at * 100 + i;
      rows[i] = (struct rtop_raised){ 1, 2, 1, missing, rtop_symbols_node(symbols, 0, method, line), 1 + line };
    }
    add_raised(profile, at, rows, 100);
  }
  assert_true(raised_list_build(&list, profile, fixture_span(0, 1000 * MS)));
  assert_int_equal(list.count, RAISED_LIST_MAX);
  assert_int_equal(list.all, 1000 * 1001 / 2);
  assert_int_equal(list.rows[0].count, 1000);
  assert_int_equal(list.rest, (1000 - RAISED_LIST_MAX) * (1001 - RAISED_LIST_MAX) / 2);
  raised_list_destroy(&list);
  rtop_profile_destroy(&profile);
}

/* No program's place is below a hundred functions in C: it is not looked for further up. */
static void test_a_place_below_too_much(void **state)
{
  (void)state;
  struct rtop_profile *profile = rtop_profile_create(1 << 20);
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  struct raised_list list = { 0 };
  uint32_t missing = class_node(symbols, "Missing");
  uint32_t near = rtop_symbols_node(symbols, 0, fixture_frame(symbols, "Shop#find", "/app/shop.rb", 3), 5), far = near;
  for (int i = 0; i < 100; i++) {
    char label[16];
    snprintf(label, sizeof label, "C%d#call", i);
    far = rtop_symbols_node(symbols, far, fixture_frame(symbols, label, "", 0), 0);
    if (i == 7) near = far;
  }
  const struct rtop_raised rows[] = { { 1, 2, 1, missing, near, 5 }, { 1, 2, 1, missing, far, 3 } };
  add_raised(profile, 0, rows, 2);
  assert_true(raised_list_build(&list, profile, fixture_span(0, 100 * MS)));
  assert_int_equal(list.count, 2);
  assert_int_equal(list.rows[0].count, 5);
  assert_int_equal(list.rows[0].place.line, 5);
  assert_int_equal(list.rows[1].place.frame, 0);
  raised_list_destroy(&list);
  rtop_profile_destroy(&profile);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_by_class_and_place),
    cmocka_unit_test(test_of_very_many_the_most_frequent),
    cmocka_unit_test(test_a_place_below_too_much),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
