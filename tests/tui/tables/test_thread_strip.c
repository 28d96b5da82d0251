/* What every thread did in each second, also when that is learned late. */
#include "tests/tui/model_fixture.h"
#include "tui/tables/thread_strip.h"

#define WINDOW (100 * MS)
#define SECOND (1000 * MS)

static struct rtop_profile *make_profile(void)
{
  struct rtop_profile *profile = rtop_profile_create(64 << 20);
  assert_non_null(profile);
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  assert_int_equal(rtop_symbols_node(symbols, 0, fixture_frame(symbols, "a", "/a.rb", 1), 1), 1);
  return profile;
}

/* Thread 1 runs in even seconds and is blocked in odd ones; thread 2 waits for the GVL. */
static void add_window(struct rtop_profile *profile, int64_t at)
{
  struct rtop_window window = { 0 };
  fixture_window(&window, at * WINDOW, (at + 1) * WINDOW);
  uint32_t state = at / 10 % 2 == 0 ? RTOP_RUNNING : RTOP_BLOCKED;
  uint32_t first = fixture_thread(&window, 1, state, 1, 0);
  uint32_t second = fixture_thread(&window, 2, RTOP_WAITING, 1, 0);
  fixture_cell(&window, first, 1, state, WINDOW);
  fixture_cell(&window, second, 1, RTOP_WAITING, WINDOW);
  assert_true(fixture_add(profile, 0, &window));
  rtop_window_destroy(&window);
}

static void test_states(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile();
  struct thread_strip strip = { 0 };
  for (int64_t at = 0; at < 40; at++) add_window(profile, at);
  while (thread_strip_update(&strip, profile, 4 * SECOND))
    ;
  assert_int_equal(thread_strip_state(&strip, 0, 0), RTOP_STATE_BLOCKED);
  assert_int_equal(thread_strip_state(&strip, 0, 1), RTOP_STATE_RUNNING);
  assert_int_equal(thread_strip_state(&strip, 0, 2), RTOP_STATE_BLOCKED);
  assert_int_equal(thread_strip_state(&strip, 1, 2), RTOP_STATE_WAITING);
  assert_int_equal(thread_strip_state(&strip, 7, 2), RTOP_STATES);
  assert_int_equal(thread_strip_state(&strip, 0, 4), THREAD_STRIP_UNKNOWN);
  assert_int_equal(thread_strip_state(&strip, 0, -1), THREAD_STRIP_UNKNOWN);
  assert_int_equal(thread_strip_state(&strip, 0, THREAD_STRIP_CELLS), THREAD_STRIP_UNKNOWN);
  for (int64_t at = 40; at < 45; at++) /* half a second more: the cells move */
    add_window(profile, at);
  while (thread_strip_update(&strip, profile, 4 * SECOND + SECOND / 2))
    ;
  assert_int_equal(thread_strip_state(&strip, 0, 0), RTOP_STATE_RUNNING);
  assert_int_equal(thread_strip_state(&strip, 0, 1), RTOP_STATE_BLOCKED);
  thread_strip_destroy(&strip);
  rtop_profile_destroy(&profile);
}

/* A gap is not "nothing was done", and a look back in time is right too. */
static void test_gap_and_past(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile();
  struct thread_strip strip = { 0 };
  for (int64_t at = 0; at < 30; at++)
    if (at >= 10 && at < 20) rtop_profile_add_gap(profile, 0, at * WINDOW, (at + 1) * WINDOW);
    else add_window(profile, at);
  while (thread_strip_update(&strip, profile, 3 * SECOND))
    ;
  assert_int_equal(thread_strip_state(&strip, 0, 0), RTOP_STATE_RUNNING);
  assert_int_equal(thread_strip_state(&strip, 0, 1), THREAD_STRIP_UNKNOWN);
  while (thread_strip_update(&strip, profile, SECOND))
    ;
  assert_int_equal(thread_strip_state(&strip, 0, 0), RTOP_STATE_RUNNING);
  assert_int_equal(thread_strip_state(&strip, 0, 1), THREAD_STRIP_UNKNOWN);
  thread_strip_destroy(&strip);
  rtop_profile_destroy(&profile);
}

/* The times under the strip: provisional time counts, and a late record takes its place. */
static void test_times(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile();
  struct rtop_window window = { 0 };
  uint64_t wall_ns[2][RTOP_STATES];
  fixture_window(&window, 0, WINDOW);
  fixture_thread(&window, 1, RTOP_RUNNING, 1, WINDOW);
  assert_true(fixture_add(profile, 0, &window));
  assert_int_equal(rtop_profile_thread_bound(profile), 1);
  assert_true(rtop_profile_thread_times(profile, fixture_span(0, WINDOW), wall_ns, 2));
  assert_int_equal(wall_ns[0][RTOP_STATE_RUNNING], WINDOW);
  fixture_window(&window, WINDOW, 2 * WINDOW);
  uint32_t thread = fixture_thread(&window, 1, RTOP_BLOCKED, 1, 0);
  fixture_late(&window, thread, 1, RTOP_BLOCKED, 0, 2 * WINDOW);
  assert_true(fixture_add(profile, 0, &window));
  assert_true(rtop_profile_thread_times(profile, fixture_span(0, WINDOW), wall_ns, 2));
  assert_int_equal(wall_ns[0][RTOP_STATE_RUNNING], 0);
  assert_int_equal(wall_ns[0][RTOP_STATE_BLOCKED], WINDOW);
  assert_int_equal(wall_ns[1][RTOP_STATE_BLOCKED], 0);
  assert_true(rtop_profile_thread_times(profile, fixture_span(0, 2 * WINDOW), wall_ns, 2));
  assert_int_equal(wall_ns[0][RTOP_STATE_BLOCKED], 2 * WINDOW);
  assert_false(rtop_profile_thread_times(profile, fixture_span(5 * WINDOW, 6 * WINDOW), wall_ns, 2));
  assert_true(rtop_profile_thread_times(profile, fixture_span(0, WINDOW), wall_ns, 0));
  rtop_window_destroy(&window);
  rtop_profile_destroy(&profile);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_states),
    cmocka_unit_test(test_gap_and_past),
    cmocka_unit_test(test_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
