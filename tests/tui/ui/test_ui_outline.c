#include "tests/tui/tree_fixture.h"

#include "tui/ui/ui.h"
#include "tui/ui/ui_outline.h"

struct row {
  struct ui_outline_row row;
  char more[9]; /* what it is followed by does not matter */
};

static struct outlined {
  struct forest forest;
  struct ui ui;
  struct row rows[6];
  struct ui_outline_cursor at;
  struct ui_outline outline;
} o;

/* a, its children kid and c, below c another kid; e; and what was put together. */
static void open_outline(void)
{
  static const char *const names[] = { "a", "kid", "c", "kid", "e" };
  static const uint32_t depths[] = { 0, 1, 1, 2, 0 };
  memset(&o, 0, sizeof o);
  forest_open(&o.forest);
  o.ui.profile = o.forest.profile;
  for (uint32_t i = 0; i < 5; i++)
    o.rows[i].row = (struct ui_outline_row){ 100 + i, forest_frame(&o.forest, names[i]), depths[i] };
  o.rows[5].row.frame = o.rows[1].row.frame;
  o.outline = (struct ui_outline){ o.rows, 6, sizeof o.rows[0], &o.at };
}

static void test_to_a_key(void **state)
{
  (void)state;
  open_outline();
  assert_true(ui_outline_go_to(&o.outline, 103));
  assert_int_equal(3, o.at.pager.cursor);
  assert_false(ui_outline_go_to(&o.outline, 99));
  assert_false(ui_outline_go_to(&o.outline, 0));
  assert_int_equal(3, o.at.pager.cursor);
  forest_close(&o.forest);
}

static void test_up(void **state)
{
  (void)state;
  open_outline();
  o.at.pager.cursor = 3;
  ui_outline_go_up(&o.outline);
  assert_int_equal(2, o.at.pager.cursor);
  ui_outline_go_up(&o.outline);
  assert_int_equal(0, o.at.pager.cursor);
  ui_outline_go_up(&o.outline);
  assert_int_equal(0, o.at.pager.cursor);
  o.at.pager.cursor = 4;
  ui_outline_go_up(&o.outline);
  assert_int_equal(4, o.at.pager.cursor);
  o.at.pager.cursor = 9; /* rows went away */
  ui_outline_go_up(&o.outline);
  assert_int_equal(9, o.at.pager.cursor);
  forest_close(&o.forest);
}

static void test_stays_at_the_top(void **state)
{
  (void)state;
  open_outline();
  uint32_t a = o.rows[0].row.frame, e = o.rows[4].row.frame;
  o.at.pager.cursor = 3;
  assert_int_equal(a, ui_outline_rest(&o.outline, 0));
  assert_int_equal(0, o.at.pager.cursor);
  o.rows[0].row.frame = e;
  assert_int_equal(e, ui_outline_rest(&o.outline, a));
  assert_int_equal(a, ui_outline_rest(&o.outline, a)); /* chosen elsewhere */
  o.rows[0].row.key = 0;
  assert_int_equal(e, ui_outline_rest(&o.outline, e)); /* no method */
  o.outline.count = 0;
  assert_int_equal(e, ui_outline_rest(&o.outline, e));
  assert_int_equal(0, o.at.pager.cursor);
  forest_close(&o.forest);
}

static void test_moved(void **state)
{
  (void)state;
  open_outline();
  o.at.pager.cursor = 2;
  assert_int_equal(o.rows[2].row.frame, ui_outline_moved(&o.outline, o.rows[0].row.frame));
  assert_true(o.at.moved);
  assert_int_equal(102, o.at.anchor);
  o.at.pager.cursor = 5; /* no method: what was chosen stays, and so does what is followed */
  assert_int_equal(77, ui_outline_moved(&o.outline, 77));
  o.at.pager.cursor = 9;
  assert_int_equal(77, ui_outline_moved(&o.outline, 77));
  assert_int_equal(102, o.at.anchor);
  forest_close(&o.forest);
}

static void test_holds_a_row(void **state)
{
  (void)state;
  open_outline();
  ui_outline_hold(&o.at, 104);
  assert_true(o.at.moved);
  o.rows[0].row.key = 104, o.rows[4].row.key = 100; /* another order */
  o.at.pager.cursor = 4;
  assert_true(ui_outline_go_to(&o.outline, o.at.anchor));
  assert_int_equal(0, o.at.pager.cursor);
  forest_close(&o.forest);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_to_a_key), cmocka_unit_test(test_up),          cmocka_unit_test(test_stays_at_the_top),
    cmocka_unit_test(test_moved),    cmocka_unit_test(test_holds_a_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
