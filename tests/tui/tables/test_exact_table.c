/* Traced methods as rows: numbers of windows put together, percentiles, callers, methods that were not found. */
#include "shm/channel/control.h"
#include "tests/tui/exact_fixture.h"
#include "tui/tables/exact_table.h"
#include "tui/tables/slow_list.h"

static struct rtop_symbols *symbols;
static struct exact_table table;
static uint32_t work, rest, work_from_main, work_from_rest;

static void make_nodes(void)
{
  work = exact_node(symbols, 0, "Work#do");
  rest = exact_node(symbols, 0, "Work#rest");
  work_from_main = exact_node(symbols, work, "<main>");
  work_from_rest = exact_node(symbols, work, "Work#rest");
}

static int setup(void **state)
{
  *state = exact_profile(&symbols);
  make_nodes();
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

/* Slow calls: in the order of time, of their method, with thread and labels; those that found no room are counted. */
static void test_slow_calls(void **state)
{
  static struct slow_list list;
  struct rtop_profile *profile = *state;
  const char *text = "job=mail";
  uint32_t set = rtop_symbols_frame(symbols, text, strlen(text), "", 0, "(labels)", 8, 0, RTOP_SYMBOL_SPECIAL);
  uint32_t labelled = rtop_symbols_node(symbols, rtop_symbols_node(symbols, 0, set, 0),
                                        rtop_symbols_get_node(symbols, work)->frame, 12);
  struct rtop_source_thread thread = { 7, "mailer", 6, 4711, false };
  for (int at = 0; at < 10; at++) {
    struct rtop_window window = { .start_mono_ns = at * 100 * MS, .end_mono_ns = (at + 1) * 100 * MS };
    uint32_t id = rtop_profile_thread(profile, 0, &thread);
    *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .serial = 7 };
    *rtop_window_add_exact(&window) = (struct rtop_exact){ work, RTOP_EXACT_SLOW, 0, 5 };
    for (int i = 2; i >= 0; i--)
      *rtop_window_add_slow(&window) = (struct rtop_slow){ .end_mono_ns = at * 100 * MS + i,
                                                           .serial = (uint64_t)(7 + i),
                                                           .node = i == 2 ? rest : work,
                                                           .stack = labelled,
                                                           .flags = i == 1 ? RTOP_SLOW_RAISED : 0,
                                                           .total_ns = (uint64_t)(60 * MS),
                                                           .args_bytes = i == 0 ? 8 : 0,
                                                           .args = "a: \x9b\n\"ü" };
    uint32_t nodes[64];
    for (uint32_t i = 0; i < 64; i++) nodes[i] = i;
    assert_true(rtop_profile_add(profile, 0, &window, nodes, 64, &id));
    rtop_window_destroy(&window);
  }
  build(profile);
  assert_true(rtop_profile_has_exact(profile));
  assert_true(slow_list_build(&list, profile, rtop_profile_bounds(profile)));
  assert_int_equal(list.count, 30);
  assert_int_equal(slow_list_of(&list, rtop_symbols_get_node(symbols, work)->frame), 20);
  assert_int_equal(exact_table_of(&table, symbols, rtop_symbols_get_node(symbols, work)->frame)->slow_calls, 50);
  for (size_t i = 1; i < list.count; i++) assert_true(list.rows[i - 1].call.end_ns < list.rows[i].call.end_ns);
  assert_string_equal(list.rows[0].thread, "mailer");
  assert_string_equal(list.rows[1].thread, "");
  assert_true(list.rows[1].call.raised && !list.rows[0].call.raised);
  assert_int_equal(list.rows[0].labels, set);
  assert_string_equal(list.rows[0].args, "a: ??\"ü");
  assert_string_equal(list.rows[1].args, "");
  assert_int_equal(slow_list_with_args(&list, rtop_symbols_get_node(symbols, work)->frame), 10);
  size_t at = 0, seen = 0;
  while (slow_list_next(&list, rtop_symbols_get_node(symbols, rest)->frame, &at)) seen++;
  assert_int_equal(seen, 10);
  struct rtop_span part = { 500 * MS, 1000 * MS };
  assert_true(slow_list_build(&list, profile, part));
  assert_int_equal(list.count, 15);
  slow_list_destroy(&list);
}

static void test_tracing_that_was_ended(void **state)
{
  char text[EXACT_STATE_TEXT];
  struct rtop_profile *profile = *state;
  struct rtop_window window = { .start_mono_ns = 0, .end_mono_ns = 100 * MS };
  *rtop_window_add_exact(&window) =
      (struct rtop_exact){ work, RTOP_EXACT_STATE, rtop_trace_key("Work#do", 7), RTOP_TRACE_TOO_MANY };
  *rtop_window_add_exact(&window) = (struct rtop_exact){ work, RTOP_EXACT_TOO_MANY, 0, 412000 };
  assert_true(fixture_add(profile, 0, &window));
  rtop_window_destroy(&window);
  build(profile);
  exact_state_text(table.rows[1], text);
  assert_string_equal(text, "too many calls: 412k/s; tracing ended");
  assert_string_equal(exact_state_name(table.rows[1]), "too_many");
}

static void test_words_for_what_is_not_traced(void **state)
{
  static const struct {
    enum rtop_trace_state state;
    const char *name, *text;
  } words[] = {
    { RTOP_TRACE_NOT_RUBY, "not_ruby", "Ruby does not tell of its calls: only the sampler sees it" },
    { RTOP_TRACE_SLOWER, "slower", "not in Ruby: the program would stay slower (METHOD,force does it)" },
    { RTOP_TRACE_STATE_END, "ended", "not traced any more" },
  };
  struct rtop_profile *profile = *state;
  for (int64_t at = 0; at < 3; at++) {
    char text[EXACT_STATE_TEXT];
    struct rtop_window window = { .start_mono_ns = at * 100 * MS, .end_mono_ns = (at + 1) * 100 * MS };
    *rtop_window_add_exact(&window) =
        (struct rtop_exact){ 0, RTOP_EXACT_STATE, rtop_trace_key("No#thing", 8), (uint64_t)words[at].state };
    *rtop_window_add_exact(&window) =
        (struct rtop_exact){ work, RTOP_EXACT_STATE, rtop_trace_key("Work#do", 7), (uint64_t)words[at].state };
    assert_true(fixture_add(profile, 0, &window));
    rtop_window_destroy(&window);
    build(profile);
    exact_state_text(table.rows[1], text);
    assert_string_equal(text, words[at].text);
    assert_string_equal(exact_state_name(table.rows[1]), words[at].name);
  }
}

/* Rows of methods get their figures, and lose them. */
static void test_figures_of_methods(void **state)
{
  struct rtop_method_row rows[] = { { .frame = rtop_symbols_get_node(symbols, work)->frame }, { .frame = 99 } };
  struct rtop_methods methods = { .rows = rows, .count = 2 };
  for (int at = 0; at < 10; at++) add_window(*state, 0, at);
  build(*state);
  exact_table_tell(&table, symbols, &methods);
  assert_true(rows[0].traced && !rows[1].traced);
  assert_int_equal((int)rows[0].calls_per_s, 220);
  assert_int_equal((int)rtop_method_value(&rows[0], RTOP_SORT_MEAN), 600 * MS / 110);
  table.count = 0;
  exact_table_tell(&table, symbols, &methods);
  assert_true(!rows[0].traced && rows[0].calls_per_s == 0 && rows[0].mean_ns == 0);
}

/* Memory for so many windows as there are is not there: they become longer ones, and sums stay. */
static void test_long_histories(void **state)
{
  struct rtop_profile *small = rtop_profile_create(256 << 10);
  struct rtop_profile *before = *state;
  rtop_profile_destroy(&before);
  *state = small;
  symbols = rtop_profile_symbols(small);
  make_nodes();
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
    cmocka_unit_test_setup_teardown(test_slow_calls, setup, teardown),
    cmocka_unit_test_setup_teardown(test_tracing_that_was_ended, setup, teardown),
    cmocka_unit_test_setup_teardown(test_words_for_what_is_not_traced, setup, teardown),
    cmocka_unit_test_setup_teardown(test_figures_of_methods, setup, teardown),
    cmocka_unit_test_setup_teardown(test_rate_of_several_processes, setup, teardown),
    cmocka_unit_test_setup_teardown(test_long_histories, setup, teardown),
    cmocka_unit_test_setup_teardown(test_nothing_is_traced, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
