#include "ext/sampling/strata.h"

#include "ext/base/draw.h"
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

enum { IDLE = 10, QUERY = 11, LONG = 20, SHORT = 21, RARE = 22, NODES = 30 };

enum { OFTEN = STRATA_ENDS_PER_S / 10 };

/* Of stretches of a millisecond. */
static uint64_t key_of(uint32_t begin_node, uint32_t end_node)
{
  return strata_key(begin_node, end_node, MS);
}

/* Where the time of a stretch of this kind waits. */
static uint32_t end_in_place(struct strata *strata, uint64_t key, int64_t length_ns)
{
  return strata_place(strata, strata_end(strata, key, length_ns));
}

static void run_often(struct strata *strata, uint64_t key, int64_t wall_ns)
{
  for (int i = 0; i < OFTEN; i++) strata_end(strata, key, wall_ns / OFTEN + 1);
}

static uint32_t run_window(struct strata *strata, uint64_t key, int64_t wall_ns)
{
  run_often(strata, key, wall_ns);
  strata_window_ends(strata, WINDOW_NS, PERIOD_NS);
  return end_in_place(strata, key, 0);
}

static void test_a_kind_is_what_lies_between_two_waits(void **state)
{
  (void)state;
  assert_false(key_of(IDLE, QUERY) == key_of(QUERY, IDLE));
  assert_false(key_of(0, 0) == 0);
  struct strata strata = { 0 };
  run_often(&strata, key_of(IDLE, QUERY), ENOUGH_NS);
  uint32_t back = run_window(&strata, key_of(QUERY, IDLE), ENOUGH_NS);
  uint32_t there = end_in_place(&strata, key_of(IDLE, QUERY), 0);
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

static void test_a_kind_has_its_own_axis_while_it_runs_enough(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  uint64_t key = key_of(IDLE, QUERY);
  assert_int_equal(end_in_place(&strata, key, 0), 0);
  assert_int_equal(run_window(&strata, key, ENOUGH_NS - 2 * OFTEN), 0);
  assert_false(strata.divided);
  uint32_t own = 0;
  for (int i = 0; i < 40 && !own; i++) own = run_window(&strata, key, ENOUGH_NS + ENOUGH_NS / 10);
  assert_int_not_equal(own, 0);
  assert_true(strata.divided);
  for (int i = 0; i < 100; i++) assert_int_equal(run_window(&strata, key, ENOUGH_NS * 3 / 4), own);
  for (int i = 0; i < 40 && own; i++) own = run_window(&strata, key, ENOUGH_NS / 4);
  assert_int_equal(own, 0);
  assert_false(strata.divided);
}

/* Its time is like what runs next. */
static void test_what_comes_seldom_has_no_axis_however_long_it_is(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  for (int i = 0; i < 40; i++) {
    strata_end(&strata, key_of(IDLE, QUERY), 20 * ENOUGH_NS);
    strata_window_ends(&strata, WINDOW_NS, PERIOD_NS);
    assert_int_equal(end_in_place(&strata, key_of(IDLE, QUERY), 0), 0);
  }
  assert_false(strata.divided);
}

/* At a tenth of the rate it takes ten times as much. */
static void test_what_is_enough_goes_by_the_rate(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  uint64_t key = key_of(IDLE, QUERY);
  for (int i = 0; i < 40; i++) {
    run_often(&strata, key, 9 * ENOUGH_NS);
    strata_window_ends(&strata, WINDOW_NS, 10 * PERIOD_NS);
  }
  assert_int_equal(end_in_place(&strata, key, 0), 0);
}

/* A server that came up has other kinds than while it did; and kinds of one stretch each must not keep others out. */
static void test_what_hardly_runs_gives_its_place_up(void **state)
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

/* More kinds than there are places: those that have none share place 0. */
static void test_kinds_without_a_place_share_one(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  for (uint32_t i = 0; i < 2 * STRATA_COUNT; i++) run_often(&strata, key_of(i, i), ENOUGH_NS);
  strata_window_ends(&strata, WINDOW_NS, PERIOD_NS);
  bool used[STRATA_COUNT] = { false };
  uint32_t without = 0;
  for (uint32_t i = 0; i < 2 * STRATA_COUNT; i++) {
    uint32_t id = end_in_place(&strata, key_of(i, i), 0);
    if (!id) without++;
    else assert_false(used[id]);
    used[id] = true;
  }
  assert_int_equal(without, STRATA_COUNT + 1);
}

static void test_what_is_not_met_for_windows_has_the_next_instant_of_the_pool(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  uint32_t id = run_window(&strata, key_of(IDLE, QUERY), 2 * ENOUGH_NS), node = 0;
  struct stratum *stratum = &strata.entries[id];
  stratum_set(stratum, LONG); /* before the time that waits: never its */
  uint64_t epoch = axis_epoch(&stratum->axis);
  stratum_wait(stratum, 1000);
  strata_window_ends(&strata, WINDOW_NS, PERIOD_NS); /* a point came */
  for (int i = 0; i < STRATA_UNMET_WINDOWS - 1; i++) {
    strata_window_ends(&strata, WINDOW_NS, PERIOD_NS);
    strata_point(&strata, SHORT, false);
    assert_false(axis_node(&stratum->axis, epoch, &node));
  }
  strata_window_ends(&strata, WINDOW_NS, PERIOD_NS);
  assert_false(axis_node(&stratum->axis, epoch, &node));
  strata_point(&strata, SHORT, false);
  assert_true(axis_node(&stratum->axis, epoch, &node));
  assert_int_equal(node, SHORT);
  strata_point(&strata, RARE, false);
  assert_false(axis_node(&stratum->axis, epoch + 1, &node));
}

/* Sooner what its own stretches showed a moment ago than what those of another kind show now. */
static void test_what_is_not_met_for_windows_is_what_was_met_in_it_lately(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  uint32_t id = run_window(&strata, key_of(IDLE, QUERY), 2 * ENOUGH_NS), node = 0;
  struct stratum *stratum = &strata.entries[id];
  strata_met(&strata, id, LONG);
  stratum_set(stratum, LONG);
  uint64_t epoch = axis_epoch(&stratum->axis);
  stratum_wait(stratum, 1000);
  for (int i = 0; i <= STRATA_UNMET_WINDOWS; i++) strata_window_ends(&strata, WINDOW_NS, PERIOD_NS);
  strata_point(&strata, SHORT, false);
  assert_true(axis_node(&stratum->axis, epoch, &node));
  assert_int_equal(node, LONG);

  epoch = axis_epoch(&stratum->axis);
  stratum_wait(stratum, 1000);
  for (int i = 0; i <= STRATA_LATELY_WINDOWS; i++) {
    run_often(&strata, key_of(IDLE, QUERY), 2 * ENOUGH_NS);
    strata_window_ends(&strata, WINDOW_NS, PERIOD_NS);
  }
  strata_point(&strata, SHORT, false);
  assert_true(axis_node(&stratum->axis, epoch, &node));
  assert_int_equal(node, SHORT);
}

/* Rare kinds are met but once in some seconds: longer than one that has an axis. What an instant says itself goes before. */
static void test_what_is_not_met_in_place_0_is_what_was_met_there_before(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  struct stratum *rest = &strata.entries[0];
  uint32_t node = 0;
  strata_met(&strata, 0, RARE);
  for (int i = 0; i < STRATA_LATELY_REST_WINDOWS - STRATA_UNMET_REST_WINDOWS - 1; i++)
    strata_window_ends(&strata, WINDOW_NS, PERIOD_NS);
  stratum_wait(rest, 1000);
  for (int i = 0; i <= STRATA_UNMET_REST_WINDOWS; i++) strata_window_ends(&strata, WINDOW_NS, PERIOD_NS);
  strata_point(&strata, LONG, false);
  assert_true(axis_node(&rest->axis, 0, &node));
  assert_int_equal(node, RARE);
  strata_point(&strata, SHORT, true);
  assert_true(axis_node(&rest->axis, 1, &node));
  assert_int_equal(node, SHORT);

  for (int i = 0; i < STRATA_LATELY_REST_WINDOWS; i++) strata_window_ends(&strata, WINDOW_NS, PERIOD_NS);
  stratum_wait(rest, 1000);
  for (int i = 0; i <= STRATA_UNMET_REST_WINDOWS; i++) strata_window_ends(&strata, WINDOW_NS, PERIOD_NS);
  strata_point(&strata, LONG, false);
  assert_true(axis_node(&rest->axis, 2, &node));
  assert_int_equal(node, LONG); /* that was too long ago */
}

/* An instant at rest without a core is of another place: it has no time on a core, but what instants met with one has. */
static void test_what_an_instant_says_is_met_in_place_0_is_remembered(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  struct stratum *rest = &strata.entries[0];
  uint32_t node = 0;
  strata_point(&strata, SHORT, true);
  stratum_wait(rest, 1000);
  for (int i = 0; i < STRATA_UNMET_REST_WINDOWS; i++) {
    strata_window_ends(&strata, WINDOW_NS, PERIOD_NS);
    strata_point(&strata, LONG, false);
    assert_false(axis_node(&rest->axis, 1, &node));
  }
  for (int i = 0; i < 2; i++) strata_window_ends(&strata, WINDOW_NS, PERIOD_NS);
  strata_point(&strata, LONG, false);
  assert_true(axis_node(&rest->axis, 1, &node));
  assert_int_equal(node, SHORT);
}

/* It is given back to them when a thread ends. */
static void test_from_whom_time_was_kept_back(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  uint32_t nodes[STRATA_KEPT_FROM], sum = 0;
  assert_int_equal(strata_kept_from(&strata, 0, nodes), 0);
  strata_keep(&strata, 0, LONG);
  strata_keep(&strata, 0, SHORT);
  assert_int_equal(strata_kept_from(&strata, 0, nodes), 2);
  assert_int_equal(nodes[0] + nodes[1], LONG + SHORT);
  for (uint32_t i = 1; i <= 3 * STRATA_KEPT_FROM; i++) strata_keep(&strata, 0, i);
  assert_int_equal(strata_kept_from(&strata, 0, nodes), STRATA_KEPT_FROM);
  for (uint32_t i = 0; i < STRATA_KEPT_FROM; i++) {
    assert_in_range(nodes[i], 2 * STRATA_KEPT_FROM + 1, 3 * STRATA_KEPT_FROM);
    sum += nodes[i];
  }
  assert_int_equal(sum, STRATA_KEPT_FROM * (5 * STRATA_KEPT_FROM + 1) / 2);
  for (int i = 0; i < STRATA_LATELY_REST_WINDOWS; i++) strata_window_ends(&strata, WINDOW_NS, PERIOD_NS);
  strata_keep(&strata, 0, LONG);
  assert_int_equal(strata_kept_from(&strata, 0, nodes), STRATA_KEPT_FROM);
  strata_window_ends(&strata, WINDOW_NS, PERIOD_NS);
  assert_int_equal(strata_kept_from(&strata, 0, nodes), 1); /* the others are too old */
  assert_int_equal(nodes[0], LONG);
}

/* Of no kind, but not for ever without a stack. */
static void test_time_without_a_core_that_no_instant_meets(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  struct stratum *off_core = &strata.entries[STRATA_RESTS];
  uint32_t node = 0;
  for (uint32_t i = 1; i < 2 * STRATA_COUNT; i++)
    assert_int_not_equal(strata_end(&strata, key_of(i, i), MS), STRATA_RESTS);
  stratum_wait(off_core, 1000);
  for (int i = 0; i < STRATA_UNMET_WINDOWS; i++) {
    strata_window_ends(&strata, WINDOW_NS, PERIOD_NS);
    strata_point(&strata, SHORT, true);
    assert_false(axis_node(&off_core->axis, 0, &node));
  }
  strata_window_ends(&strata, WINDOW_NS, PERIOD_NS);
  strata_point(&strata, SHORT, true);
  assert_true(axis_node(&off_core->axis, 0, &node));
  assert_int_equal(node, SHORT);
}

static void test_nothing_is_overdue_while_nothing_waits(void **state)
{
  (void)state;
  struct strata strata = { 0 };
  for (int i = 0; i < 5 * STRATA_UNMET_WINDOWS; i++) strata_window_ends(&strata, WINDOW_NS, PERIOD_NS);
  strata_point(&strata, SHORT, false);
  for (int id = 0; id < STRATA_COUNT; id++) assert_int_equal(axis_epoch(&strata.entries[id].axis), 0);
  strata_point(&strata, SHORT, true);
  assert_int_equal(axis_epoch(&strata.entries[0].axis), 1);
  for (int id = 1; id < STRATA_COUNT; id++) assert_int_equal(axis_epoch(&strata.entries[id].axis), 0);
}

/* What waits in each place, and when its epoch began: as the lane of one thread. */
struct lanes {
  struct strata strata;
  int64_t wall_ns[STRATA_COUNT], shown_ns[NODES];
  uint64_t epoch[STRATA_COUNT];
};

static void settle(struct lanes *lanes)
{
  uint32_t node;
  for (int id = 0; id < STRATA_COUNT; id++) {
    struct axis *axis = &lanes->strata.entries[id].axis;
    if (!axis_node(axis, lanes->epoch[id], &node)) continue;
    lanes->shown_ns[node] += lanes->wall_ns[id];
    lanes->wall_ns[id] = 0;
    lanes->epoch[id] = axis_epoch(axis);
  }
}

/* As running.c does. */
static void run_stretch(struct lanes *lanes, uint64_t key, int64_t length_ns, bool met, uint32_t node)
{
  struct strata *strata = &lanes->strata;
  if (met) strata_point(strata, node, !strata->divided);
  uint32_t kind = strata_end(strata, key, length_ns), id = strata_place(strata, kind);
  if (met && kind) strata_met(strata, kind, node);
  settle(lanes);
  if (met && (id || strata->divided)) stratum_set(&strata->entries[id], node);
  settle(lanes);
  lanes->wall_ns[id] += length_ns;
  stratum_wait(&strata->entries[id], length_ns);
}

/* Instants meet one in four of the long stretches, one in two hundred of those that are a third as long, or hardly any. */
static double share_of_short(struct lanes *lanes, uint32_t short_end, int met_of_1000, int windows)
{
  uint32_t random = 4711;
  for (int window = 0; window < windows; window++) {
    for (int i = 0; i < 60; i++) {
      run_stretch(lanes, key_of(1, QUERY), 300000, draw_ns(&random, 0, 1000) < 250, LONG);
      run_stretch(lanes, key_of(1, short_end), 100000, draw_ns(&random, 0, 1000) < met_of_1000, SHORT);
    }
    strata_window_ends(&lanes->strata, WINDOW_NS, PERIOD_NS);
  }
  return (double)lanes->shown_ns[SHORT] / (double)(lanes->shown_ns[SHORT] + lanes->shown_ns[LONG]);
}

static void test_instants_that_are_not_fair_between_kinds(void **state)
{
  (void)state;
  struct lanes one = { 0 }, two = { 0 };
  assert_true(share_of_short(&one, QUERY, 5, 2000) < 0.05); /* what it would be without kinds */
  double share = share_of_short(&two, IDLE, 5, 2000);
  assert_true(share > 0.14 && share < 0.2525); /* some waited too long */
  struct lanes fair = { 0 };
  share = share_of_short(&fair, IDLE, 83, 2000);
  assert_true(share > 0.247 && share < 0.253);
}

/* A rare kind in a busy pool: its time must not be lost to others because it waits in vain. */
static void test_a_rare_kind_keeps_its_time(void **state)
{
  (void)state;
  struct lanes lanes = { 0 };
  uint32_t random = 4711;
  int64_t rare_ns = 0;
  for (int window = 0; window < 100000; window++) {
    for (int i = 0; i < 4; i++)
      run_stretch(&lanes, key_of(1, QUERY), 4 * MS, draw_ns(&random, 0, 1000) < 400, LONG); /* at 100 Hz */
    if (window % 20 == 0) {
      run_stretch(&lanes, key_of(1, IDLE), MS, draw_ns(&random, 0, 1000) < 100, RARE);
      rare_ns += MS;
    }
    strata_window_ends(&lanes.strata, WINDOW_NS, 100 * MS);
  }
  assert_false(lanes.strata.divided);
  double ratio = (double)lanes.shown_ns[RARE] / (double)rare_ns;
  assert_true(ratio > 0.85 && ratio < 1.15);
}

/* Stretches of about so much, the first tenth of a period of each what is looked for, after waits of about so much. By how
 * much its time differs from the truth, in per cent, when an instant has what lies before it. */
static double off_at_begin_percent(int64_t period_ns, int64_t length_ns, int64_t wait_ns)
{
  enum { STRETCHES = 40000, ALIKE = 16 };
  uint32_t random = 1;
  int64_t now = 0, next = period_ns / 3, distance = period_ns, waits = 0, found = 0, sought = period_ns / 10, drawn = 0;
  for (int i = 0; i < STRETCHES; i++) {
    int64_t begin = now, last = now, left = 0;
    now += draw_ns(&random, length_ns / 2, length_ns);
    for (; next < now; next += distance) {
      if (drawn++ % ALIKE == 0) distance = draw_ns(&random, period_ns * 3 / 4, period_ns / 2);
      if (next < begin) continue;
      if (last == begin) {
        left = strata_waits_on(waits, next - begin, period_ns);
        assert_in_range(left, 0, waits + next - begin);
        found += next - begin < sought ? waits + next - begin - left : 0;
        waits = 0;
      }
      last = next;
    }
    waits += now - last + left;
    assert_in_range(waits, 0, 20 * period_ns);
    now += draw_ns(&random, wait_ns / 2, wait_ns);
  }
  return 100 * ((double)found / ((double)STRETCHES * (double)sought) - 1);
}

/* Lengths and waits in hundredths of a period. */
static void check_what_comes_first(int64_t period_ns, double most_percent)
{
  static const int lengths[] = { 150, 600, 4000 }, waits[] = { 2, 33, 50, 100, 300, 1000 };
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    for (size_t k = 0; k < sizeof waits / sizeof waits[0]; k++) {
      double off = off_at_begin_percent(period_ns, period_ns * lengths[i] / 100, period_ns * waits[k] / 100);
      if (off < -most_percent || off > most_percent)
        fail_msg("%.1f %% off: stretches of %.2f, waits of %.2f periods of %ld us", off, lengths[i] / 100.0,
                 waits[k] / 100.0, (long)(period_ns / 1000));
    }
  }
}

/* With all that waits given to it it would be off by -51 to +1 there, with half of the head left by -30 to +23, and with a period
 * and a quarter in reserve by -13 to +7, as it is at 100 Hz. */
static void test_what_comes_first_has_its_time_whatever_the_waits(void **state)
{
  (void)state;
  check_what_comes_first(PERIOD_NS, 8);
  check_what_comes_first(10 * PERIOD_NS, 14);
}

/* The clock looks for the first time after long work, as in a child of a fork on a busy machine: the work is what it met. */
static void test_what_ran_long_before_an_instant_came_does_not_wait(void **state)
{
  (void)state;
  assert_in_range(strata_waits_on(0, 350 * PERIOD_NS, PERIOD_NS), 0, 2 * PERIOD_NS);
  assert_int_equal(strata_waits_on(0, 350 * PERIOD_NS, PERIOD_NS), strata_waits_on(0, 2 * PERIOD_NS, PERIOD_NS));
  assert_int_equal(strata_waits_on(0, PERIOD_NS / 2, PERIOD_NS), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_comes_first_has_its_time_whatever_the_waits),
    cmocka_unit_test(test_what_ran_long_before_an_instant_came_does_not_wait),
    cmocka_unit_test(test_a_kind_is_what_lies_between_two_waits),
    cmocka_unit_test(test_stretches_between_unknown_waits_are_told_apart_by_their_length),
    cmocka_unit_test(test_a_kind_has_its_own_axis_while_it_runs_enough),
    cmocka_unit_test(test_what_comes_seldom_has_no_axis_however_long_it_is),
    cmocka_unit_test(test_what_is_enough_goes_by_the_rate),
    cmocka_unit_test(test_what_hardly_runs_gives_its_place_up),
    cmocka_unit_test(test_kinds_without_a_place_share_one),
    cmocka_unit_test(test_what_is_not_met_for_windows_has_the_next_instant_of_the_pool),
    cmocka_unit_test(test_what_is_not_met_for_windows_is_what_was_met_in_it_lately),
    cmocka_unit_test(test_what_is_not_met_in_place_0_is_what_was_met_there_before),
    cmocka_unit_test(test_time_without_a_core_that_no_instant_meets),
    cmocka_unit_test(test_nothing_is_overdue_while_nothing_waits),
    cmocka_unit_test(test_what_an_instant_says_is_met_in_place_0_is_remembered),
    cmocka_unit_test(test_from_whom_time_was_kept_back),
    cmocka_unit_test(test_instants_that_are_not_fair_between_kinds),
    cmocka_unit_test(test_a_rare_kind_keeps_its_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
