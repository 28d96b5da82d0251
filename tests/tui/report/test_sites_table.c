/* Allocation sites as rows: shares of what the process made, their errors, what is alive, several processes, hostile numbers. */
#include "tests/tui/model_fixture.h"
#include "tui/report/sites_table.h"

#include <math.h>

static struct rtop_symbols *symbols;
static struct sites_table table;
static uint32_t order, strings, hashes;

static uint32_t class_below(uint32_t parent, const char *class)
{
  uint32_t frame = rtop_symbols_frame(symbols, class, strlen(class), "", 0, RTOP_OBJECTS_NAMESPACE,
                                      strlen(RTOP_OBJECTS_NAMESPACE), 0, RTOP_SYMBOL_SPECIAL);
  return rtop_symbols_node(symbols, parent, frame, 0);
}

static int setup(void **state)
{
  struct rtop_profile *profile = rtop_profile_create(64 << 20);
  assert_non_null(profile);
  symbols = rtop_profile_symbols(profile);
  uint32_t frame = rtop_symbols_frame(symbols, "Shop#order", 10, "/app/shop.rb", 12, "", 0, 3, RTOP_SYMBOL_RUBY);
  order = rtop_symbols_node(symbols, 0, frame, 7);
  strings = class_below(order, "String");
  hashes = class_below(order, "Hash");
  *state = profile;
  return 0;
}

static int teardown(void **state)
{
  struct rtop_profile *profile = *state;
  sites_table_destroy(&table);
  rtop_profile_destroy(&profile);
  return 0;
}

static void number(struct rtop_window *window, uint32_t node, uint32_t what, uint32_t key, uint64_t value)
{
  struct rtop_exact *exact = rtop_window_add_exact(window);
  assert_non_null(exact);
  *exact = (struct rtop_exact){ node, what, key, value };
}

/* Every fourth interval is looked at, and in it one of five objects; the process made a tenth less than samples say: 650 were not
 * looked at, for which 750 stand. */
static void add_window(struct rtop_profile *profile, uint32_t source, int64_t at, enum rtop_sites_state state)
{
  struct rtop_window window = { .start_mono_ns = at * 100 * MS, .end_mono_ns = (at + 1) * 100 * MS };
  number(&window, 0, RTOP_SITES_STATE, 1, state);
  number(&window, 0, RTOP_SITES_SUM, RTOP_SITES_SUM_TIME_NS, 100 * MS);
  number(&window, 0, RTOP_SITES_SUM, RTOP_SITES_SUM_OWN_NS, 400000);
  number(&window, 0, RTOP_SITES_SUM, RTOP_SITES_SUM_OBJECTS, 900);
  number(&window, 0, RTOP_SITES_SUM, RTOP_SITES_SUM_SEEN, 1000);
  number(&window, 0, RTOP_SITES_SUM, RTOP_SITES_SUM_SQUARE, 40000);
  number(&window, 0, RTOP_SITES_SUM, RTOP_SITES_SUM_LOOKED, 250);
  number(&window, 0, RTOP_SITES_SUM, 99, 7); /* of a later version */
  number(&window, strings, RTOP_SITES_OBJECTS, 0, 600);
  number(&window, strings, RTOP_SITES_OBJECTS, 1, 150);
  number(&window, strings, RTOP_SITES_BYTES, 0, 24000);
  number(&window, strings, RTOP_SITES_SAMPLES, 0, 30);
  number(&window, strings, RTOP_SITES_SQUARE, 0, 20000);
  number(&window, strings, RTOP_SITES_CROSS, 0, 25000);
  number(&window, hashes, RTOP_SITES_OBJECTS, 0, 200);
  number(&window, hashes, RTOP_SITES_OBJECTS, 1, 50);
  number(&window, hashes, RTOP_SITES_BYTES, 0, 32000);
  number(&window, hashes, RTOP_SITES_SAMPLES, 0, 10);
  if (state >= RTOP_SITES_TELLING) {
    number(&window, strings, RTOP_SITES_ALIVE, RTOP_SITES_JUDGED, 400);
    number(&window, strings, RTOP_SITES_ALIVE, RTOP_SITES_LIVE, 100);
    number(&window, strings, RTOP_SITES_ALIVE, RTOP_SITES_LIVE_BYTES, 8000);
  }
  assert_true(fixture_add(profile, source, &window));
  rtop_window_destroy(&window);
}

static void build(struct rtop_profile *profile, enum sites_order by)
{
  assert_true(sites_table_build(&table, profile, rtop_profile_bounds(profile), by));
}

static void assert_near(double is, double wanted)
{
  if (fabs(is - wanted) > 1e-6 * fabs(wanted)) fail_msg("%g is not %g", is, wanted);
}

static void test_rows(void **state)
{
  add_window(*state, 0, 0, RTOP_SITES_ON);
  add_window(*state, 0, 1, RTOP_SITES_DONE);
  build(*state, SITES_BY_OBJECTS);
  assert_true(table.told);
  assert_int_equal(table.state, RTOP_SITES_DONE);
  assert_int_equal(table.time_ns, 200 * MS);
  assert_int_equal(table.objects, 1800);
  assert_int_equal(table.looked, 500);
  assert_int_equal(table.samples, 80);
  assert_near(table.distance, 1800 / 80.0);
  assert_int_equal(table.count, 2);
  const struct sites_row *row = &table.rows[0];
  assert_string_equal(rtop_symbols_get(symbols, row->class)->label, "String");
  assert_string_equal(rtop_symbols_get(symbols, row->method)->label, "Shop#order");
  assert_int_equal(row->line, 7);
  assert_int_equal(row->samples, 60);
  assert_near(row->objects, 300 + 0.6 * 1300);
  assert_near(row->bytes, 1080 * 40.0);
  /* 40000 - 2 * 0.6 * 50000 + 0.36 * 80000 */
  assert_near(row->error, 1300 / 1500.0 * sqrt(8800));
  assert_true(row->judged);
  assert_near(row->live, 1080 * 0.25);
  assert_near(row->live_bytes, 1080 * 20.0);
  assert_string_equal(rtop_symbols_get(symbols, table.rows[1].class)->label, "Hash");
  assert_false(table.rows[1].judged);
}

static void test_order(void **state)
{
  add_window(*state, 0, 0, RTOP_SITES_ON);
  build(*state, SITES_BY_BYTES);
  assert_string_equal(rtop_symbols_get(symbols, table.rows[0].class)->label, "Hash");
}

/* Each by its own scale; errors add up as squares. */
static void test_processes(void **state)
{
  add_window(*state, 0, 0, RTOP_SITES_NO_GC);
  add_window(*state, 1, 0, RTOP_SITES_NO_GC);
  build(*state, SITES_BY_OBJECTS);
  assert_int_equal(table.objects, 1800);
  assert_int_equal(table.time_ns, 100 * MS);
  assert_int_equal(table.count, 2);
  assert_near(table.rows[0].objects, 1080);
  assert_near(table.rows[0].error, sqrt(2) * 1300 / 1500.0 * sqrt(4400));
}

static void test_nothing(void **state)
{
  struct rtop_window window = { .end_mono_ns = 100 * MS };
  number(&window, 0, RTOP_WHOLE_STATE, 1, RTOP_WHOLE_ON);
  assert_true(fixture_add(*state, 0, &window));
  rtop_window_destroy(&window);
  build(*state, SITES_BY_OBJECTS);
  assert_false(table.told);
  assert_int_equal(table.count, 0);
}

/* Sites at the root and at nodes that are none, sums that do not fit together, states that there are none of. */
static void test_hostile(void **state)
{
  struct rtop_window window = { .end_mono_ns = 100 * MS };
  number(&window, 0, RTOP_SITES_STATE, 0, 99);
  number(&window, 0, RTOP_SITES_OBJECTS, 0, 5);
  number(&window, RTOP_NODE_FOLDED, RTOP_SITES_OBJECTS, 0, UINT64_C(1) << 60);
  number(&window, order, RTOP_SITES_ALIVE, RTOP_SITES_LIVE, 9);
  number(&window, strings, RTOP_SITES_CROSS, 0, UINT64_C(1) << 60);
  number(&window, strings, RTOP_SITES_ALIVE, 12, 4);
  number(&window, 0, RTOP_SITES_SUM, RTOP_SITES_SUM_OBJECTS, UINT64_C(1) << 60);
  number(&window, 0, RTOP_SITES_SUM, RTOP_SITES_SUM_SEEN, 1);
  assert_true(fixture_add(*state, 0, &window));
  rtop_window_destroy(&window);
  build(*state, SITES_BY_OBJECTS);
  assert_int_equal(table.state, 0);
  assert_int_equal(table.count, 3); /* the root has none */
  for (size_t i = 0; i < table.count; i++) {
    assert_true(isfinite(table.rows[i].objects) && isfinite(table.rows[i].error) && table.rows[i].error >= 0);
    assert_true(!table.rows[i].judged);
  }
}

/* As large as a channel tells them in a window: an interval of many objects that stands for a hundred. */
static void test_large_squares(void **state)
{
  struct rtop_window window = { .end_mono_ns = 100 * MS };
  number(&window, 0, RTOP_SITES_STATE, 1, RTOP_SITES_NO_GC);
  number(&window, 0, RTOP_SITES_SUM, RTOP_SITES_SUM_OBJECTS, 2000000);
  number(&window, 0, RTOP_SITES_SUM, RTOP_SITES_SUM_SEEN, 2000000);
  number(&window, 0, RTOP_SITES_SUM, RTOP_SITES_SUM_SQUARE, 0);
  number(&window, strings, RTOP_SITES_OBJECTS, 0, 1000000);
  number(&window, strings, RTOP_SITES_SQUARE, 0, RTOP_SITES_SQUARE_MAX);
  assert_true(fixture_add(*state, 0, &window));
  rtop_window_destroy(&window);
  build(*state, SITES_BY_OBJECTS);
  assert_int_equal(table.count, 1);
  assert_near(table.rows[0].error, (double)(1 << 24));
}

/* Estimates that no integer holds: figures are shown as such. */
static void test_estimates_out_of_range(void **state)
{
  const uint64_t most = UINT64_C(1) << 55;
  struct rtop_window window = { .end_mono_ns = 100 * MS };
  number(&window, 0, RTOP_SITES_SUM, RTOP_SITES_SUM_OBJECTS, most);
  number(&window, 0, RTOP_SITES_SUM, RTOP_SITES_SUM_SEEN, 1);
  number(&window, strings, RTOP_SITES_OBJECTS, 0, most);
  number(&window, strings, RTOP_SITES_BYTES, 0, most);
  number(&window, strings, RTOP_SITES_ALIVE, RTOP_SITES_JUDGED, 1);
  number(&window, strings, RTOP_SITES_ALIVE, RTOP_SITES_LIVE, most);
  number(&window, strings, RTOP_SITES_ALIVE, RTOP_SITES_LIVE_BYTES, most);
  assert_true(fixture_add(*state, 0, &window));
  rtop_window_destroy(&window);
  build(*state, SITES_BY_BYTES);
  const struct sites_row *row = &table.rows[0];
  const double figures[] = { row->objects, row->bytes, row->error, row->live, row->live_bytes };
  for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
    assert_true(figures[i] >= 0 && figures[i] < (double)INT64_MAX);
  assert_true(row->live > 8e18);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_rows, setup, teardown),
    cmocka_unit_test_setup_teardown(test_order, setup, teardown),
    cmocka_unit_test_setup_teardown(test_processes, setup, teardown),
    cmocka_unit_test_setup_teardown(test_nothing, setup, teardown),
    cmocka_unit_test_setup_teardown(test_hostile, setup, teardown),
    cmocka_unit_test_setup_teardown(test_large_squares, setup, teardown),
    cmocka_unit_test_setup_teardown(test_estimates_out_of_range, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
