#include "ext/estimate/strata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define MS INT64_C(1000000)
#define WINDOW_NS (100 * MS)
#define PERIOD_NS MS

/* So that a kind has STRATA_MET_PER_S instants a second. */
#define ENOUGH_NS (STRATA_MET_PER_S * PERIOD_NS / 10)

enum { IDLE = 10, QUERY = 11, NODE = 20 };

enum { OFTEN = STRATA_ENDS_PER_S / 10 };

/* Of stretches of a millisecond. */
static uint64_t key_of(uint32_t begin_node, uint32_t end_node)
{
  return strata_key(begin_node, end_node, MS);
}

/* Where the time of a stretch of this kind waits. */
static uint32_t end_in_stratum(struct strata *strata, uint64_t key, int64_t length_ns)
{
  return strata_of_kind(strata, strata_end(strata, key, length_ns));
}

static void run_often(struct strata *strata, uint64_t key, int64_t wall_ns)
{
  for (int i = 0; i < OFTEN; i++) strata_end(strata, key, wall_ns / OFTEN + 1);
}

static uint32_t run_window(struct strata *strata, uint64_t key, int64_t wall_ns)
{
  run_often(strata, key, wall_ns);
  strata_window_ends(strata, WINDOW_NS, PERIOD_NS, 1);
  return end_in_stratum(strata, key, 0);
}

static void test_a_kind_is_what_lies_between_two_waits(void **state)
{
  (void)state;
  assert_false(key_of(IDLE, QUERY) == key_of(QUERY, IDLE));
  assert_false(key_of(0, 0) == 0);
  struct strata strata = { 0 };
  run_often(&strata, key_of(IDLE, QUERY), ENOUGH_NS);
  uint32_t back = run_window(&strata, key_of(QUERY, IDLE), ENOUGH_NS);
  uint32_t there = end_in_stratum(&strata, key_of(IDLE, QUERY), 0);
  assert_int_not_equal(there, 0);
  assert_int_not_equal(back, 0);
  assert_int_not_equal(there, back);
}

/* Of the shortest ones instants miss most, in a storm most of all, where stacks are not taken. */
static void test_stretches_between_unknown_waits_are_told_apart_by_their_length(void **state)
{
  (void)state;
  static const int64_t lengths[] = { 500, 30000, MS, 15 * MS };
  for (int i = 0; i < 4; i++) {
    assert_true(strata_key(0, 0, lengths[i]) == strata_key(0, 0, lengths[i] + lengths[i] / 10));
    assert_false(strata_key(0, 0, lengths[i]) == strata_key(0, 1, lengths[i]));
    for (int j = 0; j < i; j++) assert_false(strata_key(0, 0, lengths[i]) == strata_key(0, 0, lengths[j]));
  }
  assert_true(strata_key(IDLE, 0, 500) == strata_key(IDLE, 0, MS));
  assert_true(strata_key(IDLE, QUERY, 500) == strata_key(IDLE, QUERY, MS));
}

static void test_a_kind_has_its_own_stratum_while_it_runs_enough(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  uint64_t key = key_of(IDLE, QUERY);
  assert_int_equal(end_in_stratum(&strata, key, 0), 0);
  assert_int_equal(run_window(&strata, key, ENOUGH_NS - 2 * OFTEN), 0);
  uint32_t own = 0;
  for (int i = 0; i < 40 && !own; i++) own = run_window(&strata, key, ENOUGH_NS + ENOUGH_NS / 10);
  assert_int_not_equal(own, 0);
  for (int i = 0; i < 100; i++) assert_int_equal(run_window(&strata, key, ENOUGH_NS * 3 / 4), own);
  for (int i = 0; i < 40 && own; i++) own = run_window(&strata, key, ENOUGH_NS / 4);
  assert_int_equal(own, 0);
}

/* Its time is like what runs next. */
static void test_what_comes_seldom_has_no_stratum_however_long_it_is(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  for (int i = 0; i < 40; i++) {
    strata_end(&strata, key_of(IDLE, QUERY), 20 * ENOUGH_NS);
    strata_window_ends(&strata, WINDOW_NS, PERIOD_NS, 1);
    assert_int_equal(end_in_stratum(&strata, key_of(IDLE, QUERY), 0), 0);
  }
}

/* At a tenth of the rate it takes ten times as much. */
static void test_what_is_enough_goes_by_the_rate(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  uint64_t key = key_of(IDLE, QUERY);
  for (int i = 0; i < 40; i++) {
    run_often(&strata, key, 9 * ENOUGH_NS);
    strata_window_ends(&strata, WINDOW_NS, 10 * PERIOD_NS, 1);
  }
  assert_int_equal(end_in_stratum(&strata, key, 0), 0);
}

/* A server that came up has other kinds than while it did; and kinds of one stretch each must not keep others out. */
static void test_what_hardly_runs_gives_its_stratum_up(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  uint32_t own = 0;
  for (uint32_t window = 0; window < 200; window++) {
    for (uint32_t i = 0; i < 100; i++) strata_end(&strata, key_of(1000 + 100 * window + i, i), 100);
    own = run_window(&strata, key_of(IDLE, QUERY), 2 * ENOUGH_NS);
  }
  assert_int_not_equal(own, 0);
}

/* More kinds than there are strata: those that have none share stratum 0. */
static void test_kinds_without_a_stratum_share_one(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  for (uint32_t i = 0; i < 2 * STRATA_KINDS; i++) run_often(&strata, key_of(i, i), ENOUGH_NS);
  strata_window_ends(&strata, WINDOW_NS, PERIOD_NS, 1);
  bool used[STRATA_KINDS] = { false };
  uint32_t without = 0;
  for (uint32_t i = 0; i < 2 * STRATA_KINDS; i++) {
    uint32_t id = end_in_stratum(&strata, key_of(i, i), 0);
    if (!id) without++;
    else assert_false(used[id]);
    used[id] = true;
  }
  assert_int_equal(without, STRATA_KINDS + 1);
}

/* In any stratum, and in those of time without a core. */
static void test_what_was_met_is_remembered_for_ten_seconds(void **state)
{
  (void)state;
  static const uint32_t ids[] = { 0, 1, STRATA_VOLUNTARY, STRATA_PREEMPTED };
  struct strata strata = { 0 };
  for (size_t i = 0; i < 4; i++) assert_int_equal(strata_met_lately(&strata, ids[i]), 0);
  for (size_t i = 0; i < 4; i++) strata_met(&strata, ids[i], NODE);
  for (int window = 0; window < STRATA_LATELY_WINDOWS; window++) strata_window_ends(&strata, WINDOW_NS, PERIOD_NS, 1);
  for (size_t i = 0; i < 4; i++) assert_int_equal(strata_met_lately(&strata, ids[i]), NODE);
  strata_window_ends(&strata, WINDOW_NS, PERIOD_NS, 1);
  for (size_t i = 0; i < 4; i++) assert_int_equal(strata_met_lately(&strata, ids[i]), 0);
}

/* A window of a second counts as ten, for what was met and for what waits, unless a stop made it so long. */
static void test_a_long_window_counts_as_several(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  strata_met(&strata, 0, NODE);
  for (int window = 0; window < STRATA_LATELY_WINDOWS / 10; window++)
    strata_window_ends(&strata, 10 * WINDOW_NS, PERIOD_NS, strata_windows_in(10 * WINDOW_NS));
  assert_int_equal(strata_met_lately(&strata, 0), NODE);
  strata_window_ends(&strata, 40 * WINDOW_NS, PERIOD_NS, 1);
  assert_int_equal(strata_met_lately(&strata, 0), 0);
  strata_met(&strata, 0, NODE);
  strata_window_ends(&strata, 1000 * WINDOW_NS, PERIOD_NS, 1);
  assert_int_equal(strata_met_lately(&strata, 0), NODE);
  assert_int_equal(strata_divided(&strata, 2, 1000, false, strata_windows_in(10 * WINDOW_NS)), 10);
  assert_int_equal(strata_divided(&strata, 2, 1000, false, strata_windows_in(WINDOW_NS)), 11);
}

static void test_what_was_not_divided_waits_on(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  int64_t waiting[STRATA_COUNT];
  for (uint32_t window = 1; window <= 3; window++) {
    stratum_wait(&strata.entries[2], MS);
    strata_take_waiting(&strata, waiting);
    assert_int_equal(waiting[2], (int64_t)window * MS);
    assert_int_equal(strata_divided(&strata, 2, waiting[2], false, 1), window);
    assert_int_equal(strata_divided(&strata, 3, waiting[3], false, 1), 0); /* nothing waits there */
  }
  assert_int_equal(strata_divided(&strata, 2, waiting[2], true, 1), 0);
  strata_take_waiting(&strata, waiting);
  assert_int_equal(waiting[2], 0);
}

/* So that time which waits for the next point is little of what a viewer shows, however little the pool does. */
static void test_short_stretches_have_points_in_each_window(void **state)
{
  (void)state;
  static const int64_t walls_ns[] = { MS / 100, MS, 3 * MS, 90 * MS }, apart_ns[] = { 64000, MS / 8, 3 * MS / 8, MS };
  struct strata strata = { 0 };
  assert_int_equal(strata_short_apart_ns(&strata), 64000);
  for (size_t i = 0; i < 4; i++) {
    atomic_fetch_add(&strata.short_axis.wall_ns, walls_ns[i]);
    strata_window_ends(&strata, WINDOW_NS, PERIOD_NS, 1);
    assert_int_equal(strata_short_apart_ns(&strata), apart_ns[i]);
  }
  atomic_fetch_add(&strata.short_axis.wall_ns, 10 * MS);
  strata_window_ends(&strata, 10 * WINDOW_NS, PERIOD_NS, strata_windows_in(10 * WINDOW_NS));
  assert_int_equal(strata_short_apart_ns(&strata), MS / 8);
}

static bool waits_after(struct strata *strata, int64_t waiting_ns)
{
  strata_divided(strata, 0, waiting_ns, false, 1);
  return strata_waits(strata, 0, PERIOD_NS);
}

static void wait_in_vain(struct strata *strata, int64_t a_window_ns)
{
  for (int window = 1; window <= STRATA_UNMET_WINDOWS; window++) assert_true(waits_after(strata, window * a_window_ns));
  assert_false(waits_after(strata, (STRATA_UNMET_WINDOWS + 1) * a_window_ns));
  strata_collapsed(strata, 0);
}

/* Two seconds each time; after ten seconds without a point only what an instant is likely to meet. */
static void test_what_waited_in_vain_waits_no_more(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  for (int i = 0; i < STRATA_LATELY_WINDOWS / STRATA_UNMET_WINDOWS; i++) wait_in_vain(&strata, 1000);
  for (int window = 0; window < 3; window++) {
    assert_false(waits_after(&strata, PERIOD_NS - 1));
    strata_collapsed(&strata, 0);
  }
  wait_in_vain(&strata, PERIOD_NS);
  assert_false(waits_after(&strata, 1000));
  strata_divided(&strata, 0, 1000, true, 1);
  assert_true(waits_after(&strata, 1000));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_kind_is_what_lies_between_two_waits),
    cmocka_unit_test(test_stretches_between_unknown_waits_are_told_apart_by_their_length),
    cmocka_unit_test(test_a_kind_has_its_own_stratum_while_it_runs_enough),
    cmocka_unit_test(test_what_comes_seldom_has_no_stratum_however_long_it_is),
    cmocka_unit_test(test_what_is_enough_goes_by_the_rate),
    cmocka_unit_test(test_what_hardly_runs_gives_its_stratum_up),
    cmocka_unit_test(test_short_stretches_have_points_in_each_window),
    cmocka_unit_test(test_what_waited_in_vain_waits_no_more),
    cmocka_unit_test(test_kinds_without_a_stratum_share_one),
    cmocka_unit_test(test_what_was_met_is_remembered_for_ten_seconds),
    cmocka_unit_test(test_a_long_window_counts_as_several),
    cmocka_unit_test(test_what_was_not_divided_waits_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
