/* Cells of the history against sums over the same stretches. */
#include "tests/tui/model_fixture.h"
#include "tui/tables/timeline.h"

#include <math.h>
#include <stdlib.h>

static struct timeline timeline;

static void add(struct rtop_profile *profile, uint32_t source, int64_t start_ms, int64_t end_ms, uint64_t run_ms,
                uint64_t gc_ms)
{
  struct rtop_window window = { 0 };
  fixture_window(&window, start_ms * MS, end_ms * MS);
  uint32_t first = fixture_thread(&window, 1, RTOP_RUNNING, 0, 0);
  uint32_t second = fixture_thread(&window, 2, RTOP_BLOCKED, 0, 0);
  fixture_cell(&window, first, 0, RTOP_RUNNING, run_ms * (uint64_t)MS);
  fixture_cell(&window, first, 0, RTOP_SWEEPING, gc_ms * (uint64_t)MS);
  fixture_cell(&window, second, 0, RTOP_WAITING, run_ms * (uint64_t)MS);
  fixture_cell(&window, second, 0, RTOP_BLOCKED, (uint64_t)(end_ms - start_ms) * (uint64_t)MS - run_ms * (uint64_t)MS);
  rtop_window_set_counter(&window, RTOP_COUNTER_ALLOCATIONS, run_ms * 10);
  rtop_window_set_counter(&window, RTOP_COUNTER_CPU_NS, run_ms * (uint64_t)MS);
  rtop_window_set_counter(&window, RTOP_COUNTER_RSS_BYTES, 1 << 20);
  assert_true(fixture_add(profile, source, &window));
  rtop_window_destroy(&window);
}

static void check(double value, double wanted)
{
  if (fabs(value - wanted) > 1e-6 * (fabs(wanted) + 1)) fail_msg("%.9f is not %.9f", value, wanted);
}

static void test_values(void **state)
{
  (void)state;
  struct rtop_profile *profile = rtop_profile_create(64 << 20);
  add(profile, 0, 1000, 1100, 60, 10);
  add(profile, 0, 1100, 1200, 20, 0);
  assert_true(timeline_build(&timeline, profile, 1200 * MS, 5, 100 * MS, TIMELINE_ALL_SOURCES));
  assert_int_equal(timeline.first, 7);
  assert_true(!timeline.cell[0].known && !timeline.cell[2].gap && timeline.cell[3].known);
  check(timeline.cell[3].value[TIMELINE_RUN], 0.7);
  check(timeline.cell[3].value[TIMELINE_GC], 0.1);
  assert_true(timeline.cell[3].sweeps);
  check(timeline.cell[3].value[TIMELINE_WAIT], 0.6);
  check(timeline.cell[3].value[TIMELINE_BLOCKED], 0.4);
  check(timeline.cell[3].value[TIMELINE_CPU], 0.6);
  check(timeline.cell[3].value[TIMELINE_ALLOC], 6000);
  check(timeline.cell[3].value[TIMELINE_RSS], 1 << 20);
  check(timeline.most[TIMELINE_WAIT], 0.6);
  assert_true(timeline_build(&timeline, profile, 1200 * MS, 5, 200 * MS, TIMELINE_ALL_SOURCES));
  check(timeline.cell[4].value[TIMELINE_RUN], 0.45);
  check(timeline.cell[4].value[TIMELINE_ALLOC], 4000);
  assert_int_equal(timeline_cell_at(&timeline, 1199 * MS), 4);
  assert_int_equal(timeline_cell_at(&timeline, 1200 * MS), 5);
  assert_int_equal(timeline_cell_at(&timeline, 1), -1);
  rtop_profile_destroy(&profile);
}

static void test_gap_and_long_windows(void **state)
{
  (void)state;
  struct rtop_profile *profile = rtop_profile_create(64 << 20);
  add(profile, 0, 1000, 2000, 500, 0); /* merged: the same in each of its ten cells */
  rtop_profile_add_gap(profile, 0, 2000 * MS, 2450 * MS);
  add(profile, 0, 2450, 2550, 100, 0);
  assert_true(timeline_build(&timeline, profile, 2600 * MS, 20, 100 * MS, TIMELINE_ALL_SOURCES));
  for (int i = 0; i < 20; i++) {
    int64_t at_ms = (timeline.first + i) * 100;
    assert_int_equal(timeline.cell[i].gap, at_ms >= 2000 && at_ms < 2500);
    assert_int_equal(timeline.cell[i].known, (at_ms >= 1000 && at_ms < 2000) || at_ms == 2500);
    if (at_ms < 2000 && timeline.cell[i].known) check(timeline.cell[i].value[TIMELINE_RUN], 0.5);
  }
  rtop_profile_destroy(&profile);
}

/* The GVL of two processes: half of it is held when one of the two is busy; threads and bytes add up. */
static void test_sources(void **state)
{
  (void)state;
  struct rtop_profile *profile = rtop_profile_create(64 << 20);
  add(profile, 0, 1000, 1100, 100, 0);
  add(profile, 1, 1020, 1120, 0, 0);
  assert_true(timeline_build(&timeline, profile, 1200 * MS, 1, 200 * MS, TIMELINE_ALL_SOURCES));
  check(timeline.cell[0].value[TIMELINE_RUN], 0.5);
  check(timeline.cell[0].value[TIMELINE_BLOCKED], 1);
  check(timeline.cell[0].value[TIMELINE_WAIT], 1);
  check(timeline.cell[0].value[TIMELINE_RSS], 2 << 20);
  assert_true(timeline_build(&timeline, profile, 1200 * MS, 1, 200 * MS, 1));
  check(timeline.cell[0].value[TIMELINE_RUN], 0);
  check(timeline.cell[0].value[TIMELINE_RSS], 1 << 20);
  rtop_profile_destroy(&profile);
}

/* At every zoom the cells hold what the sum holds. */
static void test_sums(void **state)
{
  (void)state;
  struct rtop_profile *profile = rtop_profile_create(64 << 20);
  struct rtop_sum sum = { 0 };
  srandom(3);
  for (int i = 0; i < 400; i++)
    add(profile, 0, 1000 + i * 100, 1100 + i * 100, (uint64_t)random() % 60, (uint64_t)random() % 40);
  struct rtop_span all = rtop_profile_bounds(profile);
  assert_true(rtop_profile_sum(profile, all, &sum));
  for (int64_t cell_ns = 100 * MS; cell_ns <= 100000 * MS;) {
    double run_ns = 0, blocked_ns = 0;
    assert_true(timeline_build(&timeline, profile, all.end_ns, 500, cell_ns, TIMELINE_ALL_SOURCES));
    for (int i = 0; i < timeline.count; i++) {
      int64_t start_ns = (timeline.first + i) * cell_ns, end_ns = start_ns + cell_ns;
      start_ns = start_ns < all.start_ns ? all.start_ns : start_ns;
      end_ns = end_ns > all.end_ns ? all.end_ns : end_ns;
      run_ns += timeline.cell[i].known ? timeline.cell[i].value[TIMELINE_RUN] * (double)(end_ns - start_ns) : 0;
      blocked_ns += timeline.cell[i].known ? timeline.cell[i].value[TIMELINE_BLOCKED] * (double)(end_ns - start_ns) : 0;
    }
    check(run_ns, (double)(sum.total.wall_ns[RTOP_STATE_RUNNING] + sum.total.wall_ns[RTOP_STATE_SWEEPING]));
    check(blocked_ns, (double)sum.total.wall_ns[RTOP_STATE_BLOCKED]);
    int64_t coarser_ns = timeline_zoom(cell_ns, 1, INT64_MAX / 2, 500);
    assert_true(coarser_ns > cell_ns);
    cell_ns = coarser_ns;
  }
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&profile);
}

static void test_zoom(void **state)
{
  (void)state;
  assert_int_equal(timeline_zoom(100 * MS, -1, 1000000 * MS, 70), 100 * MS);
  assert_int_equal(timeline_zoom(500 * MS, -1, 1000000 * MS, 70), 200 * MS);
  assert_int_equal(timeline_zoom(500 * MS, 1, 1000000 * MS, 70), 1000 * MS);
  assert_int_equal(timeline_zoom(500 * MS, 1, 20000 * MS, 70), 500 * MS); /* all of it is there */
  assert_int_equal(timeline_zoom(10000 * MS, 0, 20000 * MS, 70), 500 * MS);
}

static void test_empty(void **state)
{
  (void)state;
  struct rtop_profile *profile = rtop_profile_create(1 << 20);
  assert_true(timeline_build(&timeline, profile, 0, 100000, 100 * MS, TIMELINE_ALL_SOURCES));
  assert_int_equal(timeline.count, TIMELINE_CELLS_MAX);
  for (int i = 0; i < timeline.count; i++) assert_true(!timeline.cell[i].known && !timeline.cell[i].gap);
  rtop_profile_destroy(&profile);
  timeline_destroy(&timeline);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_values),  cmocka_unit_test(test_gap_and_long_windows),
    cmocka_unit_test(test_sources), cmocka_unit_test(test_sums),
    cmocka_unit_test(test_zoom),    cmocka_unit_test(test_empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
