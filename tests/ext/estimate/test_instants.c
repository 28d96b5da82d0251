#include "ext/estimate/instants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define PERIOD_NS INT64_C(1000000)

enum { TENTHS = 10, ROUNDS = 32000, FEW = 500, ALIKE = 16 };

static void expect_even(const int64_t *counts)
{
  for (int i = 0; i < TENTHS; i++) assert_in_range(counts[i], ROUNDS / TENTHS * 9 / 10, ROUNDS / TENTHS * 11 / 10);
}

static void test_distances_are_even_and_sixteen_are_alike(void **state)
{
  (void)state;
  struct instants instants = { 0 };
  int64_t begin = 123456789, now = begin, distances[TENTHS] = { 0 }, last = 0;
  instants_begin(&instants, begin, PERIOD_NS);
  assert_in_range(instants.next_ns - begin, 0, PERIOD_NS - 1);
  for (int i = 0; i < ROUNDS; i++) {
    now = instants.next_ns;
    assert_int_equal(instants_pass(&instants, now, PERIOD_NS, true), now);
    int64_t distance = instants.next_ns - now;
    assert_in_range(distance, PERIOD_NS * 3 / 4, PERIOD_NS * 5 / 4 - 1);
    if (i % ALIKE) assert_int_equal(distance, last);
    distances[(distance - PERIOD_NS * 3 / 4) * 2 * TENTHS / PERIOD_NS]++;
    last = distance;
  }
  for (int i = 0; i < TENTHS; i++) assert_in_range(distances[i], ROUNDS / TENTHS * 3 / 4, ROUNDS / TENTHS * 5 / 4);
  assert_in_range((now - begin) / ROUNDS, PERIOD_NS * 98 / 100, PERIOD_NS * 102 / 100);
  assert_int_equal(instants.passed, ROUNDS);
  assert_int_equal(instants.missed, 0);
}

/* A loop of one period, a half or two, or a little more: any tenth of it is met as if by chance, in few instants, too, and
 * none more often. (A period apart the same tenth would be met each time, and be off by 29 % in the mean.) */
static void test_a_program_in_step_is_met_anywhere(void **state)
{
  (void)state;
  static const int64_t loops_ns[] = { PERIOD_NS / 2, PERIOD_NS, PERIOD_NS * 101 / 100, PERIOD_NS * 5 / 4,
                                      PERIOD_NS * 2 };
  for (size_t loop = 0; loop < sizeof loops_ns / sizeof *loops_ns; loop++) {
    struct instants instants = { 0 };
    int64_t places[TENTHS] = { 0 }, first_tenth = 0, squares = 0;
    instants_begin(&instants, 123456789, PERIOD_NS);
    for (int i = 1; i <= ROUNDS; i++) {
      int64_t tenth = instants.next_ns % loops_ns[loop] * TENTHS / loops_ns[loop];
      places[tenth]++;
      first_tenth += tenth == 0;
      instants_pass(&instants, instants.next_ns, PERIOD_NS, true);
      if (i % FEW) continue;
      squares += (first_tenth - FEW / TENTHS) * (first_tenth - FEW / TENTHS);
      first_tenth = 0;
    }
    expect_even(places);
    assert_in_range(squares / (ROUNDS / FEW), 0, (FEW * 5 / 200) * (FEW * 5 / 200));
  }
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
  assert_in_range(instants.next_ns - now, PERIOD_NS * 3 / 4, PERIOD_NS * 5 / 4);
}

/* After a rest, however long, the instant is no nearer than any other: of distances of three quarters to five, whose square
 * is 49 / 48 in the mean, what is left is half of that in the mean. */
static void test_after_a_rest_it_is_not_met_at_once(void **state)
{
  (void)state;
  struct instants instants = { 0 };
  int64_t now = 0, sum = 0;
  instants_begin(&instants, now, PERIOD_NS);
  for (int i = 0; i < ROUNDS; i++) {
    now += (i % 2 ? 5 : 50000) * PERIOD_NS + 123457;
    instants_skip(&instants, now, PERIOD_NS);
    assert_in_range(instants.next_ns - now, 1, PERIOD_NS * 5 / 4);
    sum += instants.next_ns - now;
  }
  assert_in_range(sum / ROUNDS, PERIOD_NS * 49 / 96 * 98 / 100, PERIOD_NS * 49 / 96 * 102 / 100);
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
    cmocka_unit_test(test_distances_are_even_and_sixteen_are_alike),
    cmocka_unit_test(test_a_program_in_step_is_met_anywhere),
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
