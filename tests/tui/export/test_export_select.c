#include "tests/tui/export_fixture.h"

#include "tui/export/export_impl.h"
#include <locale.h>
#include <string.h>

static struct rtop_sum selected(struct report_fixture *fixture, const char *filter, bool invert, const char *thread)
{
  struct rtop_sum sum;
  struct rtop_symbols *symbols = rtop_profile_symbols(fixture->profile);
  struct rtop_methods_options options = { .filter = filter, .filter_invert = invert, .thread_filter = thread };
  assert_true(export_select(&sum, &fixture->report.sum, symbols, symbols, &options));
  return sum;
}

/* A stack passes when one of its methods matches; what is not taken is in no total. */
static void test_filters(void **state)
{
  (void)state;
  static const struct {
    const char *filter;
    bool invert;
    const char *thread;
    int64_t wall_ms;
  } cases[] = {
    { NULL, false, NULL, 400 },       { "Price", false, NULL, 200 }, { "Price", true, NULL, 200 },
    { "gsub", false, NULL, 50 },      { "gsub", true, NULL, 350 },   { "main", false, NULL, 400 },
    { "main", true, NULL, 0 },        { NULL, false, "t2", 200 },    { "gsub", false, "t2", 0 },
    { "p;r\\.rb", false, NULL, 200 }, { NULL, false, "nobody", 0 },
  };
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct rtop_sum sum = selected(&fixture, cases[i].filter, cases[i].invert, cases[i].thread);
    uint64_t cells_ns = 0, threads_ns = 0;
    for (size_t k = 0; k < sum.cell_count; k++) cells_ns += rtop_cost_wall(&sum.cells[k].cost);
    for (size_t k = 0; k < sum.thread_count; k++) threads_ns += rtop_cost_wall(&sum.threads[k].cost);
    assert_int_equal(rtop_cost_wall(&sum.total), cases[i].wall_ms * MS);
    assert_int_equal(cells_ns, cases[i].wall_ms * MS);
    assert_int_equal(threads_ns, cases[i].wall_ms * MS);
    rtop_sum_destroy(&sum);
  }
  report_fixture_destroy(&fixture);
}

static void test_hidden_threads_are_left_out(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  fixture.report.sum.threads[1].hidden = true;
  struct rtop_sum sum = selected(&fixture, NULL, false, NULL);
  assert_int_equal(rtop_cost_wall(&sum.total), 200 * MS);
  rtop_sum_destroy(&sum);
  report_fixture_destroy(&fixture);
}

/* Into symbols that number everything otherwise: the same stacks, the same costs, still in order. */
static void test_other_symbols(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  export_fixture_random(&fixture, 3, 3, 200);
  struct rtop_symbols *from = rtop_profile_symbols(fixture.profile), *to = rtop_symbols_create();
  struct rtop_methods_options options = { 0 };
  struct rtop_sum sum;
  uint64_t seed = 99;
  for (int i = 0; i < 200; i++) export_fixture_node(to, &seed);
  assert_true(export_select(&sum, &fixture.report.sum, from, to, &options));
  assert_int_equal(sum.cell_count, fixture.report.sum.cell_count);
  assert_memory_equal(&sum.total, &fixture.report.sum.total, sizeof sum.total);
  for (size_t i = 1; i < sum.cell_count; i++)
    assert_true(sum.cells[i - 1].thread < sum.cells[i].thread ||
                (sum.cells[i - 1].thread == sum.cells[i].thread && sum.cells[i - 1].node < sum.cells[i].node));
  struct rtop_methods before = { 0 }, after = { 0 };
  assert_true(rtop_methods_build(&before, &fixture.report.sum, from, &options));
  assert_true(rtop_methods_build(&after, &sum, to, &options));
  assert_int_equal(before.count, after.count);
  for (size_t i = 0; i < before.count; i++) {
    const struct rtop_symbol *a = rtop_symbols_get(from, before.rows[i].frame);
    const struct rtop_symbol *b = rtop_symbols_get(to, after.rows[i].frame);
    assert_string_equal(a->label, b->label);
    assert_string_equal(a->path, b->path);
    assert_memory_equal(&before.rows[i].self, &after.rows[i].self, sizeof before.rows[i].self);
    assert_memory_equal(&before.rows[i].total, &after.rows[i].total, sizeof before.rows[i].total);
  }
  rtop_methods_destroy(&before);
  rtop_methods_destroy(&after);
  rtop_sum_destroy(&sum);
  rtop_symbols_destroy(&to);
  report_fixture_destroy(&fixture);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_filters),
    cmocka_unit_test(test_hidden_threads_are_left_out),
    cmocka_unit_test(test_other_symbols),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
