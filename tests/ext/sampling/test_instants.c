#include "ext/sampling/instants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define PERIOD_NS INT64_C(1000000)

enum { TENTHS = 10, ROUNDS = 20000 };

static void test_one_stands_in_each_period_anywhere_in_it(void **state)
{
  (void)state;
  struct instants instants = { 0 };
  int64_t begin = 123456789, tenths[TENTHS] = { 0 };
  instants_begin(&instants, begin, PERIOD_NS);
  for (int64_t i = 0; i < ROUNDS; i++) {
    int64_t place = instants.next_ns - begin - i * PERIOD_NS;
    assert_in_range(place, 0, PERIOD_NS - 1);
    tenths[place * TENTHS / PERIOD_NS]++;
    assert_int_equal(instants_pass(&instants, instants.next_ns, PERIOD_NS, true), begin + i * PERIOD_NS + place);
  }
  for (int i = 0; i < TENTHS; i++) assert_in_range(tenths[i], ROUNDS / TENTHS * 9 / 10, ROUNDS / TENTHS * 11 / 10);
  assert_int_equal(instants.passed, ROUNDS);
  assert_int_equal(instants.missed, 0);
}

/* Delays of 20, 30, mostly 40, 80 and 400 us in turn: the usual one is that of most, what comes much later tells nothing. */
static void test_a_late_wake_up_counts_as_a_usual_one_or_not_at_all(void **state)
{
  (void)state;
  static const int64_t delays_ns[] = { 20000, 30000, 40000, 40000, 40000, 40000, 80000, 400000 };
  enum { DELAYS = sizeof delays_ns / sizeof *delays_ns };
  struct instants instants = { 0 };
  instants_begin(&instants, 1, 100 * PERIOD_NS);
  for (int i = 0; i < ROUNDS; i++) {
    int64_t planned = instants.next_ns, delay = delays_ns[i % DELAYS];
    int64_t instant = instants_pass(&instants, planned + delay, 100 * PERIOD_NS, true),
            met = instant ? instant - planned : 0;
    assert_in_range(met, 0, delay);
    if (i < 1000) continue;
    if (delay <= 40000) assert_int_equal(met, delay);
    else if (delay == 80000) assert_in_range(met, 40000, 60000);
    else assert_int_equal(instant, 0);
  }
  assert_in_range(instants.missed, ROUNDS / DELAYS - 1000 / DELAYS, ROUNDS / DELAYS + ROUNDS / 200);
}

/* A machine that wakes up late from the start, or from some moment on, is met late: not at instants that have passed by
 * then, at which nothing short still runs. */
static void test_what_is_usual_is_learnt_soon(void **state)
{
  (void)state;
  struct instants instants = { 0 };
  int followed = 0;
  instants_begin(&instants, 1, 10 * PERIOD_NS);
  for (int i = 0; i < 200; i++) {
    int64_t planned = instants.next_ns, delay = i < 100 ? 300000 + i % 7 : 900000 + i % 7;
    followed += instants_pass(&instants, planned + delay, 10 * PERIOD_NS, true) - planned >= delay - 7;
  }
  assert_in_range(followed, 170, 200);
}

static void test_periods_without_a_wake_up_are_missed(void **state)
{
  (void)state;
  struct instants instants = { 0 };
  instants_begin(&instants, 0, PERIOD_NS);
  instants_pass(&instants, 5 * PERIOD_NS + 7, PERIOD_NS, true);
  assert_int_equal(instants.passed, 6);
  assert_int_equal(instants.missed, 5);
  assert_in_range(instants.next_ns, 6 * PERIOD_NS, 7 * PERIOD_NS - 1);
}

static void test_a_shorter_period_begins_after_the_one_that_is_open(void **state)
{
  (void)state;
  struct instants instants = { 0 };
  instants_begin(&instants, 0, 10 * PERIOD_NS);
  instants_pass(&instants, 10 * PERIOD_NS - 1, PERIOD_NS, true);
  assert_int_equal(instants.missed, 0);
  assert_in_range(instants.next_ns, 10 * PERIOD_NS, 11 * PERIOD_NS - 1);
}

/* After a rest the instant is no nearer than any other: its mean distance is half a period. */
static void test_after_a_rest_it_is_not_met_at_once(void **state)
{
  (void)state;
  struct instants instants = { 0 };
  int64_t now = 0, sum = 0;
  instants_begin(&instants, now, PERIOD_NS);
  for (int i = 0; i < ROUNDS; i++) {
    now += 50 * PERIOD_NS + 123457;
    instants_skip(&instants, now, PERIOD_NS);
    assert_in_range(instants.next_ns - now, 1, 2 * PERIOD_NS);
    sum += instants.next_ns - now;
  }
  assert_in_range(sum / ROUNDS, PERIOD_NS / 2, PERIOD_NS);
  assert_int_equal(instants.passed + instants.missed, 0);
}

static void test_a_tick_is_due_once_in_the_stretch_that_it_fell_into(void **state)
{
  (void)state;
  struct ticks ticks = { 0 };
  assert_true(ticks_all_served(&ticks));
  ticks_set(&ticks, 1000);
  assert_false(ticks_all_served(&ticks));
  assert_int_equal(ticks_due(&ticks, 500, 1500), 1000);
  assert_int_equal(ticks_due(&ticks, 1000, 1500), 0);
  ticks_set(&ticks, 2000);
  ticks_set(&ticks, 3000);
  assert_int_equal(ticks.first_ns, 1000);
  assert_int_equal(ticks_due(&ticks, 500, 3500), 3000);
  ticks_serve(&ticks);
  assert_int_equal(ticks_due(&ticks, 500, 3500), 0);
  ticks_set(&ticks, 4000);
  assert_int_equal(ticks.first_ns, 4000);
}

/* The job reads its clock, and another tick comes: what has run until then is told all the same. */
static void test_a_tick_that_comes_meanwhile_does_not_hide_those_before(void **state)
{
  (void)state;
  struct ticks ticks = { 0 };
  ticks_set(&ticks, 1000);
  ticks_set(&ticks, 2000);
  ticks_set(&ticks, 3000);
  assert_int_equal(ticks_until(&ticks, 2999), 2000);
  assert_int_equal(ticks_due(&ticks, 500, 2999), 2000);
  assert_int_equal(ticks_due(&ticks, 2500, 2999), 0);
  ticks_serve(&ticks);
  ticks_set(&ticks, 4000);
  assert_int_equal(ticks_due(&ticks, 500, 3999), 0);
  assert_int_equal(ticks_due(&ticks, 500, 4000), 4000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_one_stands_in_each_period_anywhere_in_it),
    cmocka_unit_test(test_a_late_wake_up_counts_as_a_usual_one_or_not_at_all),
    cmocka_unit_test(test_what_is_usual_is_learnt_soon),
    cmocka_unit_test(test_periods_without_a_wake_up_are_missed),
    cmocka_unit_test(test_a_shorter_period_begins_after_the_one_that_is_open),
    cmocka_unit_test(test_after_a_rest_it_is_not_met_at_once),
    cmocka_unit_test(test_a_tick_is_due_once_in_the_stretch_that_it_fell_into),
    cmocka_unit_test(test_a_tick_that_comes_meanwhile_does_not_hide_those_before),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
