#include "tests/tui/model_fixture.h"

#include <stdlib.h>

enum { MEMORY = 64 << 20 };
#define WINDOW (100 * MS)

static struct rtop_profile *make_profile(uint64_t memory_bytes)
{
  struct rtop_profile *profile = rtop_profile_create(memory_bytes);
  assert_non_null(profile);
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  uint32_t a = fixture_frame(symbols, "a", "/a.rb", 1), b = fixture_frame(symbols, "b", "/b.rb", 1);
  assert_int_equal(rtop_symbols_node(symbols, 0, a, 1), 1);
  assert_int_equal(rtop_symbols_node(symbols, 1, b, 1), 2);
  for (uint32_t i = 3; i < 20; i++) assert_int_equal(rtop_symbols_node(symbols, i / 2, i % 2 ? a : b, i), i);
  return profile;
}

static void sum_all(struct rtop_profile *profile, struct rtop_sum *sum)
{
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), sum));
}

static void test_empty(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile(MEMORY);
  struct rtop_sum sum = { 0 };
  struct rtop_span span = rtop_profile_bounds(profile);
  assert_int_equal(span.start_ns, span.end_ns);
  assert_true(rtop_profile_sum(profile, fixture_span(0, WINDOW), &sum));
  assert_int_equal(sum.cell_count + sum.thread_count + sum.window_count + sum.length_ns, 0);
  assert_int_equal(rtop_profile_windows(profile, span, NULL, 0), 0);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&profile);
  rtop_profile_destroy(&profile);
}

static void test_one_window(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile(MEMORY);
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  fixture_window(&window, WINDOW, 2 * WINDOW);
  uint32_t thread = fixture_thread(&window, 1, RTOP_BLOCKED, 2, 0);
  window.threads[thread].state_age_ns = 42;
  struct rtop_cell *cell = fixture_cell(&window, thread, 2, RTOP_RUNNING, 60 * MS);
  cell->cpu_ns = 50 * MS;
  cell->allocations = 7;
  cell->blame_ns = 3;
  fixture_cell(&window, thread, 2, RTOP_BLOCKED, 40 * MS);
  rtop_window_set_counter(&window, RTOP_COUNTER_SAMPLES, 99);
  rtop_window_set_counter(&window, RTOP_COUNTER_RATE_HZ, 1000);
  assert_true(fixture_add(profile, 0, &window));
  sum_all(profile, &sum);
  assert_int_equal(sum.length_ns, WINDOW);
  assert_int_equal(sum.window_count, 1);
  assert_int_equal(sum.gap_count, 0);
  assert_int_equal(sum.counters.samples, 99);
  assert_int_equal(sum.counters.rate_hz, 1000);
  assert_int_equal(sum.cell_count, 1);
  assert_int_equal(sum.cells[0].cost.wall_ns[RTOP_STATE_RUNNING], 60 * MS);
  assert_int_equal(sum.cells[0].cost.wall_ns[RTOP_STATE_BLOCKED], 40 * MS);
  assert_int_equal(sum.cells[0].cost.cpu_ns, 50 * MS);
  assert_int_equal(sum.cells[0].cost.samples, 2);
  assert_int_equal(sum.total.allocations, 7);
  assert_int_equal(sum.total.blame_ns, 3);
  assert_int_equal(sum.thread_count, 1);
  const struct rtop_thread_row *row = &sum.threads[0];
  assert_string_equal(row->name, "t1");
  assert_true(row->is_main && !row->ended && !row->stale);
  assert_int_equal(row->native_id, 101);
  assert_int_equal(row->state, RTOP_STATE_BLOCKED);
  assert_int_equal(row->state_age_ns, 42);
  assert_int_equal(row->node, 2);
  assert_int_equal(rtop_cost_wall(&row->cost), WINDOW);
  rtop_window_destroy(&window);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&profile);
}

/* A thread is in the GC method (it holds the GVL) for 250 ms from the middle of the second window on. */
static void test_late_replaces_provisional(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile(MEMORY);
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  fixture_window(&window, 0, WINDOW);
  fixture_cell(&window, fixture_thread(&window, 1, RTOP_RUNNING, 1, 0), 1, RTOP_RUNNING, 100 * MS);
  fixture_add(profile, 0, &window);
  fixture_window(&window, WINDOW, 2 * WINDOW);
  fixture_cell(&window, fixture_thread(&window, 1, RTOP_RUNNING, 1, 50 * MS), 1, RTOP_RUNNING, 50 * MS);
  fixture_add(profile, 0, &window);
  fixture_window(&window, 2 * WINDOW, 3 * WINDOW);
  fixture_thread(&window, 1, RTOP_RUNNING, 1, 100 * MS);
  fixture_add(profile, 0, &window);
  sum_all(profile, &sum);
  assert_int_equal(fixture_wall(&sum, 1, RTOP_STATE_RUNNING), 300 * MS);
  assert_true(sum.threads[0].stale);
  assert_int_equal(sum.cell_count, 1);
  assert_true(rtop_profile_take_revised(profile) == INT64_MAX);

  /* The sample comes: it was node 2. A new stretch without a safepoint begins at once. */
  fixture_window(&window, 3 * WINDOW, 4 * WINDOW);
  uint32_t thread = fixture_thread(&window, 1, RTOP_RUNNING, 2, 10 * MS);
  struct rtop_late *late = fixture_late(&window, thread, 2, RTOP_RUNNING, 150 * MS, 240 * MS);
  late->cell.cpu_ns = 101;
  late->cell.allocations = 10;
  late->cell.samples = 1;
  fixture_add(profile, 0, &window);
  assert_int_equal(rtop_profile_take_revised(profile), 150 * MS);
  assert_true(rtop_profile_take_revised(profile) == INT64_MAX);
  sum_all(profile, &sum);
  assert_int_equal(fixture_wall(&sum, 1, RTOP_STATE_RUNNING), 400 * MS);
  assert_int_equal(sum.cell_count, 2);
  assert_int_equal(rtop_cost_wall(&sum.cells[0].cost), 150 * MS); /* node 1 */
  assert_int_equal(rtop_cost_wall(&sum.cells[1].cost), 250 * MS); /* node 2: late and provisional */
  assert_int_equal(sum.total.cpu_ns, 101);
  assert_int_equal(sum.total.allocations, 10);
  assert_int_equal(sum.cells[1].cost.samples, 1);

  /* Also in past windows, each with its part. */
  assert_true(rtop_profile_sum(profile, fixture_span(WINDOW, 2 * WINDOW), &sum));
  assert_int_equal(rtop_cost_wall(&sum.cells[1].cost), 50 * MS);
  assert_true(rtop_profile_sum(profile, fixture_span(2 * WINDOW, 3 * WINDOW), &sum));
  assert_int_equal(sum.cell_count, 1);
  assert_int_equal(rtop_cost_wall(&sum.cells[0].cost), 100 * MS);
  assert_false(sum.threads[0].stale);
  assert_int_equal(rtop_profile_late_dropped_ns(profile), 0);
  rtop_window_destroy(&window);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&profile);
}

static void test_late_before_everything_is_counted(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile(MEMORY);
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  fixture_window(&window, 10 * WINDOW, 11 * WINDOW);
  uint32_t thread = fixture_thread(&window, 1, RTOP_RUNNING, 1, 0);
  fixture_late(&window, thread, 2, RTOP_RUNNING, 7 * WINDOW, 4 * 100 * MS)->cell.cpu_ns = 400;
  fixture_add(profile, 0, &window);
  sum_all(profile, &sum);
  assert_int_equal(rtop_cost_wall(&sum.total), 100 * MS);
  assert_int_equal(sum.total.cpu_ns, 100);
  assert_int_equal(rtop_profile_late_dropped_ns(profile), 300 * MS);
  rtop_window_destroy(&window);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&profile);
}

static void test_late_loses_what_lies_in_a_gap(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile(MEMORY);
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  fixture_window(&window, 0, WINDOW);
  fixture_thread(&window, 1, RTOP_RUNNING, 1, 100 * MS);
  fixture_add(profile, 0, &window);
  rtop_profile_add_gap(profile, 0, WINDOW, 2 * WINDOW);
  rtop_profile_add_gap(profile, 0, 2 * WINDOW, 3 * WINDOW);
  fixture_window(&window, 3 * WINDOW, 4 * WINDOW);
  uint32_t thread = fixture_thread(&window, 1, RTOP_RUNNING, 1, 0);
  fixture_late(&window, thread, 2, RTOP_RUNNING, 0, 400 * MS);
  fixture_add(profile, 0, &window);
  sum_all(profile, &sum);
  assert_int_equal(sum.gap_count, 1); /* two lost windows, one gap */
  assert_int_equal(sum.window_count, 2);
  assert_int_equal(sum.length_ns, 2 * WINDOW);
  assert_int_equal(fixture_wall(&sum, 1, RTOP_STATE_RUNNING), 200 * MS);
  assert_int_equal(rtop_profile_late_dropped_ns(profile), 200 * MS);
  rtop_window_destroy(&window);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&profile);
}

static void test_holes_in_time_are_gaps(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile(MEMORY);
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  struct rtop_window_summary entries[8];
  fixture_window(&window, 0, WINDOW);
  fixture_add(profile, 0, &window);
  fixture_window(&window, WINDOW + MS, 2 * WINDOW); /* rounding */
  fixture_add(profile, 0, &window);
  fixture_window(&window, 5 * WINDOW, 6 * WINDOW);
  fixture_add(profile, 0, &window);
  sum_all(profile, &sum);
  assert_int_equal(sum.gap_count, 1);
  assert_int_equal(sum.length_ns, 3 * WINDOW - MS);
  assert_int_equal(rtop_profile_windows(profile, rtop_profile_bounds(profile), entries, 8), 4);
  assert_true(!entries[0].gap && !entries[1].gap && entries[2].gap && !entries[3].gap);
  assert_int_equal(entries[2].start_ns, 2 * WINDOW);
  assert_int_equal(entries[2].end_ns, 5 * WINDOW);
  /* A gap is cut to the span, and capacity keeps the newest. */
  assert_int_equal(rtop_profile_windows(profile, fixture_span(3 * WINDOW, 4 * WINDOW), entries, 8), 1);
  assert_int_equal(entries[0].end_ns - entries[0].start_ns, WINDOW);
  assert_int_equal(rtop_profile_windows(profile, rtop_profile_bounds(profile), entries, 2), 2);
  assert_true(entries[0].gap && !entries[1].gap);
  assert_true(rtop_profile_sum(profile, fixture_span(0, 2 * WINDOW), &sum));
  assert_int_equal(sum.gap_count, 0);
  rtop_window_destroy(&window);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&profile);
}

static void test_nonsense_is_refused(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile(MEMORY);
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  fixture_window(&window, WINDOW, 2 * WINDOW);
  assert_true(fixture_add(profile, 0, &window));
  assert_false(fixture_add(profile, 0, &window)); /* the same time again */
  fixture_window(&window, 3 * WINDOW, 2 * WINDOW);
  assert_false(fixture_add(profile, 0, &window));
  fixture_window(&window, -5, 5 * WINDOW);
  assert_false(fixture_add(profile, 0, &window));
  fixture_window(&window, 0, INT64_MAX);
  assert_false(fixture_add(profile, 0, &window));
  rtop_profile_add_gap(profile, 0, INT64_MIN, INT64_MAX);
  rtop_profile_add_gap(profile, 0, 4 * WINDOW, 3 * WINDOW);
  /* An overlap is cut: no time is told twice. */
  fixture_window(&window, WINDOW + WINDOW / 2, 3 * WINDOW);
  uint32_t thread = fixture_thread(&window, 1, RTOP_RUNNING, 1 << 30, UINT64_MAX);
  fixture_cell(&window, thread, 1 << 30, RTOP_RUNNING, UINT64_MAX);
  fixture_cell(&window, 77, 1, RTOP_RUNNING, 5);
  fixture_cell(&window, thread, 1, 99, 5);
  fixture_late(&window, thread, 1, RTOP_RUNNING, INT64_MIN, UINT64_MAX);
  fixture_late(&window, thread, 1, RTOP_RUNNING, INT64_MAX, UINT64_MAX);
  fixture_late(&window, 99, 1, RTOP_RUNNING, 0, UINT64_MAX);
  fixture_late(&window, thread, 1, RTOP_RUNNING, 0, UINT64_MAX);
  assert_true(fixture_add(profile, 0, &window));
  sum_all(profile, &sum);
  assert_int_equal(sum.length_ns, 2 * WINDOW);
  assert_int_equal(sum.cells[0].node, 0);
  rtop_window_destroy(&window);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&profile);
}

static void test_last_and_bounds(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile(MEMORY);
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  int64_t at = 7;
  for (int i = 0; i < 25; i++) {
    int64_t end = at + WINDOW + (i % 3 - 1) * 3 * MS; /* windows are not quite equal */
    fixture_window(&window, at, end);
    fixture_add(profile, 0, &window);
    at = end;
  }
  assert_int_equal(rtop_profile_bounds(profile).start_ns, 7);
  assert_int_equal(rtop_profile_bounds(profile).end_ns, at);
  assert_true(rtop_profile_sum(profile, rtop_profile_last(profile, 10 * WINDOW), &sum));
  assert_int_equal(sum.window_count, 10);
  assert_true(rtop_profile_sum(profile, rtop_profile_last(profile, 0), &sum));
  assert_int_equal(sum.window_count, 25);
  assert_true(rtop_profile_sum(profile, rtop_profile_last(profile, 1000 * WINDOW), &sum));
  assert_int_equal(sum.window_count, 25);
  assert_int_equal(sum.span.start_ns, 7);
  rtop_window_destroy(&window);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&profile);
}

static void test_two_sources(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile(MEMORY);
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  struct rtop_window_summary entries[32];
  for (int i = 0; i < 10; i++)
    for (uint32_t source = 5; source < 7; source++) {
      int64_t start = i * WINDOW + (source == 6 ? 30 * MS : 0);
      fixture_window(&window, start, start + WINDOW);
      uint32_t thread = fixture_thread(&window, 1, RTOP_RUNNING, source, 0);
      fixture_cell(&window, thread, source, RTOP_RUNNING, 100 * MS);
      rtop_window_set_counter(&window, RTOP_COUNTER_RATE_HZ, source * 10);
      rtop_window_set_counter(&window, RTOP_COUNTER_RSS_BYTES, 1000);
      rtop_window_set_counter(&window, RTOP_COUNTER_GC_MINOR, 2);
      assert_true(fixture_add(profile, source, &window));
    }
  sum_all(profile, &sum);
  assert_int_equal(sum.window_count, 10);
  assert_int_equal(sum.length_ns, 10 * WINDOW + 30 * MS); /* the same second, not two */
  assert_int_equal(rtop_cost_wall(&sum.total), 20 * WINDOW);
  assert_int_equal(sum.thread_count, 2); /* serial 1 of each */
  assert_int_equal(sum.threads[0].source, 5);
  assert_int_equal(sum.threads[1].source, 6);
  assert_int_equal(sum.threads[1].node, 6);
  assert_int_equal(sum.counters.rate_hz, 60);
  assert_int_equal(sum.counters.rss_bytes, 2000);
  assert_int_equal(sum.counters.gc_minor, 40);
  assert_int_equal(rtop_profile_windows(profile, rtop_profile_bounds(profile), entries, 32), 10);
  assert_int_equal(entries[3].wall_ns[RTOP_STATE_RUNNING], 2 * WINDOW);
  assert_int_equal(entries[3].thread_count, 2);
  rtop_window_destroy(&window);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&profile);
}

/* Whichever told last: threads that do one thing all the time do so in all of the span. One that ended or hangs holds nobody up. */
static void test_the_last_second_of_sources_that_end_apart(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile(MEMORY);
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  for (int i = 0; i < 40; i++)
    for (uint32_t source = 5; source < 8; source++) {
      int64_t start = (i / 2) * WINDOW + (source == 6 ? 70 * MS : 0);
      if (i % 2 != (int)(source % 2) || (source == 7 && i > 20)) continue;
      fixture_window(&window, start, start + WINDOW);
      uint32_t thread = fixture_thread(&window, 1, RTOP_BLOCKED, source, 0);
      fixture_cell(&window, thread, source, RTOP_BLOCKED, WINDOW);
      assert_true(fixture_add(profile, source, &window));
      if (i < 24) continue;
      assert_true(rtop_profile_sum(profile, rtop_profile_last(profile, 5 * WINDOW), &sum));
      assert_int_equal(sum.length_ns, 5 * WINDOW);
      for (size_t row = 0; row < sum.thread_count; row++)
        if (sum.threads[row].source != 7) assert_int_equal(rtop_cost_wall(&sum.threads[row].cost), 5 * WINDOW);
    }
  rtop_window_destroy(&window);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&profile);
}

/* A process that became another one by exec: its time goes on. */
static void test_one_source_after_the_other(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile(MEMORY);
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  for (int i = 0; i < 10; i++) {
    fixture_window(&window, i * WINDOW, (i + 1) * WINDOW);
    fixture_cell(&window, fixture_thread(&window, 1, RTOP_RUNNING, 1, 0), 1, RTOP_RUNNING, 100 * MS);
    assert_true(fixture_add(profile, i < 4 ? 0 : 1, &window));
  }
  sum_all(profile, &sum);
  assert_int_equal(sum.length_ns, 10 * WINDOW);
  assert_int_equal(sum.window_count, 10);
  assert_int_equal(sum.gap_count, 0);
  assert_int_equal(sum.thread_count, 2);
  rtop_window_destroy(&window);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&profile);
}

static void test_ended_threads(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile(MEMORY);
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  fixture_window(&window, 0, WINDOW);
  for (uint64_t serial = 1; serial <= 3; serial++) fixture_thread(&window, serial, RTOP_BLOCKED, 1, 0);
  window.threads[1].flags = RTOP_WINDOW_THREAD_ENDED;
  fixture_add(profile, 0, &window);
  sum_all(profile, &sum);
  assert_true(!sum.threads[0].ended && sum.threads[1].ended && !sum.threads[2].ended);
  /* The third is not listed any more, though nobody said that it ended. */
  fixture_window(&window, WINDOW, 2 * WINDOW);
  fixture_thread(&window, 1, RTOP_RUNNING, 1, 0);
  fixture_add(profile, 0, &window);
  sum_all(profile, &sum);
  assert_int_equal(sum.thread_count, 3);
  assert_true(!sum.threads[0].ended && sum.threads[1].ended && sum.threads[2].ended);
  rtop_window_destroy(&window);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&profile);
}

static void test_memory_is_bounded(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile(84 << 10);
  struct rtop_window window = { 0 };
  struct rtop_sum sum = { 0 };
  for (int i = 0; i < 20000; i++) {
    fixture_window(&window, i * WINDOW, (i + 1) * WINDOW);
    uint32_t thread = fixture_thread(&window, 1, RTOP_RUNNING, 1, 0);
    for (uint32_t k = 0; k < 20; k++) fixture_cell(&window, thread, k, RTOP_RUNNING, 5 * MS);
    assert_true(fixture_add(profile, 0, &window));
  }
  struct rtop_span span = rtop_profile_bounds(profile);
  assert_int_equal(span.end_ns, 20000 * WINDOW);
  sum_all(profile, &sum);
  /* A window of 100 ms takes as much as one of 10 s: about 1.3 kB. */
  assert_in_range(sum.window_count, 50, 70);
  assert_in_range(sum.length_ns, 150 * 10 * WINDOW, 350 * 10 * WINDOW);
  assert_int_equal(rtop_cost_wall(&sum.total), sum.length_ns);
  rtop_window_destroy(&window);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&profile);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_empty),
    cmocka_unit_test(test_one_window),
    cmocka_unit_test(test_late_replaces_provisional),
    cmocka_unit_test(test_late_before_everything_is_counted),
    cmocka_unit_test(test_late_loses_what_lies_in_a_gap),
    cmocka_unit_test(test_holes_in_time_are_gaps),
    cmocka_unit_test(test_nonsense_is_refused),
    cmocka_unit_test(test_last_and_bounds),
    cmocka_unit_test(test_two_sources),
    cmocka_unit_test(test_the_last_second_of_sources_that_end_apart),
    cmocka_unit_test(test_one_source_after_the_other),
    cmocka_unit_test(test_ended_threads),
    cmocka_unit_test(test_memory_is_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
