/* Where in the data watching starts. */
#include "tui/cli/batch_watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define MS INT64_C(1000000)

/* A window can be a second old; an older one may have another clock, as may one that is newer than now. */
static void test_from(void **state)
{
  (void)state;
  int64_t end_ns = 50000 * MS;
  assert_int_equal(batch_watch_from(end_ns, end_ns + 30 * MS, 100 * MS), end_ns);
  assert_int_equal(batch_watch_from(end_ns, end_ns + 100 * MS, 100 * MS), end_ns);
  assert_int_equal(batch_watch_from(end_ns, end_ns + 900 * MS, 100 * MS), end_ns + 800 * MS);
  assert_int_equal(batch_watch_from(end_ns, end_ns + 1100 * MS, 100 * MS), end_ns + 1000 * MS);
  assert_int_equal(batch_watch_from(end_ns, end_ns + 1101 * MS, 100 * MS), end_ns);
  assert_int_equal(batch_watch_from(end_ns, end_ns - 900 * MS, 100 * MS), end_ns);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_from),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
