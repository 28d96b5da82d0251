/* Golden screens of all calls in the place of samples. */
#include "tests/tui/screen_fixture.h"

static const struct screen_case cases[] = {
  { .name = "calls-80x24", .rows = 24, .columns = 80, .dead = true, .header = true, .keys = KEYS('T') },
  { .name = "calls-160x50", .rows = 50, .columns = 160, .dead = true, .header = true, .keys = KEYS('T') },
  { .name = "calls-40x10", .rows = 10, .columns = 40, .dead = true, .header = true, .keys = KEYS('T') },
  { .name = "calls-no-header", .rows = 24, .columns = 80, .dead = true, .header = true, .keys = KEYS('T', '#') },
  { .name = "calls-percent", .rows = 24, .columns = 80, .dead = true, .keys = KEYS('T', '%') },
  { .name = "calls-detail", .rows = 24, .columns = 80, .dead = true, .keys = KEYS('T', 'j', 'D') },
  { .name = "calls-tree-80x24", .rows = 24, .columns = 80, .dead = true, .keys = KEYS('T', '2', 'E') },
  { .name = "calls-tree-160x50", .rows = 50, .columns = 160, .dead = true, .keys = KEYS('T', '2', 'E') },
  { .name = "calls-tree-40x10", .rows = 10, .columns = 40, .dead = true, .keys = KEYS('T', '2', 'E') },
  { .name = "calls-callers", .rows = 24, .columns = 80, .dead = true, .keys = KEYS('T', '2', 'i') },
  { .name = "calls-groups-80x24", .rows = 24, .columns = 80, .dead = true, .keys = KEYS('T', '8', 'v', 'E') },
  { .name = "calls-groups-160x50", .rows = 50, .columns = 160, .dead = true, .keys = KEYS('T', '8', 'v', 'E') },
  { .name = "calls-icicle", .rows = 24, .columns = 80, .dead = true, .keys = KEYS('T', '4') },
};

static void test_calls(void **state)
{
  open_case(*state, model_calls_profile());
  close_and_check(*state);
}

int main(void)
{
  enum { COUNT = sizeof cases / sizeof cases[0] };
  struct CMUnitTest tests[COUNT];
  add_cases(tests, cases, COUNT, test_calls);
  return _cmocka_run_group_tests("calls", tests, COUNT, NULL, NULL);
}
