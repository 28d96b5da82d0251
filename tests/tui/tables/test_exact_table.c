/* Traced methods as rows: numbers of windows put together, percentiles, callers, methods that were not found. */
#include "shm/channel/control.h"
#include "tests/tui/model_fixture.h"
#include "tui/tables/exact_table.h"

static struct rtop_symbols *symbols;
static struct exact_table table;
static uint32_t work, rest, work_from_main, work_from_rest;

static uint32_t node(uint32_t parent, const char *label)
{
  uint32_t frame = rtop_symbols_frame(symbols, label, strlen(label), "/app/a.rb", 9, "", 0, 3, RTOP_SYMBOL_RUBY);
  return rtop_symbols_node(symbols, parent, frame, 0);
}

static int setup(void **state)
{
  struct rtop_profile *profile = rtop_profile_create(64 << 20);
  assert_non_null(profile);
  symbols = rtop_profile_symbols(profile);
  work = node(0, "Work#do");
  rest = node(0, "Work#rest");
  work_from_main = node(work, "<main>");
  work_from_rest = node(work, "Work#rest");
  *state = profile;
  return 0;
}

static int teardown(void **state)
{
  struct rtop_profile *profile = *state;
  exact_table_destroy(&table);
  rtop_profile_destroy(&profile);
  return 0;
}

/* 100 ms each: 10 calls of 1 ms from the top, and one of 50 ms from rest. */
static void add_window(struct rtop_profile *profile, uint32_t source, int64_t at)
{
  struct rtop_window window = { .start_mono_ns = at * 100 * MS, .end_mono_ns = (at + 1) * 100 * MS };
  const struct rtop_exact numbers[] = {
    { work, RTOP_EXACT_STATE, rtop_trace_key("Work#do", 7), RTOP_TRACE_ON },
    { 0, RTOP_EXACT_STATE, rtop_trace_key("No#thing", 8), RTOP_TRACE_WAITS },
    { work, RTOP_EXACT_TRACED_NS, 0, 50 * MS },
    { work, RTOP_EXACT_CALLS, 0, 11 },
    { work, RTOP_EXACT_RETURNED, 0, 11 },
    { work, RTOP_EXACT_RAISED, 0, 2 },
    { work, RTOP_EXACT_TOTAL_NS, 0, 60 * MS },
    { work, RTOP_EXACT_SELF_NS, 0, 30 * MS },
    { work, RTOP_EXACT_TOTAL_MAX, 0, (uint64_t)(50 * MS + at) },
    { work, RTOP_EXACT_TOTAL_TIMES, rtop_latency_bucket(MS), 10 },
    { work, RTOP_EXACT_TOTAL_TIMES, rtop_latency_bucket(50 * MS), 1 },
    { work_from_main, RTOP_EXACT_CALLER, 0, 3 },
    { work_from_rest, RTOP_EXACT_CALLER, 0, 7 },
    { work, RTOP_EXACT_CALLER, 0, 1 },
    { rest, RTOP_EXACT_CALLS, 0, 1 },
    { work, 4711, 12, 99 }, /* of a later version */
  };
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) *rtop_window_add_exact(&window) = numbers[i];
  assert_true(fixture_add(profile, source, &window));
  rtop_window_destroy(&window);
}

static void build(struct rtop_profile *profile)
{
  static const char *const names[] = { "No#thing", "Work#do", "Never#asked" };
  assert_true(exact_table_build(&table, profile, rtop_profile_bounds(profile), names, 3));
}

static void test_rows(void **state)
{
  for (int at = 0; at < 10; at++) add_window(*state, 0, at);
  build(*state);
  assert_int_equal(table.count, 4);
  const struct exact_row *row = table.rows[1];
  assert_string_equal(exact_row_name(row, symbols), "Work#do");
  assert_string_equal(exact_state_name(row), "traced");
  assert_int_equal(row->calls, 110);
  assert_int_equal(row->raised, 20);
  assert_int_equal((int)exact_row_rate(row), 220);
  assert_int_equal(exact_row_mean_ns(row, EXACT_TOTAL), 600 * MS / 110);
  assert_int_equal(row->times[EXACT_TOTAL].max_ns, 50 * MS + 9);
  assert_in_range(exact_row_share_ns(row, EXACT_TOTAL, 0.5), 992000, 1008000);
  assert_in_range(exact_row_share_ns(row, EXACT_TOTAL, 0.9), 992000, 1008000);
  assert_in_range(exact_row_share_ns(row, EXACT_TOTAL, 0.99), 49600000, 50400000);
  assert_int_equal(row->caller_count, 3);
  assert_int_equal(row->callers[0].calls, 70);
  assert_string_equal(rtop_symbols_get(symbols, row->callers[0].frame)->label, "Work#rest");
  assert_int_equal(row->callers[2].frame, 0);
  assert_string_equal(exact_row_name(table.rows[0], symbols), "No#thing");
  assert_string_equal(exact_state_name(table.rows[0]), "waits");
  assert_string_equal(exact_state_name(table.rows[2]), "asked");
  assert_string_equal(exact_row_name(table.rows[3], symbols), "Work#rest");
  assert_int_equal(table.rows[3]->calls, 10);
}

/* Calls of all processes in the same second. */
static void test_rate_of_several_processes(void **state)
{
  for (int at = 0; at < 10; at++)
    for (uint32_t source = 0; source < 3; source++) add_window(*state, source, at);
  build(*state);
  assert_int_equal(table.rows[1]->calls, 330);
  assert_int_equal((int)exact_row_rate(table.rows[1]), 660);
}

/* Memory for so many windows as there are is not there: they become longer ones, and sums stay. */
static void test_long_histories(void **state)
{
  struct rtop_profile *small = rtop_profile_create(256 << 10);
  struct rtop_profile *before = *state;
  rtop_profile_destroy(&before);
  *state = small;
  symbols = rtop_profile_symbols(small);
  work = node(0, "Work#do");
  rest = node(0, "Work#rest");
  work_from_main = node(work, "<main>");
  work_from_rest = node(work, "Work#rest");
  for (int at = 0; at < 3000; at++) add_window(small, 0, at);
  build(small);
  assert_int_equal(table.rows[1]->calls, 33000);
  assert_int_equal(table.rows[1]->times[EXACT_TOTAL].count, 33000);
  assert_int_equal(table.rows[1]->times[EXACT_TOTAL].max_ns, 50 * MS + 2999);
}

static void test_nothing_is_traced(void **state)
{
  assert_true(exact_table_build(&table, *state, rtop_profile_bounds(*state), NULL, 0));
  assert_int_equal(table.count, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_rows, setup, teardown),
    cmocka_unit_test_setup_teardown(test_rate_of_several_processes, setup, teardown),
    cmocka_unit_test_setup_teardown(test_long_histories, setup, teardown),
    cmocka_unit_test_setup_teardown(test_nothing_is_traced, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
