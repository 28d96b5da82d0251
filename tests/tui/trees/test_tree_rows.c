#include "tests/tui/tree_fixture.h"

#include "tui/trees/tree_rows.h"
#include <limits.h>

struct shown {
  struct forest forest;
  struct rtop_tree_rows rows;
  struct rtop_tree_look look;
};

static void open_shown(struct shown *shown, int levels)
{
  *shown = (struct shown){ .look = { .sort = RTOP_SORT_TOTAL } };
  struct forest *forest = &shown->forest;
  forest_open(forest);
  uint32_t thread = fixture_thread(&forest->window, 1, RTOP_RUNNING, 0, 0);
  forest_add(forest, thread, "main work read", RTOP_BLOCKED, 30);
  forest_add(forest, thread, "main work parse scan", RTOP_RUNNING, 20);
  forest_add(forest, thread, "main work parse", RTOP_RUNNING, 5);
  forest_add(forest, thread, "main idle", RTOP_BLOCKED, 40);
  forest_add(forest, thread, "main tiny1", RTOP_RUNNING, 1);
  forest_add(forest, thread, "main tiny2", RTOP_RUNNING, 1);
  forest_add(forest, thread, "other scan", RTOP_RUNNING, 3);
  forest_build(forest, false);
  shown->rows.levels = levels;
}

static void close_shown(struct shown *shown)
{
  rtop_tree_rows_destroy(&shown->rows);
  forest_close(&shown->forest);
}

/* Rows as "depth label total_ms" joined by commas; '+' after the depth: closed, there is more. */
static const char *text_of(struct shown *shown)
{
  static char text[2048];
  size_t used = 0;
  assert_true(rtop_tree_rows_build(&shown->rows, &shown->forest.tree, shown->forest.symbols, &shown->look));
  text[0] = '\0';
  for (size_t i = 0; i < shown->rows.count; i++) {
    const struct rtop_tree_row *row = &shown->rows.rows[i];
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%u%s %s %d", i > 0 ? ", " : "", row->depth,
                             row->below > 0 && !row->open ? "+" : "",
                             row->key == 0 ? "(other)" : forest_label(&shown->forest, row->frame),
                             (int)forest_ms(&row->total));
    assert_true(used < sizeof text);
  }
  return text;
}

static void test_order_and_depth(void **state)
{
  (void)state;
  struct shown shown;
  open_shown(&shown, INT_MAX);
  assert_string_equal(text_of(&shown), "0 main 97, 1 work 55, 2 read 30, 2 parse 25, 3 scan 20, 1 idle 40, 1 tiny1 1, "
                                       "1 tiny2 1, 0 other 3, 1 scan 3");
  shown.look.reverse = true;
  assert_string_equal(text_of(&shown), "0 other 3, 1 scan 3, 0 main 97, 1 tiny1 1, 1 tiny2 1, 1 idle 40, 1 work 55, "
                                       "2 parse 25, 3 scan 20, 2 read 30");
  close_shown(&shown);
}

static void test_equal_rows_keep_their_order(void **state)
{
  (void)state;
  struct shown shown;
  open_shown(&shown, INT_MAX);
  shown.look.sort = RTOP_SORT_NAME;
  assert_non_null(strstr(text_of(&shown), "1 idle 40, 1 tiny1 1, 1 tiny2 1, 1 work 55"));
  shown.look.sort = RTOP_SORT_WAITING; /* all are 0 */
  char *first = strdup(text_of(&shown));
  assert_string_equal(text_of(&shown), first);
  free(first);
  close_shown(&shown);
}

static void test_levels_count_branches(void **state)
{
  (void)state;
  struct shown shown;
  open_shown(&shown, 0);
  assert_string_equal(text_of(&shown), "0+ main 97, 0+ other 3");
  rtop_tree_rows_levels(&shown.rows, 1);
  assert_string_equal(text_of(&shown), "0 main 97, 1+ work 55, 1 idle 40, 1 tiny1 1, 1 tiny2 1, 0 other 3, 1 scan 3");
  close_shown(&shown);
}

static void test_an_only_child_opens_with_its_parent(void **state)
{
  (void)state;
  struct shown shown;
  open_shown(&shown, 0);
  uint32_t work = forest_find(&shown.forest, "main work parse");
  rtop_tree_rows_reveal(&shown.rows, &shown.forest.tree, work);
  text_of(&shown); /* before there is scratch nothing is kept */
  rtop_tree_rows_reveal(&shown.rows, &shown.forest.tree, work);
  assert_non_null(strstr(text_of(&shown), "2+ parse 25"));
  rtop_tree_rows_open(&shown.rows, forest_find(&shown.forest, "main work"), false);
  assert_non_null(strstr(text_of(&shown), "1+ work 55"));
  shown.forest.options.filter = "^scan ";
  forest_build(&shown.forest, false);
  rtop_tree_rows_levels(&shown.rows, 0);
  rtop_tree_rows_open(&shown.rows, forest_find(&shown.forest, "main"), true);
  assert_string_equal(text_of(&shown), "0 main 20, 1 work 20, 2 parse 20, 3 scan 20, 0+ other 3");
  close_shown(&shown);
}

static void test_what_was_open_stays_open(void **state)
{
  (void)state;
  struct shown shown;
  open_shown(&shown, 1);
  char *before = strdup(text_of(&shown));
  shown.forest.options.filter = "^other ";
  forest_build(&shown.forest, false);
  assert_string_equal(text_of(&shown), "0 other 3, 1 scan 3");
  shown.forest.options.filter = NULL;
  forest_build(&shown.forest, false);
  assert_string_equal(text_of(&shown), before);
  free(before);
  close_shown(&shown);
}

static void test_small_paths_are_put_together(void **state)
{
  (void)state;
  struct shown shown;
  open_shown(&shown, INT_MAX);
  shown.look.least_percent = 4;
  assert_string_equal(text_of(&shown),
                      "0 main 97, 1 work 55, 2 read 30, 2 parse 25, 3 scan 20, 1 idle 40, 0 (other) 5");
  assert_int_equal(shown.rows.other_paths, 3);
  close_shown(&shown);
}

static void test_callers(void **state)
{
  (void)state;
  struct shown shown;
  open_shown(&shown, 0);
  shown.look.callers = true;
  assert_string_equal(text_of(&shown), "0+ idle 40, 0+ read 30, 0+ scan 23, 0+ parse 5, 0+ tiny1 1, "
                                       "0+ tiny2 1");
  assert_int_equal(forest_ms(&shown.rows.rows[2].self), 23);
  rtop_tree_rows_open(&shown.rows, shown.rows.rows[2].key, true);
  assert_string_equal(text_of(&shown), "0+ idle 40, 0+ read 30, 0 scan 23, 1+ parse 20, 1 other 3, "
                                       "0+ parse 5, 0+ tiny1 1, 0+ tiny2 1");
  rtop_tree_rows_levels(&shown.rows, INT_MAX);
  assert_non_null(strstr(text_of(&shown), "0 scan 23, 1 parse 20, 2 work 20, 3 main 20, 1 other 3"));
  close_shown(&shown);
}

static void test_no_more_rows_than_the_bound(void **state)
{
  (void)state;
  struct shown shown = { .look = { .sort = RTOP_SORT_TOTAL } };
  struct forest *forest = &shown.forest;
  forest_open(forest);
  uint32_t thread = fixture_thread(&forest->window, 1, RTOP_RUNNING, 0, 0);
  for (uint32_t i = 0; i < RTOP_TREE_ROWS_MAX + 10; i++) {
    char name[32];
    size_t bytes = (size_t)snprintf(name, sizeof name, "m%u", i);
    uint32_t frame = rtop_symbols_frame(forest->symbols, name, bytes, "", 0, "", 0, 0, RTOP_SYMBOL_C);
    fixture_cell(&forest->window, thread, rtop_symbols_node(forest->symbols, 0, frame, 0), RTOP_RUNNING, 1);
  }
  forest_build(forest, false);
  assert_true(rtop_tree_rows_build(&shown.rows, &forest->tree, forest->symbols, &shown.look));
  assert_int_equal(shown.rows.count, RTOP_TREE_ROWS_MAX);
  assert_true(shown.rows.cut);
  close_shown(&shown);
}

/* One row for what has nothing but the next; small things beside it still count. */
static void test_chains(void **state)
{
  (void)state;
  struct shown shown = { .look = { .sort = RTOP_SORT_TOTAL, .chains = 4 } };
  struct forest *forest = &shown.forest;
  forest_open(forest);
  uint32_t thread = fixture_thread(&forest->window, 1, RTOP_RUNNING, 0, 0);
  forest_add(forest, thread, "main a b c call work read", RTOP_BLOCKED, 30);
  forest_add(forest, thread, "main a b c call idle", RTOP_BLOCKED, 10);
  forest_add(forest, thread, "other b scan", RTOP_RUNNING, 20);
  forest_build(forest, false);
  shown.rows.levels = 4;
  assert_string_equal(text_of(&shown), "0 call 40, 1 work 30, 2 read 30, 1 idle 10, 0 other 20, 1 b 20, 2 scan 20");
  const struct rtop_tree_row *row = &shown.rows.rows[0];
  assert_int_equal(row->chain, 5);
  assert_string_equal(forest_label(forest, row->first), "main");
  assert_int_equal(shown.rows.rows[1].chain, 0); /* three are none */
  uint64_t b = forest->tree.nodes[forest->tree.nodes[row->node].parent].parent;
  shown.look.kept = b; /* the cursor stands on it: there the chain ends */
  shown.look.chains = 3;
  assert_string_equal(text_of(&shown), "0 b 40, 1 c 40, 2 call 40, 3 work 30, 4 read 30, 3 idle 10, 0 scan 20");
  shown.look.kept = 0;
  shown.look.chains = 4;
  text_of(&shown);
  rtop_tree_rows_unchain(&shown.rows, &forest->tree, &shown.rows.rows[0]);
  assert_string_equal(text_of(&shown), "0 main 40, 1 a 40, 2 b 40, 3 c 40, 4 call 40, 5 work 30, 6 read 30, 5 idle 10, "
                                       "0 other 20, 1 b 20, 2 scan 20");
  rtop_tree_rows_levels(&shown.rows, 4); /* chosen anew: chains again */
  assert_int_equal(strncmp(text_of(&shown), "0 call 40, ", 11), 0);
  rtop_tree_rows_reveal(&shown.rows, &forest->tree, (uint32_t)b); /* who goes there sees it */
  assert_string_equal(text_of(&shown), "0 main 40, 1 a 40, 2 b 40, 3 c 40, 4 call 40, 5 work 30, 6 read 30, 5 idle 10, "
                                       "0 other 20, 1 b 20, 2 scan 20");
  rtop_tree_rows_levels(&shown.rows, 4);
  rtop_tree_rows_open(&shown.rows, shown.rows.rows[1].key, false);
  rtop_tree_rows_levels(&shown.rows, INT_MAX); /* all open: no chains */
  assert_int_equal(strncmp(text_of(&shown), "0 main 40, 1 a 40, ", 19), 0);
  close_shown(&shown);
}

/* A method that has time of its own ends a chain, and so does one that was closed. */
static void test_chains_hide_no_time(void **state)
{
  (void)state;
  struct shown shown = { .look = { .sort = RTOP_SORT_TOTAL, .chains = 3, .least_percent = 0.05 } };
  struct forest *forest = &shown.forest;
  forest_open(forest);
  uint32_t thread = fixture_thread(&forest->window, 1, RTOP_RUNNING, 0, 0);
  forest_add(forest, thread, "a b c d e f g", RTOP_RUNNING, 50);
  forest_add(forest, thread, "a b c", RTOP_RUNNING, 30);
  forest_build(forest, false);
  shown.rows.levels = 4;
  assert_string_equal(text_of(&shown), "0 c 80, 1 g 50");
  assert_int_equal(shown.rows.rows[0].chain, 3);
  assert_int_equal(shown.rows.rows[1].chain, 4);
  assert_int_equal(forest_ms(&shown.rows.rows[0].self), 30);
  rtop_tree_rows_open(&shown.rows, shown.rows.rows[0].key, false);
  assert_string_equal(text_of(&shown), "0+ c 80");
  close_shown(&shown);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_chains),
    cmocka_unit_test(test_chains_hide_no_time),
    cmocka_unit_test(test_order_and_depth),
    cmocka_unit_test(test_equal_rows_keep_their_order),
    cmocka_unit_test(test_levels_count_branches),
    cmocka_unit_test(test_an_only_child_opens_with_its_parent),
    cmocka_unit_test(test_what_was_open_stays_open),
    cmocka_unit_test(test_small_paths_are_put_together),
    cmocka_unit_test(test_callers),
    cmocka_unit_test(test_no_more_rows_than_the_bound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
