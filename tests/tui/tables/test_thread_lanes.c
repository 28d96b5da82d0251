/* What every thread did in each window around a moment, also when that is learned late. */
#include "tests/tui/model_fixture.h"
#include "tui/tables/thread_lanes.h"

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

static void look(struct thread_lanes *lanes, const struct rtop_profile *profile, int64_t moment_ns, int before,
                 int after)
{
  while (thread_lanes_update(lanes, profile, moment_ns, before, after))
    ;
}

/* A lane as text: the holder @, ran |, waits :, blocked ., GC # and =, lost /, not there a blank. */
static const char *lane(const struct thread_lanes *lanes, uint32_t source, uint32_t thread)
{
  static char text[THREAD_LANES_MAX + 1];
  for (int i = 0; i < lanes->columns; i++) text[i] = " /@|:.#="[thread_lanes_at(lanes, source, thread, i)];
  text[lanes->columns] = '\0';
  return text;
}

static void test_states(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile();
  struct thread_lanes lanes = { 0 };
  for (int64_t at = 0; at < 40; at++) add_window(profile, at);
  look(&lanes, profile, 4 * SECOND, 40, 0);
  assert_string_equal(lane(&lanes, 0, 0), "@@@@@@@@@@..........@@@@@@@@@@..........");
  assert_string_equal(lane(&lanes, 0, 1), "::::::::::::::::::::::::::::::::::::::::");
  look(&lanes, profile, 4 * SECOND, 5, 0);
  assert_string_equal(lane(&lanes, 0, 7), "     ");
  assert_string_equal(lane(&lanes, 3, 0), "     ");
  assert_int_equal(thread_lanes_at(&lanes, 0, 0, -1), LANE_ABSENT);
  assert_int_equal(thread_lanes_at(&lanes, 0, 0, 5), LANE_ABSENT);
  for (int64_t at = 40; at < 45; at++) /* half a second more: the cells move */
    add_window(profile, at);
  look(&lanes, profile, 4 * SECOND + SECOND / 2, 10, 0);
  assert_string_equal(lane(&lanes, 0, 0), ".....@@@@@");
  look(&lanes, profile, 2 * SECOND, 3, 6); /* around a moment; before the start of everything */
  assert_string_equal(lane(&lanes, 0, 0), "...@@@@@@");
  look(&lanes, profile, SECOND / 5, 4, 2);
  assert_string_equal(lane(&lanes, 0, 0), "  @@@@");
  look(&lanes, profile, 4 * SECOND + SECOND / 2, 2, 3); /* and behind its end */
  assert_string_equal(lane(&lanes, 0, 0), "@@   ");
  thread_lanes_destroy(&lanes);
  rtop_profile_destroy(&profile);
}

/* A gap is not "nothing was done", and a look back in time is right too. */
static void test_gap_and_past(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile();
  struct thread_lanes lanes = { 0 };
  for (int64_t at = 0; at < 30; at++)
    if (at >= 10 && at < 20) rtop_profile_add_gap(profile, 0, at * WINDOW, (at + 1) * WINDOW);
    else add_window(profile, at);
  look(&lanes, profile, 3 * SECOND, 30, 0);
  assert_string_equal(lane(&lanes, 0, 0), "@@@@@@@@@@//////////@@@@@@@@@@");
  look(&lanes, profile, SECOND, 12, 3);
  assert_string_equal(lane(&lanes, 0, 0), "  @@@@@@@@@@///");
  thread_lanes_destroy(&lanes);
  rtop_profile_destroy(&profile);
}

/* One holder a window, the one that had the GVL longest; who had it hardly at all is none. GC that took most of the
 * time of the holder is told. */
static void test_holders(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile();
  struct thread_lanes lanes = { 0 };
  struct rtop_window window = { 0 };
  /* running, waiting, blocked, marking, sweeping: a hundredth of the window; three threads */
  static const uint32_t share[][3][RTOP_STATES] = {
    { { 60, 40, 0, 0, 0 }, { 40, 60, 0, 0, 0 }, { 0, 0, 100, 0, 0 } },
    { { 40, 60, 0, 0, 0 }, { 55, 45, 0, 0, 0 }, { 5, 0, 95, 0, 0 } },
    { { 20, 0, 0, 50, 30 }, { 0, 100, 0, 0, 0 }, { 0, 0, 100, 0, 0 } },
    { { 10, 0, 0, 20, 70 }, { 0, 100, 0, 0, 0 }, { 0, 0, 100, 0, 0 } },
    { { 30, 0, 70, 0, 0 }, { 60, 10, 0, 0, 30 }, { 9, 0, 91, 0, 0 } },
    { { 9, 0, 91, 0, 0 }, { 8, 0, 92, 0, 0 }, { 0, 0, 100, 0, 0 } }, /* nobody, really */
    { { 50, 50, 0, 0, 0 }, { 50, 50, 0, 0, 0 }, { 0, 0, 0, 0, 0 } }, /* as long as each other: one of them */
  };
  enum { COUNT = sizeof share / sizeof share[0] };
  for (int64_t at = 0; at < COUNT; at++) {
    fixture_window(&window, at * WINDOW, (at + 1) * WINDOW);
    for (uint32_t i = 0; i < 3; i++) fixture_thread(&window, i + 1, RTOP_BLOCKED, 1, 0);
    for (uint32_t i = 0; i < 3; i++)
      for (uint32_t k = 0; k < RTOP_STATES; k++)
        if (share[at][i][k] > 0) fixture_cell(&window, i, 1, k, (uint64_t)share[at][i][k] * MS);
    assert_true(fixture_add(profile, 0, &window));
  }
  look(&lanes, profile, COUNT * WINDOW, COUNT, 0);
  assert_string_equal(lane(&lanes, 0, 0), "@:#=..@");
  assert_string_equal(lane(&lanes, 0, 1), ":@::@.|");
  assert_string_equal(lane(&lanes, 0, 2), "...... ");
  rtop_window_destroy(&window);
  thread_lanes_destroy(&lanes);
  rtop_profile_destroy(&profile);
}

/* Windows of two processes do not begin together, nor are they of one length to the nanosecond: each is told once.
 * Each process has its own holder. */
static void test_several_processes(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile();
  struct thread_lanes lanes = { 0 };
  struct rtop_window window = { 0 };
  for (int64_t at = 0; at < 60; at++) {
    for (uint32_t source = 0; source < 2; source++) {
      int64_t jitter = (at * 7 + source) % 5 * MS, next = ((at + 1) * 7 + source) % 5 * MS;
      fixture_window(&window, at * WINDOW + source * 48 * MS + jitter, (at + 1) * WINDOW + source * 48 * MS + next);
      uint32_t only = fixture_thread(&window, 1, RTOP_RUNNING, 1, 0);
      fixture_cell(&window, only, 1, at % 2 == 0 ? RTOP_RUNNING : RTOP_WAITING, WINDOW);
      assert_true(fixture_add(profile, source, &window));
    }
  }
  for (int64_t moment_ns = 4 * SECOND; moment_ns < 4 * SECOND + 2 * WINDOW; moment_ns += 9 * MS) {
    look(&lanes, profile, moment_ns, 30, 10);
    for (uint32_t source = 0; source < 2; source++) {
      const char *text = lane(&lanes, source, source);
      for (int i = 1; i < 40; i++) assert_true(strchr("@:", text[i]) != NULL && text[i] != text[i - 1]);
    }
  }
  rtop_window_destroy(&window);
  thread_lanes_destroy(&lanes);
  rtop_profile_destroy(&profile);
}

/* What becomes known late is told, and of what did not change nothing is read again. */
static void test_late(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile();
  struct thread_lanes lanes = { 0 };
  struct rtop_window window = { 0 };
  for (int64_t at = 0; at < 30; at++) {
    fixture_window(&window, at * WINDOW, (at + 1) * WINDOW);
    fixture_thread(&window, 1, RTOP_RUNNING, 1, at == 25 ? WINDOW : 0);
    if (at != 25) fixture_cell(&window, 0, 1, RTOP_RUNNING, WINDOW);
    assert_true(fixture_add(profile, 0, &window));
  }
  look(&lanes, profile, 3 * SECOND, 30, 0);
  assert_string_equal(lane(&lanes, 0, 0), "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@");
  uint64_t change = lanes.windows[3].change;
  fixture_window(&window, 3 * SECOND, 3 * SECOND + WINDOW);
  fixture_thread(&window, 1, RTOP_BLOCKED, 1, 0);
  fixture_late(&window, 0, 1, RTOP_BLOCKED, 25 * WINDOW, WINDOW);
  assert_true(fixture_add(profile, 0, &window));
  look(&lanes, profile, 3 * SECOND + WINDOW, 31, 0);
  assert_string_equal(lane(&lanes, 0, 0), "@@@@@@@@@@@@@@@@@@@@@@@@@.@@@@ ");
  assert_int_equal(lanes.windows[3].change, change);
  rtop_window_destroy(&window);
  thread_lanes_destroy(&lanes);
  rtop_profile_destroy(&profile);
}

/* Of what was merged every cell says the same. */
static void test_long_windows(void **state)
{
  (void)state;
  struct rtop_profile *profile = make_profile();
  struct thread_lanes lanes = { 0 };
  struct rtop_window window = { 0 };
  fixture_window(&window, 0, SECOND);
  fixture_thread(&window, 1, RTOP_RUNNING, 1, 0);
  fixture_cell(&window, 0, 1, RTOP_RUNNING, SECOND);
  assert_true(fixture_add(profile, 0, &window));
  for (int64_t at = 10; at < 13; at++) add_window(profile, at);
  look(&lanes, profile, SECOND + 3 * WINDOW, 15, 0);
  assert_string_equal(lane(&lanes, 0, 0), "  @@@@@@@@@@...");
  look(&lanes, profile, SECOND, 4, 3);
  assert_string_equal(lane(&lanes, 0, 0), "@@@@...");
  rtop_window_destroy(&window);
  thread_lanes_destroy(&lanes);
  rtop_profile_destroy(&profile);
}

static void check_axis(int before, int after, const char *at, const char *wanted)
{
  char text[64];
  thread_lanes_axis(text, sizeof text, before, after, at);
  assert_string_equal(text, wanted);
}

static void test_axis(void **state)
{
  (void)state;
  check_axis(31, 0, "now", " -3s       -2s       -1s    now");
  check_axis(20, 0, "now", "-2s       -1s    now");
  check_axis(8, 0, "now", "     now");
  check_axis(3, 0, "now", "now");
  check_axis(2, 0, "now", "  ");
  check_axis(0, 0, "now", "");
  check_axis(12, 12, "v", "  -1s      v       +1s  ");
  char small[6];
  thread_lanes_axis(small, sizeof small, 31, 10, "now");
  assert_string_equal(small, " -3s ");
}

/* The times under the lanes: provisional time counts, and a late record takes its place. */
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
    cmocka_unit_test(test_states),  cmocka_unit_test(test_gap_and_past),
    cmocka_unit_test(test_holders), cmocka_unit_test(test_several_processes),
    cmocka_unit_test(test_late),    cmocka_unit_test(test_long_windows),
    cmocka_unit_test(test_axis),    cmocka_unit_test(test_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
