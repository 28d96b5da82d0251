#include "ext/sampling/strata.h"

#include "ext/base/draw.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define MS INT64_C(1000000)

enum { IDLE = 10, QUERY = 11, LONG = 20, SHORT = 21, NODES = 30 };

static void test_a_kind_is_what_lies_between_two_waits(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  uint32_t there = strata_find(&strata, strata_key(IDLE, QUERY, MS), 1);
  uint32_t back = strata_find(&strata, strata_key(QUERY, IDLE, MS), 1);
  assert_int_not_equal(there, back);
  assert_int_equal(strata_find(&strata, strata_key(IDLE, QUERY, 1000), 2), there);
  assert_int_equal(strata_find(&strata, strata_key(QUERY, IDLE, 20 * MS), 2), back);
}

/* They may end anywhere: where the VM switches threads. */
static void test_long_stretches_are_of_one_kind(void **state)
{
  (void)state;
  assert_true(strata_key(IDLE, QUERY, STRATA_LONG_NS + 1) == strata_key(7, 8, 10 * STRATA_LONG_NS));
}

static void test_more_kinds_than_places_share_them(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  int users[STRATA_COUNT] = { 0 };
  for (uint32_t i = 0; i < 1000; i++) {
    uint64_t key = strata_key(i, 2 * i, MS);
    uint32_t id = strata_find(&strata, key, 1);
    assert_in_range(id, 0, STRATA_COUNT - 1);
    assert_int_equal(strata_find(&strata, key, 2), id);
    users[id]++;
  }
  for (int id = 0; id < STRATA_COUNT; id++) assert_in_range(users[id], 20, 120);
}

/* A server that came up has other kinds than while it did. */
static void test_a_kind_not_seen_for_long_gives_its_place_up(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  for (uint32_t i = 0; i < 1000; i++) strata_find(&strata, strata_key(i, i, MS), 1);
  uint32_t ids[2];
  for (uint32_t i = 0; i < 2; i++) {
    uint64_t key = strata_key(IDLE + i, QUERY, MS);
    ids[i] = strata_find(&strata, key, 60000 * MS);
    assert_true(strata.entries[ids[i]].key == key);
    assert_int_equal(strata_find(&strata, key, 60001 * MS), ids[i]);
  }
  assert_int_not_equal(ids[0], ids[1]);
}

static void test_what_is_not_met_for_long_is_like_what_was_met_last(void **state)
{
  (void)state;
  struct stratum stratum = { .fallback = 42 };
  stratum_wait(&stratum, STRATA_PERIODS_MAX * MS);
  assert_int_equal(stratum_overdue(&stratum, MS), 0);
  stratum_wait(&stratum, 1);
  assert_int_equal(stratum_overdue(&stratum, MS), 42);
  stratum_set(&stratum, 7);
  assert_int_equal(stratum_overdue(&stratum, MS), 0);
  stratum_wait(&stratum, 2 * STRATA_PERIODS_MAX * MS);
  assert_int_equal(stratum_overdue(&stratum, MS), 7);
}

/* Time since the last point of its kind, and the kind's own node when a tick meets it. */
static void run_stretch(struct strata *strata, uint64_t key, int64_t length, bool met, uint32_t node, int64_t shown[])
{
  struct stratum *stratum = &strata->entries[strata_find(strata, key, 1)];
  stratum_wait(stratum, length);
  if (!met) return;
  shown[node] += stratum->waiting_ns;
  stratum_set(stratum, node);
}

/* Ticks meet one in four of the long stretches, and one in two hundred of those that are a third as long. */
static void test_ticks_that_are_not_fair_between_kinds(void **state)
{
  (void)state;
  static const uint32_t ends[2] = { QUERY, IDLE };
  for (int kinds = 1; kinds <= 2; kinds++) {
    struct strata strata = { 0 };
    int64_t shown[NODES] = { 0 };
    uint32_t random = 4711;
    for (int i = 0; i < 200000; i++) {
      bool met_long = draw_ns(&random, 0, 1000) < 250, met_short = draw_ns(&random, 0, 1000) < 5;
      run_stretch(&strata, strata_key(1, ends[0], MS), 300000, met_long, LONG, shown);
      run_stretch(&strata, strata_key(1, ends[kinds - 1], MS), 100000, met_short, SHORT, shown);
    }
    double share = (double)shown[SHORT] / (double)(shown[SHORT] + shown[LONG]);
    if (kinds == 1) assert_true(share < 0.05); /* what it would be without kinds */
    else assert_true(share > 0.2475 && share < 0.2525);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_kind_is_what_lies_between_two_waits),
    cmocka_unit_test(test_long_stretches_are_of_one_kind),
    cmocka_unit_test(test_more_kinds_than_places_share_them),
    cmocka_unit_test(test_a_kind_not_seen_for_long_gives_its_place_up),
    cmocka_unit_test(test_what_is_not_met_for_long_is_like_what_was_met_last),
    cmocka_unit_test(test_ticks_that_are_not_fair_between_kinds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
