/* All calls as a sum: what the lens hides or merges, one process of several, rows that are those of the numbers. */
#include "tests/tui/exact_fixture.h"
#include "tui/methods/methods.h"
#include "tui/tables/whole_table.h"

static struct exact_world world;

static int setup(void **state)
{
  (void)state;
  exact_world_begin(&world);
  return 0;
}

static int teardown(void **state)
{
  (void)state;
  exact_world_end(&world);
  return 0;
}

static void build(uint32_t source)
{
  exact_world_sum(&world, source);
  for (size_t i = 1; i < world.sum.cell_count; i++) assert_true(world.sum.cells[i - 1].node < world.sum.cells[i].node);
}

static void look(struct rtop_lens_look look)
{
  assert_true(rtop_lens_set(rtop_profile_lens(world.profile), &look));
}

static const struct rtop_cost *cost_of(uint32_t node)
{
  static const struct rtop_cost nothing;
  for (size_t i = 0; i < world.sum.cell_count; i++)
    if (world.sum.cells[i].node == node) return &world.sum.cells[i].cost;
  return &nothing;
}

static void check(uint32_t node, uint64_t count, int64_t self_ns)
{
  assert_int_equal(cost_of(node)->samples, count);
  assert_int_equal(rtop_cost_wall(cost_of(node)), self_ns);
  assert_int_equal(cost_of(node)->cpu_ns, self_ns);
}

static void test_cells(void **state)
{
  (void)state;
  for (int at = 0; at < 3; at++) exact_world_add(&world, 0, at, RTOP_WHOLE_ON);
  build(WHOLE_ALL_SOURCES);
  check(world.calls.top, 3, 30 * MS);
  check(world.calls.deep, 18, 105 * MS);
  check(world.calls.again, 21, 15 * MS);
  assert_int_equal(world.sum.cell_count, 5);
  assert_int_equal(world.sum.length_ns, 300 * MS);
  assert_int_equal(world.sum.total.samples, 60);
  assert_int_equal(rtop_cost_wall(&world.sum.total), 240 * MS);
  assert_int_equal(world.sum.thread_count, 1);
}

/* Rows of a table of methods made from the sum are those that are added up from the numbers themselves. */
static void test_rows_are_those_of_the_numbers(void **state)
{
  static struct whole_table table;
  struct rtop_methods methods = { 0 };
  struct rtop_methods_options options = { .sort = RTOP_SORT_COUNT };
  (void)state;
  for (int at = 0; at < 3; at++) exact_world_add(&world, (uint32_t)at % 2, at, RTOP_WHOLE_DONE);
  build(WHOLE_ALL_SOURCES);
  assert_true(whole_table_build(&table, world.profile, rtop_profile_bounds(world.profile)));
  assert_true(rtop_methods_build(&methods, &world.sum, world.symbols, &options));
  rtop_methods_tell_calls(&methods);
  rtop_methods_sort(&methods, world.symbols, &options);
  assert_int_equal(methods.count, table.method_count);
  for (size_t i = 0; i < methods.count; i++) {
    const struct rtop_method_row *row = &methods.rows[i];
    size_t at = 0;
    while (table.methods[at].frame != row->frame) at++;
    assert_int_equal(row->calls, table.methods[at].figures.calls);
    assert_int_equal(row->total_ns, table.methods[at].figures.total_ns);
    assert_int_equal(row->self_ns, table.methods[at].figures.self_ns);
    assert_true(row->traced && row->mean_ns * (double)row->calls - (double)row->total_ns < 1);
    assert_true(i == 0 || row->calls <= methods.rows[i - 1].calls);
  }
  rtop_methods_destroy(&methods);
  whole_table_destroy(&table);
}

/* Time of what is hidden is its caller's, its calls are nobody's; those at the top have none. */
static void test_hidden(void **state)
{
  (void)state;
  exact_world_add(&world, 0, 0, RTOP_WHOLE_DONE);
  look((struct rtop_lens_look){ .exclude = "Work#do" });
  build(WHOLE_ALL_SOURCES);
  check(world.calls.top, 1, 65 * MS);
  check(world.calls.rest, 11, 15 * MS); /* what it called is called from there now, and the same */
  check(world.calls.work, 0, 0);
  look((struct rtop_lens_look){ .exclude = "Work#top" });
  build(WHOLE_ALL_SOURCES);
  check(0, 0, 10 * MS);
  assert_int_equal(world.sum.total.samples, 19);
  assert_int_equal(rtop_cost_wall(&world.sum.total), 80 * MS);
}

/* Calls within a file are none: that of the top is left, and those of the other file. */
static void test_merged(void **state)
{
  (void)state;
  struct rtop_symbols *all = world.symbols;
  uint32_t frame = rtop_symbols_frame(all, "Other#call", 10, "/app/b.rb", 9, "Other", 5, 7, RTOP_SYMBOL_RUBY);
  uint32_t other = rtop_symbols_node(all, world.calls.top, frame, 0);
  struct rtop_window window = { .end_mono_ns = 100 * MS };
  exact_add_state(&window, RTOP_WHOLE_DONE);
  exact_add_call(&window, world.calls.top, 1, 9 * MS, 2 * MS);
  exact_add_call(&window, world.calls.rest, 4, 3 * MS, 3 * MS);
  exact_add_call(&window, other, 5, 4 * MS, 4 * MS);
  assert_true(fixture_add(world.profile, 0, &window));
  rtop_window_destroy(&window);
  look((struct rtop_lens_look){ .merge = RTOP_MERGE_FILE });
  build(WHOLE_ALL_SOURCES);
  assert_int_equal(world.sum.total.samples, 6);
  assert_int_equal(rtop_cost_wall(&world.sum.total), 9 * MS);
}

static void test_processes(void **state)
{
  (void)state;
  exact_world_add(&world, 0, 0, RTOP_WHOLE_DONE);
  for (int at = 0; at < 2; at++) exact_world_add(&world, 1, at, RTOP_WHOLE_ON);
  build(1);
  check(world.calls.top, 2, 20 * MS);
  build(0);
  check(world.calls.top, 1, 10 * MS);
  assert_int_equal(world.numbers.head.state, RTOP_WHOLE_ON);
  assert_int_equal(world.numbers.head.processes, 2);
  assert_int_equal(world.numbers.head.calls, 60);
  assert_int_equal(world.numbers.head.refused, 0);
}

static void test_one_of_two_refused(void **state)
{
  struct rtop_window window = { .end_mono_ns = 100 * MS };
  (void)state;
  exact_world_add(&world, 0, 0, RTOP_WHOLE_DONE);
  *rtop_window_add_exact(&window) = (struct rtop_exact){ 0, RTOP_WHOLE_STATE, 1, RTOP_WHOLE_YJIT };
  assert_true(fixture_add(world.profile, 7, &window));
  rtop_window_destroy(&window);
  build(WHOLE_ALL_SOURCES);
  assert_int_equal(world.numbers.head.state, RTOP_WHOLE_DONE);
  assert_int_equal(world.numbers.head.refused, 1);
  assert_int_equal(world.numbers.head.processes, 2);
}

static void test_nothing(void **state)
{
  struct rtop_window window = { .end_mono_ns = 100 * MS };
  (void)state;
  assert_true(fixture_add(world.profile, 0, &window));
  rtop_window_destroy(&window);
  build(WHOLE_ALL_SOURCES);
  assert_false(world.numbers.head.told);
  assert_int_equal(world.sum.cell_count, 0);
  assert_int_equal(world.sum.length_ns, 0);
  assert_int_equal(whole_own_ns(&world.numbers.head), 0);
}

/* A viewer that comes late reads windows with the answer to its own request at once: what had not ended before the request
 * is no earlier counting. */
static void test_a_window_that_was_open_at_the_request_is_not_earlier(void **state)
{
  (void)state;
  for (int at = 0; at < 3; at++) exact_world_add(&world, 0, at, RTOP_WHOLE_ON);
  struct whole_before before = whole_before(world.profile, (struct rtop_span){ 0, 99 * MS });
  assert_int_equal(before.serials[0], 0);
  before = whole_before(world.profile, (struct rtop_span){ 0, 100 * MS });
  assert_int_not_equal(before.serials[0], 0);
  build(WHOLE_ALL_SOURCES);
  assert_int_equal(world.numbers.head.calls, 60);
  world.numbers.before = before;
  build(WHOLE_ALL_SOURCES);
  assert_int_equal(world.numbers.head.calls, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
int main(void)
{
  const struct CMUnitTest tests[] = {
    TEST(test_cells),     TEST(test_rows_are_those_of_the_numbers),
    TEST(test_hidden),    TEST(test_merged),
    TEST(test_processes), TEST(test_one_of_two_refused),
    TEST(test_nothing),   TEST(test_a_window_that_was_open_at_the_request_is_not_earlier),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
