#include "tui/term/layout.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static bool overlap(struct rect a, struct rect b)
{
  return a.rows > 0 && b.rows > 0 && a.y < b.y + b.rows && b.y < a.y + a.rows && a.x < b.x + b.columns &&
         b.x < a.x + a.columns;
}

static void check_inside(const struct layout *layout, struct rect part)
{
  assert_true(part.y >= 0 && part.x >= 0 && part.rows > 0 && part.columns > 0);
  assert_true(part.y + part.rows <= layout->rows && part.x + part.columns <= layout->columns);
}

static void check_size(int rows, int columns, bool header, bool detail)
{
  struct layout layout;
  layout_compute(&layout, rows, columns, &(struct layout_wish){ header, detail, false, false });
  for (int i = 0; i < PART_COUNT; i++) {
    if (layout.part[i].rows == 0) continue;
    check_inside(&layout, layout.part[i]);
    for (int k = i + 1; k < PART_COUNT; k++) assert_false(overlap(layout.part[i], layout.part[k]));
  }
  assert_int_equal(layout.part[PART_TITLE].rows, 1);
  if (layout.tiny) {
    assert_true(rows < LAYOUT_ROWS_MIN || columns < LAYOUT_COLUMNS_MIN);
    return;
  }
  assert_true(layout.part[PART_TABLE].rows >= 3);
  assert_int_equal(layout.part[PART_VERDICT].rows, header);
  assert_true(layout.part[PART_TABLE].columns >= LAYOUT_COLUMNS_MIN);
  assert_true(rows < 20 || layout.part[PART_FOOTER].rows == 1);
  assert_int_equal(layout.part[PART_DETAIL].rows > 0, detail && columns >= LAYOUT_WIDE && rows >= 9 + header);
}

static void test_every_size(void **state)
{
  (void)state;
  for (int rows = 1; rows <= 200; rows++) {
    for (int columns = 1; columns <= 500; columns++) {
      check_size(rows, columns, true, true);
      check_size(rows, columns, false, false);
    }
  }
}

/* Rows go in the order that the header promises, and none comes back when the window shrinks further. */
static void test_sacrifice(void **state)
{
  static const enum layout_part order[] = { PART_FOOTER, PART_TIMELINE, PART_TABS, PART_GC, PART_GVL };
  enum { COUNT = sizeof order / sizeof order[0] };
  int gone_at[COUNT] = { 0 };
  (void)state;
  for (int rows = 60; rows >= LAYOUT_ROWS_MIN; rows--) {
    struct layout layout;
    layout_compute(&layout, rows, 80, &(struct layout_wish){ true, true, false, false });
    for (int i = 0; i < COUNT; i++) {
      if (layout.part[order[i]].rows == 0 && gone_at[i] == 0) gone_at[i] = rows;
      assert_true(gone_at[i] == 0 || layout.part[order[i]].rows == 0);
    }
  }
  for (int i = 1; i < COUNT; i++) assert_true(gone_at[i - 1] > gone_at[i]);
  assert_true(gone_at[COUNT - 1] > 0);
}

static void test_no_footer(void **state)
{
  struct layout layout, without;
  (void)state;
  layout_compute(&layout, 24, 80, &(struct layout_wish){ true, false, false, false });
  layout_compute(&without, 24, 80, &(struct layout_wish){ true, false, true, false });
  assert_int_equal(without.part[PART_FOOTER].rows, 0);
  assert_int_equal(without.part[PART_TABLE].rows, layout.part[PART_TABLE].rows + 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_size),
    cmocka_unit_test(test_sacrifice),
    cmocka_unit_test(test_no_footer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
