#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tui/cli/batch_progress.h"

static char *text;
static size_t bytes;

static struct batch_progress start(int columns, const char *what)
{
  return (struct batch_progress){
    .out = open_memstream(&text, &bytes), .what = what, .columns = columns, .started_ns = 1000000000
  };
}

static void end(struct batch_progress *progress)
{
  fclose(progress->out);
  free(text);
}

static void test_not_at_once(void **state)
{
  (void)state;
  struct batch_progress progress = start(80, "x.rpt");
  batch_progress_show(&progress, 0.1, 1100000000);
  fflush(progress.out);
  assert_int_equal(bytes, 0);
  batch_progress_show(&progress, 0.25, 1400000000);
  fflush(progress.out);
  assert_string_equal(text, "\rx.rpt [##########..............................]  25%");
  size_t before = bytes;
  batch_progress_show(&progress, 0.26, 1450000000);
  fflush(progress.out);
  assert_int_equal(bytes, before); /* ten times a second is enough */
  batch_progress_show(&progress, 7, 1600000000);
  fflush(progress.out);
  assert_non_null(strstr(text, "[########################################] 100%"));
  end(&progress);
}

static void test_any_width(void **state)
{
  (void)state;
  for (int columns = 1; columns < 200; columns++) {
    struct batch_progress progress = start(columns, "/a/rather/long/path/to/some/folder/rperf-top-4711-20261120.rpt");
    batch_progress_show(&progress, 0.5, 2000000000);
    fflush(progress.out);
    assert_in_range(bytes, 5, columns < 5 ? 5 : (size_t)columns);
    assert_non_null(strstr(text, "50%"));
    end(&progress);
  }
}

static void test_nowhere(void **state)
{
  (void)state;
  struct batch_progress progress = { .what = "x", .columns = 80 };
  batch_progress_show(&progress, 0.5, 2000000000);
  assert_true(progress.drawn_ns == 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_not_at_once),
    cmocka_unit_test(test_any_width),
    cmocka_unit_test(test_nowhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
