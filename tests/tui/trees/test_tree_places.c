#include "tui/trees/tree_places.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

enum { LENGTH = 1000000, LITTLE = LENGTH / 1000 - 1 };

static uint64_t key_at(const void *rows, size_t at)
{
  return ((const uint64_t *)rows)[at];
}

static void test_little_changes_nothing(void **state)
{
  static const uint64_t order[] = { 70, 5, 900, 33 };
  (void)state;
  struct rtop_tree_places places = { 0 };
  rtop_tree_places_begin(&places, RTOP_SORT_TOTAL, false, LENGTH);
  assert_false(rtop_tree_places_swap(&places, 5, LITTLE, 70, 0)); /* nothing is known yet */
  rtop_tree_places_take(&places, order, 4, key_at);
  assert_true(rtop_tree_places_swap(&places, 5, LITTLE, 70, 0));
  assert_true(rtop_tree_places_swap(&places, 5, 0, 70, LITTLE)); /* reversed orders, too */
  assert_false(rtop_tree_places_swap(&places, 5, LITTLE + 1, 70, 0));
  assert_false(rtop_tree_places_swap(&places, 70, LITTLE, 5, 0)); /* as it was */
  assert_false(rtop_tree_places_swap(&places, 5, 7, 70, 7));      /* equal: by name */
  assert_false(rtop_tree_places_swap(&places, 5, LITTLE, 71, 0)); /* new */
  rtop_tree_places_destroy(&places);
}

static void test_another_order_forgets(void **state)
{
  static const uint64_t order[] = { 1, 2 };
  (void)state;
  struct rtop_tree_places places = { 0 };
  rtop_tree_places_begin(&places, RTOP_SORT_TOTAL, false, LENGTH);
  rtop_tree_places_take(&places, order, 2, key_at);
  rtop_tree_places_begin(&places, RTOP_SORT_TOTAL, false, LENGTH);
  assert_true(rtop_tree_places_swap(&places, 2, 1, 1, 0));
  rtop_tree_places_begin(&places, RTOP_SORT_TOTAL, true, LENGTH);
  assert_false(rtop_tree_places_swap(&places, 2, 1, 1, 0));
  rtop_tree_places_take(&places, order, 2, key_at);
  rtop_tree_places_begin(&places, RTOP_SORT_ALLOC, true, LENGTH);
  rtop_tree_places_take(&places, order, 2, key_at);
  assert_false(rtop_tree_places_swap(&places, 2, 1, 1, 0)); /* objects are no time */
  rtop_tree_places_destroy(&places);
}

struct row {
  struct rtop_tree_sibling sibling;
  char name[70]; /* no multiple of anything */
};

static uint32_t frame_of(struct rtop_symbols *symbols, const char *label)
{
  return rtop_symbols_frame(symbols, label, strlen(label), "", 0, "", 0, 1, RTOP_SYMBOL_RUBY);
}

/* Names of the rows, from the top. */
static const char *in_order(const struct rtop_tree_places *places, const struct rtop_symbols *symbols, struct row *rows,
                            size_t count)
{
  static char text[256];
  rtop_tree_places_order(places, symbols, rows, count, sizeof *rows);
  text[0] = '\0';
  while (count-- > 0) {
    assert_string_equal(rtop_symbols_get(symbols, rows[count].sibling.frame)->label, rows[count].name);
    strcat(strcat(text, rows[count].name), " ");
  }
  return text;
}

static struct row row_of(struct rtop_symbols *symbols, const char *name, uint64_t value, uint64_t behind)
{
  struct row row = { .sibling = { .frame = frame_of(symbols, name), .value = value, .behind = behind } };
  row.sibling.key = row.sibling.frame;
  strcpy(row.name, name);
  return row;
}

static void test_siblings_stand_by_value_then_by_name(void **state)
{
  (void)state;
  struct rtop_tree_places places = { 0 };
  struct rtop_symbols *symbols = rtop_symbols_create();
  struct row rows[] = { row_of(symbols, "gone", 0, 9),         row_of(symbols, "b", 5 * LITTLE, 0),
                        row_of(symbols, "more", 0, 8),         row_of(symbols, "a", 5 * LITTLE, 0),
                        row_of(symbols, "big", 9 * LITTLE, 0), row_of(symbols, "none", 0, 0) };
  rtop_tree_places_begin(&places, RTOP_SORT_TOTAL, false, LENGTH);
  assert_string_equal(in_order(&places, symbols, rows, 6), "big a b none more gone ");
  rtop_tree_places_begin(&places, RTOP_SORT_TOTAL, true, LENGTH);
  assert_string_equal(in_order(&places, symbols, rows, 6), "none more gone a b big ");
  for (size_t i = 0; i < 6; i++) rows[i].sibling.value = rows[i].sibling.behind = 0;
  rtop_tree_places_begin(&places, RTOP_SORT_NAME, true, LENGTH);
  assert_string_equal(in_order(&places, symbols, rows, 6), "none more gone big b a ");
  assert_string_equal(in_order(&places, symbols, rows, 1), "a ");
  rtop_symbols_destroy(&symbols);
  rtop_tree_places_destroy(&places);
}

static void test_siblings_keep_their_places(void **state)
{
  (void)state;
  struct rtop_tree_places places = { 0 };
  struct rtop_symbols *symbols = rtop_symbols_create();
  struct row rows[] = { row_of(symbols, "a", 9, 0), row_of(symbols, "b", 8, 0) };
  uint64_t keys[] = { rows[1].sibling.key, rows[0].sibling.key };
  rtop_tree_places_begin(&places, RTOP_SORT_TOTAL, false, LENGTH);
  rtop_tree_places_take(&places, keys, 2, key_at);
  assert_string_equal(in_order(&places, symbols, rows, 2), "b a ");
  rows[strcmp(rows[0].name, "a") ? 1 : 0].sibling.value = 9 + LITTLE;
  assert_string_equal(in_order(&places, symbols, rows, 2), "a b ");
  rtop_symbols_destroy(&symbols);
  rtop_tree_places_destroy(&places);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_little_changes_nothing),
    cmocka_unit_test(test_another_order_forgets),
    cmocka_unit_test(test_siblings_stand_by_value_then_by_name),
    cmocka_unit_test(test_siblings_keep_their_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
