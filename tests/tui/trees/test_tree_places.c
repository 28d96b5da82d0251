#include "tui/trees/tree_places.h"
#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

enum { LENGTH = 1000000, LITTLE = LENGTH / 1000 - 1 };

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
  struct rtop_tree_places places = { RTOP_SORT_TOTAL, false, LENGTH };
  struct rtop_symbols *symbols = rtop_symbols_create();
  struct row rows[] = { row_of(symbols, "gone", 0, 9),         row_of(symbols, "b", 5 * LITTLE, 0),
                        row_of(symbols, "more", 0, 8),         row_of(symbols, "a", 5 * LITTLE, 0),
                        row_of(symbols, "big", 9 * LITTLE, 0), row_of(symbols, "none", 0, 0) };
  assert_string_equal(in_order(&places, symbols, rows, 6), "big a b none more gone ");
  places.reverse = true;
  assert_string_equal(in_order(&places, symbols, rows, 6), "none more gone a b big ");
  for (size_t i = 0; i < 6; i++) rows[i].sibling.value = rows[i].sibling.behind = 0;
  places.sort = RTOP_SORT_NAME;
  assert_string_equal(in_order(&places, symbols, rows, 6), "none more gone big b a ");
  assert_string_equal(in_order(&places, symbols, rows, 1), "a ");
  rtop_symbols_destroy(&symbols);
}

/* Shares are read in tenths of a percent; objects and times are read as they are. */
static void test_what_nobody_sees_moves_nothing(void **state)
{
  (void)state;
  struct rtop_symbols *symbols = rtop_symbols_create();
  struct rtop_tree_places shares = { RTOP_SORT_TOTAL, false, LENGTH }, times = { RTOP_SORT_TOTAL, false, 0 },
                          objects = { RTOP_SORT_ALLOC, false, LENGTH };
  struct row rows[] = { row_of(symbols, "a", 300000, 0), row_of(symbols, "b", 300400, 0),
                        row_of(symbols, "c", 301000, 0) };
  assert_string_equal(in_order(&shares, symbols, rows, 3), "c a b ");
  assert_string_equal(in_order(&times, symbols, rows, 3), "c b a ");
  assert_string_equal(in_order(&objects, symbols, rows, 3), "c b a ");
  shares.reverse = true;
  assert_string_equal(in_order(&shares, symbols, rows, 3), "a b c ");
  rtop_symbols_destroy(&symbols);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_nobody_sees_moves_nothing),
    cmocka_unit_test(test_siblings_stand_by_value_then_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
