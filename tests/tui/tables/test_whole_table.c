/* All calls as rows: the tree in its order, totals without recursion, several windows and processes, hostile numbers. */
#include "tests/tui/exact_fixture.h"
#include "tui/tables/whole_table.h"

static struct rtop_symbols *symbols;
static struct whole_table table;
static struct exact_calls calls;

static int setup(void **state)
{
  *state = exact_profile(&symbols);
  calls = exact_calls(symbols);
  return 0;
}

static int teardown(void **state)
{
  struct rtop_profile *profile = *state;
  whole_table_destroy(&table);
  rtop_profile_destroy(&profile);
  return 0;
}

static void add_window(struct rtop_profile *profile, uint32_t source, int64_t at, enum rtop_whole_state whole)
{
  exact_add_window(profile, &calls, source, at, whole);
}

static void build(struct rtop_profile *profile)
{
  assert_true(whole_table_build(&table, profile, rtop_profile_bounds(profile)));
}

static const struct whole_method *method(const char *label)
{
  for (size_t i = 0; i < table.method_count; i++)
    if (strcmp(rtop_symbols_get(symbols, table.methods[i].frame)->label, label) == 0) return &table.methods[i];
  fail_msg("there is no %s", label);
  return NULL;
}

static void test_tree(void **state)
{
  static const int parents[] = { WHOLE_NO_PARENT, 0, 1, 2, 0 };
  const uint32_t nodes[] = { calls.top, calls.work, calls.deep, calls.again, calls.rest };
  for (int at = 0; at < 3; at++) add_window(*state, 0, at, at < 2 ? RTOP_WHOLE_ON : RTOP_WHOLE_DONE);
  build(*state);
  assert_true(table.numbers.head.told);
  assert_int_equal(table.numbers.head.state, RTOP_WHOLE_DONE);
  assert_int_equal(table.tree_count, 5);
  for (size_t i = 0; i < 5; i++) {
    assert_int_equal(table.tree[i].node, nodes[i]);
    assert_int_equal(table.tree[i].parent, parents[i]);
  }
  assert_int_equal(table.tree[3].depth, 3);
  assert_int_equal(table.tree[2].figures.calls, 18);
  assert_int_equal(table.tree[2].figures.total_ns, 120 * MS);
  assert_true(table.tree[0].share > 0.999 && table.tree[0].share < 1.001);
  assert_true(table.tree[1].share > 0.749 && table.tree[1].share < 0.751);
  assert_int_equal(table.numbers.head.calls, 60);
  assert_int_equal(table.numbers.head.traced_ns, 300 * MS);
  assert_int_equal(table.numbers.head.untimed, 6);
  assert_int_equal(table.numbers.head.unnamed, 15);
  assert_int_equal(whole_own_ns(&table.numbers.head), 150);
}

/* Work#do calls itself: its total is that of the outer calls. Work#rest has two callers. */
static void test_methods(void **state)
{
  add_window(*state, 0, 0, RTOP_WHOLE_DONE);
  build(*state);
  assert_int_equal(table.method_count, 3);
  assert_string_equal(rtop_symbols_get(symbols, table.methods[0].frame)->label, "Work#do");
  assert_int_equal(method("Work#do")->figures.calls, 8);
  assert_int_equal(method("Work#do")->figures.total_ns, 60 * MS);
  assert_int_equal(method("Work#do")->figures.self_ns, 55 * MS);
  assert_int_equal(method("Work#rest")->figures.calls, 11);
  assert_int_equal(method("Work#rest")->figures.total_ns, 15 * MS);
  assert_int_equal(method("Work#top")->figures.self_ns, 10 * MS);
}

/* Calls of both, and the time of the one that was traced longer. */
static void test_processes(void **state)
{
  for (int at = 0; at < 2; at++) add_window(*state, 0, at, RTOP_WHOLE_ON);
  add_window(*state, 1, 1, RTOP_WHOLE_ON);
  build(*state);
  assert_int_equal(table.numbers.head.calls, 60);
  assert_int_equal(table.numbers.head.traced_ns, 200 * MS);
}

static void test_nothing(void **state)
{
  struct rtop_window window = { .end_mono_ns = 100 * MS };
  assert_true(fixture_add(*state, 0, &window));
  rtop_window_destroy(&window);
  build(*state);
  assert_false(table.numbers.head.told);
  assert_int_equal(table.tree_count, 0);
}

/* Numbers at the root, states that there are none of, and sums without calls. */
static void test_hostile(void **state)
{
  struct rtop_window window = { .end_mono_ns = 100 * MS };
  *rtop_window_add_exact(&window) = (struct rtop_exact){ 0, RTOP_WHOLE_STATE, 0, 99 };
  exact_add_call(&window, 0, 9, 9 * MS, 9 * MS);
  *rtop_window_add_exact(&window) = (struct rtop_exact){ calls.again, RTOP_WHOLE_TOTAL_NS, 0, UINT64_MAX / 4 };
  assert_true(fixture_add(*state, 0, &window));
  rtop_window_destroy(&window);
  build(*state);
  assert_int_equal(table.numbers.head.state, 0);
  assert_int_equal(table.tree_count, 4); /* its callers, too */
  assert_int_equal(table.numbers.head.calls, 0);
  assert_int_equal(whole_own_ns(&table.numbers.head), 0);
  assert_int_equal(table.tree[3].depth, 3);
}

/* Of chains only the ends were called, the deepest first: the callers are found once, however many there are. */
static void test_long_chains(void **state)
{
  enum { CHAINS = 16, DEPTH = 4000 };
  struct rtop_window window = { .end_mono_ns = 100 * MS };
  uint32_t ends[CHAINS];
  for (uint32_t chain = 0; chain < CHAINS; chain++) {
    char label[16];
    snprintf(label, sizeof label, "Deep#m%u", chain);
    uint32_t frame = fixture_frame(symbols, label, "/app/a.rb", 3);
    ends[chain] = 0;
    for (int i = 0; i < DEPTH; i++) ends[chain] = rtop_symbols_node(symbols, ends[chain], frame, 0);
  }
  for (uint32_t chain = CHAINS; chain-- > 0;) exact_add_call(&window, ends[chain], 1, 1 * MS, 1 * MS);
  assert_true(fixture_add(*state, 0, &window));
  rtop_window_destroy(&window);
  build(*state);
  assert_int_equal(table.tree_count, CHAINS * DEPTH);
  assert_int_equal(table.method_count, CHAINS);
  for (size_t i = 0; i < table.tree_count; i++) {
    assert_int_equal(table.tree[i].depth, i % DEPTH);
    assert_int_equal(table.tree[i].parent, i % DEPTH ? (int)i - 1 : WHOLE_NO_PARENT);
  }
  assert_int_equal(table.tree[DEPTH - 1].figures.calls, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_tree, setup, teardown),
    cmocka_unit_test_setup_teardown(test_methods, setup, teardown),
    cmocka_unit_test_setup_teardown(test_processes, setup, teardown),
    cmocka_unit_test_setup_teardown(test_nothing, setup, teardown),
    cmocka_unit_test_setup_teardown(test_hostile, setup, teardown),
    cmocka_unit_test_setup_teardown(test_long_chains, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
