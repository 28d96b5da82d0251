#include "ext/sampling/instants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define PERIOD_NS INT64_C(1000000)

enum { TENTHS = 10, ROUNDS = 20000 };

static void expect_even(const int64_t *counts)
{
  for (int i = 0; i < TENTHS; i++) assert_in_range(counts[i], ROUNDS / TENTHS * 9 / 10, ROUNDS / TENTHS * 11 / 10);
}

/* Wherever the last one stood: so a program that keeps step is met anywhere in its own period. */
static void test_the_next_one_stands_anywhere_in_a_period(void **state)
{
  (void)state;
  struct instants instants = { 0 };
  int64_t begin = 123456789, last = begin, distances[TENTHS] = { 0 }, places[TENTHS] = { 0 }, same = 0;
  instants_begin(&instants, begin, PERIOD_NS);
  assert_in_range(instants.next_ns - begin, 0, PERIOD_NS - 1);
  for (int i = 0; i < ROUNDS; i++) {
    int64_t now = instants.next_ns;
    assert_int_equal(instants_pass(&instants, now, PERIOD_NS, true), now);
    int64_t distance = instants.next_ns - now - PERIOD_NS / 2;
    assert_in_range(distance, 0, PERIOD_NS - 1);
    distances[distance * TENTHS / PERIOD_NS]++;
    int64_t tenth = (instants.next_ns - begin) % PERIOD_NS * TENTHS / PERIOD_NS;
    same += tenth == (now - begin) % PERIOD_NS * TENTHS / PERIOD_NS;
    places[tenth]++;
    last = instants.next_ns;
  }
  expect_even(distances);
  expect_even(places);
  assert_in_range(same, ROUNDS / TENTHS * 9 / 10, ROUNDS / TENTHS * 11 / 10);
  assert_in_range((last - begin) / ROUNDS, PERIOD_NS * 99 / 100, PERIOD_NS * 101 / 100);
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

static void test_instants_without_a_wake_up_are_missed(void **state)
{
  (void)state;
  struct instants instants = { 0 };
  for (int64_t periods = 5; periods < 500; periods *= 10) {
    uint64_t missed = 0;
    for (int i = 0; i < ROUNDS / 10; i++) {
      instants_begin(&instants, 0, PERIOD_NS);
      instants_pass(&instants, periods * PERIOD_NS, PERIOD_NS, false);
      assert_in_range(instants.next_ns, periods * PERIOD_NS + 1, (periods + 2) * PERIOD_NS);
      missed += instants.missed;
      assert_int_equal(instants.passed, instants.missed + 1);
      instants.passed = instants.missed = 0;
    }
    assert_in_range(missed * 100 / (ROUNDS / 10), periods * 100 - 110, periods * 100 - 85);
  }
}

static void test_a_shorter_period_counts_from_the_next_one(void **state)
{
  (void)state;
  struct instants instants = { 0 };
  instants_begin(&instants, 0, 10 * PERIOD_NS);
  int64_t now = instants.next_ns;
  instants_pass(&instants, now, PERIOD_NS, true);
  assert_int_equal(instants.missed, 0);
  assert_in_range(instants.next_ns - now, PERIOD_NS / 2, PERIOD_NS * 3 / 2);
}

/* After a rest, however long, the instant is no nearer than any other: of distances of a half to one and a half, whose square
 * is 13 / 12 in the mean, what is left is half of that in the mean. */
static void test_after_a_rest_it_is_not_met_at_once(void **state)
{
  (void)state;
  struct instants instants = { 0 };
  int64_t now = 0, sum = 0;
  instants_begin(&instants, now, PERIOD_NS);
  for (int i = 0; i < ROUNDS; i++) {
    now += (i % 2 ? 5 : 50000) * PERIOD_NS + 123457;
    instants_skip(&instants, now, PERIOD_NS);
    assert_in_range(instants.next_ns - now, 1, PERIOD_NS * 3 / 2);
    sum += instants.next_ns - now;
  }
  assert_in_range(sum / ROUNDS, PERIOD_NS * 13 / 24 * 98 / 100, PERIOD_NS * 13 / 24 * 102 / 100);
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
    cmocka_unit_test(test_the_next_one_stands_anywhere_in_a_period),
    cmocka_unit_test(test_a_late_wake_up_counts_as_a_usual_one_or_not_at_all),
    cmocka_unit_test(test_what_is_usual_is_learnt_soon),
    cmocka_unit_test(test_instants_without_a_wake_up_are_missed),
    cmocka_unit_test(test_a_shorter_period_counts_from_the_next_one),
    cmocka_unit_test(test_after_a_rest_it_is_not_met_at_once),
    cmocka_unit_test(test_a_tick_is_due_once_in_the_stretch_that_it_fell_into),
    cmocka_unit_test(test_a_tick_that_comes_meanwhile_does_not_hide_those_before),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
