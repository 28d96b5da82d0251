/* When the agent takes too much, and when it may try again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tui/metrics/metrics_budget.h"

#define SECOND INT64_C(1000000000)

/* Looks every two seconds, at so much of a core; returns after how many seconds that changed, 0: never. */
static int run(struct metrics_budget *budget, int64_t *now_ns, int64_t *cpu_ns, int seconds, double share)
{
  for (int passed = 2; passed <= seconds; passed += 2) {
    *now_ns += 2 * SECOND;
    *cpu_ns += (int64_t)(2e9 * share);
    if (metrics_budget_look(budget, *now_ns, *cpu_ns)) return passed;
  }
  return 0;
}

static void test_below_it_stays(void **state)
{
  (void)state;
  struct metrics_budget budget = { 0 };
  int64_t now_ns = 77 * SECOND, cpu_ns = 3 * SECOND; /* it took long to begin */
  assert_false(metrics_budget_look(&budget, now_ns, cpu_ns));
  assert_int_equal(run(&budget, &now_ns, &cpu_ns, 3600, 0.017), 0);
  assert_false(budget.saves);
}

static void test_a_peak_is_nothing(void **state)
{
  (void)state;
  struct metrics_budget budget = { 0 };
  int64_t now_ns = SECOND, cpu_ns = 0;
  metrics_budget_look(&budget, now_ns, cpu_ns);
  for (int i = 0; i < 20; i++) {
    assert_int_equal(run(&budget, &now_ns, &cpu_ns, 16, 0.05), 0);
    assert_int_equal(run(&budget, &now_ns, &cpu_ns, 16, 0.001), 0);
  }
}

static void test_too_much_saves_for_a_while(void **state)
{
  (void)state;
  struct metrics_budget budget = { 0 };
  int64_t now_ns = SECOND, cpu_ns = 0;
  metrics_budget_look(&budget, now_ns, cpu_ns);
  assert_in_range(run(&budget, &now_ns, &cpu_ns, 60, 0.025), 2 * METRICS_BUDGET_LOOK_S, 2 * METRICS_BUDGET_LOOK_S + 4);
  assert_true(budget.saves);
  assert_in_range(run(&budget, &now_ns, &cpu_ns, 700, 0.004), METRICS_BUDGET_SAVES_S, METRICS_BUDGET_SAVES_S + 20);
  assert_false(budget.saves);
  assert_in_range(run(&budget, &now_ns, &cpu_ns, 60, 0.025), 2 * METRICS_BUDGET_LOOK_S, 2 * METRICS_BUDGET_LOOK_S + 4);
  assert_true(budget.saves);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_below_it_stays),
    cmocka_unit_test(test_a_peak_is_nothing),
    cmocka_unit_test(test_too_much_saves_for_a_while),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
