#include "tests/tui/export_fixture.h"

#include <locale.h>

static void test_text(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  char *text = export_fixture_text(&fixture, RTOP_FILE_TEXT);
  assert_non_null(strstr(text, "process 4711: ruby m.rb\n"));
  assert_non_null(strstr(text, "0.150 running, 0.020 waiting for the GVL, 0.220 blocked, 0.010 marking"));
  char *flat = strstr(text, "Flat, by self: 3 of 3");
  char *cumulative = strstr(text, "Cumulative, by total: 3 of 3");
  assert_true(flat && cumulative && flat < cumulative);
  assert_non_null(strstr(flat, "    0.150  37.5%     0.200  50.0%     0.090     0.000     0.000"
                               "  Price#total"));
  assert_true(strstr(cumulative, "<main>") < strstr(cumulative, "Price#total"));
  assert_true(strstr(cumulative, "Price#total") < strstr(cumulative, "String#gsub"));
  free(text);
  report_fixture_destroy(&fixture);
}

static void test_difference(void **state)
{
  (void)state;
  char *text = export_fixture_difference(RTOP_FILE_TEXT);
  assert_non_null(strstr(text, "compared with 0.100 s before:\n"));
  char *flat = strstr(text, "Flat, by change of self: 3 of 3");
  assert_non_null(flat);
  /* 100 ms of 200 before, 200 of 400 now: half and half */
  assert_non_null(strstr(flat, "    0.100     0.200  50.0%  50.0%     +0.0  <main>"));
  assert_non_null(strstr(flat, "    0.100     0.150  50.0%  37.5%    -12.5  Price#total"));
  assert_non_null(strstr(flat, "    0.000     0.050   0.0%  12.5%    +12.5  String#gsub"));
  assert_true(strstr(flat, "Price#total") < strstr(flat, "<main>"));
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_text),
    cmocka_unit_test(test_difference),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
