#include "report_fixture.h"

#include <locale.h>
#include <stdlib.h>

static void test_batch_text(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  for (int columns = 40; columns <= 160; columns += 40) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    rtop_report_write_text(&fixture.report, out, columns);
    fclose(out);
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "SELF%v"));
    assert_non_null(strstr(text, "   75.0   100.0    0.0"));
    assert_non_null(strstr(text, "[live]"));
    assert_non_null(strstr(text, "  storm: 200 GVL releases timed by ticks\n"));
    assert_string_equal(text + bytes - 2, "\n\n");
    char *table = strstr(text, "  SELF%");
    for (char *line = strtok(table, "\n"); line && columns >= 80; line = strtok(NULL, "\n"))
      assert_true((int)strlen(line) <= columns);
    free(text);
  }
  report_fixture_destroy(&fixture);
}

static void test_how_it_ended(void **state)
{
  (void)state;
  struct report_fixture fixture;
  char *text = NULL;
  size_t bytes = 0;
  setenv("TZ", "UTC", 1);
  report_fixture_setup(&fixture);
  fixture.report.state = RTOP_FEED_DEAD;
  fixture.report.has_end = true;
  fixture.report.end = (struct rtop_feed_end){
    .cause = "memory", .text = "killed: out of memory", .real_ns = INT64_C(1763600000250000000),
    .lived_ns = INT64_C(12500000000)};
  FILE *out = open_memstream(&text, &bytes);
  rtop_report_write_text(&fixture.report, out, 100);
  fclose(out);
  assert_non_null(strstr(text, "[dead]\nEND killed: out of memory  last window 2025-11-20 00:53:20, after 12.5 s\n"));
  free(text);
  report_fixture_destroy(&fixture);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_batch_text),
    cmocka_unit_test(test_how_it_ended),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
