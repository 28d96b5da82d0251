/* Advice: only where arithmetic shows it, on both sides of each bound; its words. */
#include "tui/verdict/verdict_advice.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct verdict_advice of_threads(double held, double off, unsigned at_work)
{
  const struct verdict_figures figures = { .held = held, .off = off, .at_work = at_work };
  return verdict_advice_of(&figures);
}

static void check_enough(double held, double off, unsigned at_work, unsigned enough)
{
  struct verdict_advice advice = of_threads(held, off, at_work);
  assert_int_equal(advice.kind, enough ? VERDICT_FEWER_THREADS : VERDICT_NO_ADVICE);
  assert_int_equal(advice.enough, enough);
}

/* One thread more than keep the GVL held, and at least two fewer than there are. */
static void test_threads(void **state)
{
  (void)state;
  check_enough(1, 0, 8, 2);
  check_enough(1, 0, 4, 2);
  check_enough(1, 0.09, 4, 2);
  check_enough(1, 0.11, 5, 3);
  check_enough(1, 0, 3, 0);
  check_enough(1, 1, 8, 3);
  check_enough(0.9, 0.9, 5, 3);
  check_enough(0.9, 1, 8, 4);
  check_enough(0.9, 1, 5, 0);
  check_enough(0.89, 0, 8, 0);
  check_enough(1, 7, 8, 0);
  check_enough(0.95, 0, 0, 0);
  struct verdict_figures unlike = { .held = 1, .at_work = 8, .one_holds = true };
  assert_int_equal(verdict_advice_of(&unlike).kind, VERDICT_NO_ADVICE);
}

static struct verdict_advice of_pool(double held, unsigned waiters, double blocked)
{
  const struct verdict_figures figures = {
    .held = held, .at_work = 8, .off = 7, .pool = true, .waiters = waiters, .pool_blocked = blocked
  };
  return verdict_advice_of(&figures);
}

static void test_pool(void **state)
{
  (void)state;
  assert_int_equal(of_pool(0.3, 6, 2.4).kind, VERDICT_LARGER_POOL);
  assert_int_equal(of_pool(0.7, 6, 2.4).kind, VERDICT_LARGER_POOL);
  assert_int_equal(of_pool(0.71, 6, 2.4).kind, VERDICT_NO_ADVICE); /* the GVL would be next */
  assert_int_equal(of_pool(0.3, 6, 1.1).kind, VERDICT_NO_ADVICE);  /* waits are short */
  assert_int_equal(of_pool(0.3, 1, 0.9).kind, VERDICT_NO_ADVICE);
  struct verdict_figures none = { .held = 0.3, .at_work = 8, .off = 7, .waiters = 6, .pool_blocked = 3 };
  assert_int_equal(verdict_advice_of(&none).kind, VERDICT_NO_ADVICE);
}

static void test_words(void **state)
{
  char text[VERDICT_ADVICE_TEXT], little[9];
  struct verdict_advice advice = of_threads(0.92, 0.92, 8);
  (void)state;
  verdict_advice_words(text, sizeof text, &advice);
  assert_string_equal(text,
                      "3 threads would do the work of these 8: the GVL is held 92% of the time, and for each second "
                      "with it the threads work 1.0 s without it. More threads only wait longer; another process "
                      "has a GVL of its own.");
  verdict_advice_words(little, sizeof little, &advice);
  assert_string_equal(little, "3 thread");
  advice = of_pool(0.3, 6, 2.4);
  verdict_advice_words(text, sizeof text, &advice);
  assert_string_equal(text, "The pool of connections is the limit: 6 threads wait for one, each for 40% of the time, "
                            "while the GVL is held only 30%. A larger pool lets them work, if the server behind it can "
                            "serve more at a time.");
  advice = of_threads(0.5, 0, 8);
  verdict_advice_words(text, sizeof text, &advice);
  assert_string_equal(text, "");
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_threads), cmocka_unit_test(test_pool),
                                      cmocka_unit_test(test_words) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
