#include "tests/tui/export_fixture.h"

#include <locale.h>

static void test_collapsed(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  char *text = export_fixture_text(&fixture, RTOP_FILE_COLLAPSED);
  assert_string_equal(text, "<main> 200000\n"
                            "<main>;Price#total 150000\n"
                            "<main>;Price#total;String#gsub 50000\n");
  free(text);
  fixture.options.mode = RTOP_MODE_CPU;
  text = export_fixture_text(&fixture, RTOP_FILE_COLLAPSED);
  assert_string_equal(text, "<main>;Price#total 90000\n");
  free(text);
  report_fixture_destroy(&fixture);
}

/* Stacks that differ only in lines are one; ';' in a name would part it in two. */
static void test_collapsed_merges_lines(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  struct rtop_symbols *symbols = rtop_profile_symbols(fixture.profile);
  uint32_t outer = fixture_frame(symbols, "out;er", "/x.rb", 1);
  uint32_t inner = fixture_frame(symbols, "in\ner", "/x.rb", 2);
  fixture_window(&fixture.window, 1200 * MS, 1300 * MS);
  uint32_t thread = fixture_thread(&fixture.window, 1, RTOP_RUNNING, 0, 0);
  for (uint32_t line = 1; line <= 10; line++) {
    uint32_t node = rtop_symbols_node(symbols, rtop_symbols_node(symbols, 0, outer, line % 3), inner, line);
    fixture_cell(&fixture.window, thread, node, RTOP_RUNNING, 10 * MS + 100); /* 0.1 us are not lost */
  }
  fixture_add(fixture.profile, 0, &fixture.window);
  report_fixture_take(&fixture);
  char *text = export_fixture_text(&fixture, RTOP_FILE_COLLAPSED);
  assert_non_null(strstr(text, "out:er;in?er 100001\n"));
  assert_null(strstr(strstr(text, "out:er") + 1, "out:er"));
  free(text);
  report_fixture_destroy(&fixture);
}

/* Both sides of every stack, as difffolded.pl writes them; also of another profile with other ids. */
static void test_difference(void **state)
{
  (void)state;
  struct report_fixture fixture, other;
  struct rtop_sum before = { 0 };
  report_fixture_setup(&fixture);
  assert_true(rtop_profile_sum(fixture.profile, fixture_span(1000 * MS, 1100 * MS), &before));
  struct rtop_export given = export_fixture_given(&fixture);
  given.baseline = &before;
  struct export_text text = export_fixture_take(&given, RTOP_FILE_COLLAPSED, false);
  assert_string_equal(text.bytes, "<main> 100000 200000\n"
                                  "<main>;Price#total 100000 150000\n"
                                  "<main>;Price#total;String#gsub 0 50000\n");
  free(text.bytes);
  rtop_sum_destroy(&before);

  report_fixture_setup(&other);
  struct rtop_symbols *symbols = rtop_profile_symbols(other.profile);
  uint32_t gone = rtop_symbols_node(symbols, 0, fixture_frame(symbols, "gone", "", 0), 0);
  fixture_window(&other.window, 1200 * MS, 1300 * MS);
  fixture_cell(&other.window, fixture_thread(&other.window, 1, RTOP_RUNNING, 0, 0), gone, RTOP_RUNNING, 9 * MS);
  fixture_add(other.profile, 0, &other.window);
  report_fixture_take(&other);
  given.baseline = &other.report.sum;
  given.baseline_symbols = symbols;
  text = export_fixture_take(&given, RTOP_FILE_COLLAPSED, false);
  assert_non_null(strstr(text.bytes, "<main>;Price#total;String#gsub 50000 50000\n"));
  assert_non_null(strstr(text.bytes, "gone 9000 0\n"));
  free(text.bytes);
  report_fixture_destroy(&other);
  report_fixture_destroy(&fixture);
}

/* All lines together are the sum, to within what rounding each of them can do. */
static void check_random(struct report_fixture *fixture, uint64_t seed)
{
  (void)seed;
  char *text = export_fixture_text(fixture, RTOP_FILE_COLLAPSED), *rest = text, *line;
  uint64_t total_us = 0, lines = 0, wall_us = rtop_cost_wall(&fixture->report.sum.total) / 1000;
  while ((line = strsep(&rest, "\n")) && *line) {
    const char *number = strrchr(line, ' ');
    assert_non_null(number);
    total_us += strtoull(number + 1, NULL, 10);
    lines++;
  }
  assert_true(total_us <= wall_us + lines && wall_us <= total_us + lines);
  free(text);
}

static void test_random(void **state)
{
  (void)state;
  export_fixture_each_random(check_random);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_collapsed),
    cmocka_unit_test(test_collapsed_merges_lines),
    cmocka_unit_test(test_difference),
    cmocka_unit_test(test_random),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
