#include "tests/tui/tree_fixture.h"

#include "tui/trees/icicle.h"

struct drawn {
  struct forest forest;
  struct rtop_icicle icicle;
  struct rtop_icicle_look look;
};

static void open_drawn(struct drawn *drawn)
{
  *drawn = (struct drawn){ .look = { .columns = 100, .sort = RTOP_SORT_TOTAL } };
  struct forest *forest = &drawn->forest;
  forest_open(forest);
  uint32_t thread = fixture_thread(&forest->window, 1, RTOP_RUNNING, 0, 0);
  forest_add(forest, thread, "main big", RTOP_RUNNING, 60);
  forest_add(forest, thread, "main small", RTOP_RUNNING, 30);
  forest_add(forest, thread, "main", RTOP_RUNNING, 7);
  forest_add(forest, thread, "main one", RTOP_RUNNING, 1);
  forest_add(forest, thread, "main two deep deeper", RTOP_RUNNING, 1);
  forest_add(forest, thread, "main three", RTOP_RUNNING, 1);
  forest_build(forest, false);
}

static void close_drawn(struct drawn *drawn)
{
  rtop_icicle_destroy(&drawn->icicle);
  forest_close(&drawn->forest);
}

/* Cells as "depth:x+columns label", joined by commas. */
static const char *text_of(struct drawn *drawn)
{
  static char text[1024];
  size_t used = 0;
  assert_true(rtop_icicle_build(&drawn->icicle, &drawn->forest.tree, drawn->forest.symbols, &drawn->look));
  text[0] = '\0';
  for (size_t i = 0; i < drawn->icicle.count; i++) {
    const struct rtop_icicle_cell *cell = &drawn->icicle.cells[i];
    char merged[16];
    snprintf(merged, sizeof merged, "+%u", cell->merged);
    const char *label = cell->merged > 0  ? merged
                        : cell->node == 0 ? "all"
                                          : forest_label(&drawn->forest, drawn->forest.tree.nodes[cell->node].frame);
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%u:%d+%d %s", i > 0 ? ", " : "", cell->depth, cell->x,
                             cell->columns, label);
    assert_true(used < sizeof text);
  }
  return text;
}

static void test_cells(void **state)
{
  (void)state;
  struct drawn drawn;
  open_drawn(&drawn);
  assert_string_equal(text_of(&drawn), "0:0+100 all, 1:0+100 main, 2:0+60 big, 2:60+30 small, 2:90+3 +5");
  assert_int_equal(drawn.icicle.merged, 5);
  assert_int_equal(drawn.icicle.depths, 3);
  drawn.look.sort = RTOP_SORT_NAME;
  assert_string_equal(text_of(&drawn), "0:0+100 all, 1:0+100 main, 2:0+60 big, 2:60+1 +1, 2:61+30 small, "
                                       "2:91+2 +4");
  close_drawn(&drawn);
}

static void test_zoom(void **state)
{
  (void)state;
  struct drawn drawn;
  open_drawn(&drawn);
  drawn.look.root = forest_find(&drawn.forest, "main two");
  drawn.look.columns = 10;
  assert_string_equal(text_of(&drawn), "0:0+10 two, 1:0+10 deep, 2:0+10 deeper");
  drawn.look.root = 4000;
  assert_string_equal(text_of(&drawn), "");
  drawn.look.root = 0;
  drawn.look.columns = 0;
  assert_string_equal(text_of(&drawn), "");
  close_drawn(&drawn);
}

static void test_threshold(void **state)
{
  (void)state;
  struct drawn drawn;
  open_drawn(&drawn);
  drawn.look.least_percent = 50;
  assert_string_equal(text_of(&drawn), "0:0+100 all, 1:0+100 main, 2:0+60 big, 2:60+33 +6");
  close_drawn(&drawn);
}

static void test_finding(void **state)
{
  (void)state;
  struct drawn drawn;
  open_drawn(&drawn);
  text_of(&drawn);
  const struct rtop_icicle *icicle = &drawn.icicle;
  size_t small = rtop_icicle_find(icicle, &drawn.forest.tree, forest_find(&drawn.forest, "main small"));
  assert_int_equal(icicle->cells[small].x, 60);
  assert_true(rtop_icicle_find(icicle, &drawn.forest.tree, forest_find(&drawn.forest, "main one")) == SIZE_MAX);
  assert_int_equal(rtop_icicle_at(icicle, 2, 60), small);
  assert_int_equal(rtop_icicle_at(icicle, 2, 89), small);
  assert_int_equal(icicle->cells[rtop_icicle_at(icicle, 2, 99)].merged, 5);
  assert_true(rtop_icicle_at(icicle, 3, 0) == SIZE_MAX);
  close_drawn(&drawn);
}

static void test_height(void **state)
{
  static const int rows[] = { -1, 0, 1, 3, 5, 6, 8, 9, 400 }, high[] = { 1, 1, 1, 1, 1, 2, 2, 3, 3 };
  (void)state;
  struct drawn drawn;
  open_drawn(&drawn);
  assert_int_equal(rtop_icicle_cell_rows(&drawn.icicle, 40), 1);
  text_of(&drawn);
  assert_int_equal(drawn.icicle.depths, 3);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    assert_int_equal(rtop_icicle_cell_rows(&drawn.icicle, rows[i]), high[i]);
  close_drawn(&drawn);
}

/* Calls that only make the next one share a cell, named after the last, in which all of them are found. */
static void test_chains(void **state)
{
  (void)state;
  struct drawn drawn = { .look = { .columns = 100, .sort = RTOP_SORT_TOTAL, .chains = 4 } };
  struct forest *forest = &drawn.forest;
  forest_open(forest);
  uint32_t thread = fixture_thread(&forest->window, 1, RTOP_RUNNING, 0, 0);
  forest_add(forest, thread, "a b c d e left", RTOP_RUNNING, 60);
  forest_add(forest, thread, "a b c d e right one two", RTOP_RUNNING, 40);
  forest_build(forest, false);
  assert_string_equal(text_of(&drawn), "0:0+100 all, 1:0+100 e, 2:0+60 left, 2:60+40 right, 3:60+40 one, 4:60+40 two");
  const struct rtop_icicle *icicle = &drawn.icicle;
  assert_int_equal(icicle->cells[1].chain, 5);
  assert_int_equal(icicle->cells[1].first, forest_find(forest, "a"));
  static const char *const inside[] = { "a", "a b", "a b c", "a b c d", "a b c d e" };
  for (size_t i = 0; i < sizeof inside / sizeof inside[0]; i++)
    assert_int_equal(rtop_icicle_find(icicle, &forest->tree, forest_find(forest, inside[i])), 1);
  assert_int_equal(icicle->cells[2].chain, 0);
  drawn.look.chains = 6; /* too short for that */
  assert_string_equal(text_of(&drawn), "0:0+100 all, 1:0+100 a, 2:0+100 b, 3:0+100 c, 4:0+100 d, 5:0+100 e, "
                                       "6:0+60 left, 6:60+40 right, 7:60+40 one, 8:60+40 two");
  drawn.look.chains = 4;
  drawn.look.kept = forest_find(forest, "a b"); /* where the cursor is a cell begins and ends */
  assert_string_equal(text_of(&drawn), "0:0+100 all, 1:0+100 a, 2:0+100 b, 3:0+100 c, 4:0+100 d, 5:0+100 e, "
                                       "6:0+60 left, 6:60+40 right, 7:60+40 one, 8:60+40 two");
  drawn.look.kept = 0;
  drawn.look.root = forest_find(forest, "a b c"); /* what is zoomed to is no part of one */
  assert_string_equal(text_of(&drawn), "0:0+100 c, 1:0+100 d, 2:0+100 e, 3:0+60 left, 3:60+40 right, 4:60+40 one, "
                                       "5:60+40 two");
  close_drawn(&drawn);
}

/* No cell leaves its parent's columns, none overlaps its neighbour, whatever the width. */
static void test_cells_stay_in_their_place(void **state)
{
  (void)state;
  struct drawn drawn;
  open_drawn(&drawn);
  for (drawn.look.columns = 1; drawn.look.columns < 300; drawn.look.columns++) {
    text_of(&drawn);
    for (size_t i = 1; i < drawn.icicle.count; i++) {
      const struct rtop_icicle_cell *cell = &drawn.icicle.cells[i], *before = cell - 1;
      const struct rtop_icicle_cell *parent = &drawn.icicle.cells[cell->parent];
      assert_true(cell->columns > 0);
      assert_true(cell->x >= parent->x && cell->x + cell->columns <= parent->x + parent->columns);
      assert_true(before->depth != cell->depth || before->x + before->columns <= cell->x);
      assert_true(cell->merged > 0 || cell->columns >= RTOP_ICICLE_COLUMNS_MIN);
    }
  }
  close_drawn(&drawn);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cells),
    cmocka_unit_test(test_zoom),
    cmocka_unit_test(test_threshold),
    cmocka_unit_test(test_finding),
    cmocka_unit_test(test_height),
    cmocka_unit_test(test_chains),
    cmocka_unit_test(test_cells_stay_in_their_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
