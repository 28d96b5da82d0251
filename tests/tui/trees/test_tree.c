#include "tests/tui/tree_fixture.h"

static void assert_node(const struct forest *forest, const char *path, int64_t self_ms, int64_t total_ms)
{
  uint32_t node = forest_find(forest, path);
  assert_int_not_equal(node, 0);
  assert_int_equal(forest_ms(&forest->tree.nodes[node].self), self_ms);
  assert_int_equal(forest_ms(&forest->tree.nodes[node].total), total_ms);
}

static void open_example(struct forest *forest)
{
  forest_open(forest);
  uint32_t first = fixture_thread(&forest->window, 1, RTOP_RUNNING, forest_node(forest, "main a:1 b"), 0);
  uint32_t second = fixture_thread(&forest->window, 2, RTOP_BLOCKED, forest_node(forest, "pool a"), 0);
  forest_add(forest, first, "main a:1 b", RTOP_RUNNING, 20);
  forest_add(forest, first, "main a:2 b", RTOP_WAITING, 5);
  forest_add(forest, first, "main a:2", RTOP_RUNNING, 10);
  forest_add(forest, first, "main c", RTOP_RUNNING, 7);
  forest_add(forest, second, "pool a", RTOP_BLOCKED, 100);
}

static void test_lines_of_a_method_are_one_node(void **state)
{
  (void)state;
  struct forest forest;
  open_example(&forest);
  forest_build(&forest, false);
  assert_node(&forest, "main", 0, 42);
  assert_node(&forest, "main a", 10, 35);
  assert_node(&forest, "main a b", 25, 25);
  assert_node(&forest, "pool a", 100, 100);
  assert_int_equal(forest_ms(&forest.tree.nodes[0].total), 142);
  assert_int_equal(forest.tree.nodes[forest_find(&forest, "main")].below, 3);
  assert_int_equal(forest.tree.touched_count, 7);
  assert_int_equal(forest.tree.nodes[forest_find(&forest, "main a b")].total.wall_ns[RTOP_STATE_WAITING], 5 * MS);
  forest_close(&forest);
}

static void test_who_is_where_now(void **state)
{
  (void)state;
  struct forest forest;
  open_example(&forest);
  forest_build(&forest, false);
  const struct rtop_tree_node *leaf = &forest.tree.nodes[forest_find(&forest, "main a b")];
  const struct rtop_tree_node *above = &forest.tree.nodes[forest_find(&forest, "main")];
  const struct rtop_tree_node *blocked = &forest.tree.nodes[forest_find(&forest, "pool a")];
  assert_int_equal(leaf->leaves[RTOP_STATE_RUNNING], 1);
  assert_true(leaf->runs && above->runs && !blocked->runs);
  assert_int_equal(above->leaves[RTOP_STATE_RUNNING], 0);
  assert_int_equal(above->threads, 1);
  assert_int_equal(blocked->leaves[RTOP_STATE_BLOCKED], 1);
  forest_close(&forest);
}

/* It was there once, and has its time; where it is now nobody knows. */
static void test_who_is_nowhere_now(void **state)
{
  (void)state;
  struct forest forest;
  open_example(&forest);
  forest.window.threads[0].flags = RTOP_WINDOW_THREAD_STALE;
  forest_build(&forest, false);
  assert_node(&forest, "main", 0, 42);
  const struct rtop_tree_node *above = &forest.tree.nodes[forest_find(&forest, "main")];
  assert_int_equal(above->threads, 0);
  assert_false(above->runs);
  assert_int_equal(forest.tree.nodes[forest_find(&forest, "main a b")].leaves[RTOP_STATE_RUNNING], 0);
  assert_int_equal(forest.tree.nodes[forest_find(&forest, "pool a")].leaves[RTOP_STATE_BLOCKED], 1);
  forest_close(&forest);
}

static void test_a_filter_takes_stacks(void **state)
{
  (void)state;
  struct forest forest;
  open_example(&forest);
  forest.options.filter = "^b ";
  forest_build(&forest, false);
  assert_node(&forest, "main a", 0, 25);
  assert_node(&forest, "main a b", 25, 25);
  assert_int_equal(forest_find(&forest, "pool"), 0);
  forest.options.filter_invert = true;
  forest_build(&forest, false);
  assert_node(&forest, "main a", 10, 10);
  assert_int_equal(forest_find(&forest, "main a b"), 0);
  assert_node(&forest, "pool a", 100, 100);
  forest.options.filter = "^a ";
  forest_build(&forest, false);
  assert_node(&forest, "main", 0, 7);
  assert_int_equal(forest_find(&forest, "pool"), 0);
  forest.options.filter = NULL;
  forest_build(&forest, false);
  assert_node(&forest, "main a", 10, 35);
  forest_close(&forest);
}

static void test_names_that_are_completed_are_asked_again(void **state)
{
  (void)state;
  struct forest forest;
  open_example(&forest);
  forest.options.filter = "Kernel#c";
  forest_build(&forest, false);
  assert_int_equal(forest.tree.touched_count, 1);
  rtop_symbols_relabel(forest.symbols, forest_frame(&forest, "c"), "Kernel#c", 8, "Kernel", 6);
  forest_build(&forest, false);
  assert_node(&forest, "main Kernel#c", 7, 7);
  forest_close(&forest);
}

static void test_threads_may_be_chosen(void **state)
{
  (void)state;
  struct forest forest;
  open_example(&forest);
  forest.options.thread_filter = "^t2$";
  forest_build(&forest, false);
  assert_int_equal(forest_find(&forest, "main"), 0);
  assert_node(&forest, "pool", 0, 100);
  forest_close(&forest);
}

static void test_ids_stay(void **state)
{
  (void)state;
  struct forest forest;
  open_example(&forest);
  forest_build(&forest, false);
  uint32_t before = forest_find(&forest, "main a b");
  forest.options.filter = "pool";
  forest_build(&forest, false);
  assert_false(rtop_tree_has(&forest.tree, before));
  forest.options.filter = NULL;
  forest_build(&forest, false);
  assert_int_equal(forest_find(&forest, "main a b"), before);
  forest_close(&forest);
}

static void sweep_all(struct rtop_symbols *symbols)
{
  rtop_symbols_sweep_begin(symbols);
  rtop_symbols_sweep_end(symbols);
}

/* The id of a call that nobody needed any more is that of another one. */
static void test_ids_of_symbols_that_went_to_others(void **state)
{
  (void)state;
  struct rtop_symbols *symbols = rtop_symbols_create();
  struct rtop_tree tree = { 0 };
  struct rtop_methods_options options = { 0 };
  struct rtop_thread_row thread = { .name = "t1" };
  struct rtop_sum_cell cell = { .cost.wall_ns[RTOP_RUNNING] = 5000000 };
  struct rtop_sum sum = { .threads = &thread, .thread_count = 1, .cells = &cell, .cell_count = 1 };
  const char *const names[] = { "first", "second" };
  for (int i = 0; i < 2; i++) {
    if (i == 1) rtop_symbols_frame(symbols, "other", 5, "", 0, "", 0, 0, RTOP_SYMBOL_RUBY); /* has the id of "first" */
    uint32_t frame = rtop_symbols_frame(symbols, names[i], strlen(names[i]), "", 0, "", 0, 0, RTOP_SYMBOL_RUBY);
    uint32_t node = rtop_symbols_node(symbols, 0, frame, 1);
    assert_true(i == 0 || node == cell.node);
    cell.node = thread.node = node;
    assert_true(rtop_tree_build(&tree, &sum, symbols, &options, false));
    uint32_t found = tree.nodes[0].first_child;
    assert_int_not_equal(found, 0);
    assert_string_equal(rtop_symbols_get(symbols, tree.nodes[found].frame)->label, names[i]);
    assert_int_equal(tree.nodes[found].below, 0);
    sweep_all(symbols);
    sweep_all(symbols);
  }
  rtop_tree_destroy(&tree);
  rtop_symbols_destroy(&symbols);
}

static void test_recursion_is_folded_on_request(void **state)
{
  (void)state;
  struct forest forest;
  forest_open(&forest);
  uint32_t thread = fixture_thread(&forest.window, 1, RTOP_RUNNING, 0, 0);
  forest_add(&forest, thread, "main f f g f", RTOP_RUNNING, 8);
  forest_add(&forest, thread, "main f f g", RTOP_RUNNING, 4);
  forest_add(&forest, thread, "main f f g f h", RTOP_RUNNING, 2);
  forest_build(&forest, false);
  assert_node(&forest, "main f f g f", 8, 10);
  forest_build(&forest, true);
  assert_node(&forest, "main f", 8, 14);
  assert_node(&forest, "main f g", 4, 4);
  assert_node(&forest, "main f h", 2, 2);
  assert_int_equal(forest.tree.touched_count, 5);
  forest_build(&forest, false);
  assert_node(&forest, "main f", 0, 14);
  forest_close(&forest);
}

static void test_the_largest_node_of_a_method(void **state)
{
  (void)state;
  struct forest forest;
  open_example(&forest);
  forest_build(&forest, false);
  uint32_t a = forest_frame(&forest, "a");
  assert_int_equal(rtop_tree_find(&forest.tree, a, RTOP_MODE_WALL), forest_find(&forest, "pool a"));
  assert_int_equal(rtop_tree_find(&forest.tree, a, RTOP_MODE_CPU), forest_find(&forest, "main a"));
  assert_int_equal(rtop_tree_find(&forest.tree, forest_frame(&forest, "nowhere"), RTOP_MODE_WALL), 0);
  forest_close(&forest);
}

static void test_forgetting(void **state)
{
  (void)state;
  struct forest forest;
  open_example(&forest);
  forest_build(&forest, false);
  rtop_tree_forget(&forest.tree);
  assert_false(rtop_tree_has(&forest.tree, 0));
  forest_build(&forest, false);
  assert_node(&forest, "main a", 10, 35);
  forest_close(&forest);
}

/* Enough nodes that every table grows, and a stack far deeper than any screen. */
static void test_many_nodes(void **state)
{
  (void)state;
  struct forest forest;
  forest_open(&forest);
  uint32_t thread = fixture_thread(&forest.window, 1, RTOP_RUNNING, 0, 0), deep = 0;
  for (int i = 0; i < 3000; i++) {
    char name[32];
    snprintf(name, sizeof name, "main m%d", i);
    forest_add(&forest, thread, name, RTOP_RUNNING, 0);
    deep = rtop_symbols_node(forest.symbols, deep, forest_frame(&forest, "deep"), (uint32_t)i);
  }
  fixture_cell(&forest.window, thread, deep, RTOP_RUNNING, MS);
  forest_build(&forest, false);
  assert_int_equal(forest.tree.touched_count, 6002);
  assert_int_equal(forest.tree.nodes[forest_find(&forest, "main")].below, 3000);
  assert_int_equal(forest_ms(&forest.tree.nodes[forest_find(&forest, "deep deep")].total), 1);
  forest_build(&forest, true);
  assert_int_equal(forest.tree.touched_count, 3003);
  forest_close(&forest);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_lines_of_a_method_are_one_node),
    cmocka_unit_test(test_who_is_where_now),
    cmocka_unit_test(test_who_is_nowhere_now),
    cmocka_unit_test(test_a_filter_takes_stacks),
    cmocka_unit_test(test_names_that_are_completed_are_asked_again),
    cmocka_unit_test(test_threads_may_be_chosen),
    cmocka_unit_test(test_ids_stay),
    cmocka_unit_test(test_ids_of_symbols_that_went_to_others),
    cmocka_unit_test(test_recursion_is_folded_on_request),
    cmocka_unit_test(test_the_largest_node_of_a_method),
    cmocka_unit_test(test_forgetting),
    cmocka_unit_test(test_many_nodes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
